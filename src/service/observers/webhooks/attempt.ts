/**
 * One attempt to deliver an event: signs and sends it, evaluates the response and logs it. Writes nothing to the
 * outbox.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { Log } from '../../../base/core/log.ts';
import { partsOfReceiver } from '../../../base/core/receiver.ts';
import type { TracedExchange } from '../tracing/tracing.ts';
import { IGNORED_ANSWERS, parseAnswer, type WebhookAnswer } from './answer.ts';
import { encryptedBody } from './encrypted-body.ts';
import type { Sender, SendResult } from './http-sender.ts';
import type { DeadLetterCause, Outbox, QueuedDelivery } from './outbox.ts';
import type { ReceiverOwnership } from './receiver-ownership.ts';
import { retryDelayMs } from './retry-schedule.ts';
import { signatureHeaders } from './signature.ts';

export interface AttemptParts {
  outbox: Pick<Outbox, 'isDisabled'>;
  sender: Pick<Sender, 'send'>;
  clock: Clock;
  log: Log;
  /** Random number in [0, 1) for the jitter of retries. */
  random(): number;
  /** Absent if this process sends to all receivers. */
  ownership?: Pick<ReceiverOwnership, 'isMine'>;
  /** Secrets that sign the project's events; without one they are not sent. */
  secretsOf(projectId: string): readonly string[];
  /** True if the project's receivers expect encrypted bodies; `encrypted-body.ts`. */
  isEncrypted?(projectId: string): boolean;
  /** Called if a receiver responded to an event of this call with a JSON object, which is not validated yet. */
  onAnswer(callId: string, answer: JsonObject): void;
  /** Called if a receiver responded to an event of this call with an invalid action. */
  onInvalidAnswer?(callId: string, reason: string): void;
  /** Starts the span of an attempt, if its call is traced. */
  trace?(delivery: QueuedDelivery): Promise<TracedExchange | undefined>;
  /** Called after every attempt, for metrics. */
  onAttempt?(attempt: { outcome: 'delivered' | 'failed' | 'given_up'; durationMs: number }): void;
}

export type AttemptVerdict =
  | { outcome: 'delivered'; answer: WebhookAnswer }
  | { outcome: 'failed'; retryInMs: number }
  | { outcome: 'dead'; deathCause: DeadLetterCause; disable?: boolean };

/** State of the receiver as shown by the attempt, independent of the event. Undefined if it shows none. */
export type ReceiverHealth = 'up' | 'down' | undefined;

export interface AttemptResult {
  verdict: AttemptVerdict;
  health: ReceiverHealth;
}

/** Undefined if nothing was sent, because another node serves the receiver now. */
export async function attempt(delivery: QueuedDelivery, parts: AttemptParts): Promise<AttemptResult | undefined> {
  const startedMs = parts.clock.now();
  const sinceMs = parts.clock.monotonicMs();
  const result = await send(delivery, parts);
  if (result === undefined) return undefined;
  const verdict = typeof result === 'string' ? dead(result) : verdictOf(result, delivery, parts);
  if (verdict.outcome === 'delivered') handleAnswer(delivery, verdict.answer, parts);
  logAttempt(delivery, { verdict, result, startedMs, durationMs: parts.clock.monotonicMs() - sinceMs }, parts);
  return { verdict, health: typeof result === 'string' ? undefined : healthFrom(result) };
}

const dead = (deathCause: DeadLetterCause): AttemptVerdict => ({ outcome: 'dead', deathCause });

/** Returns a cause if the event can never be sent. Undefined if another process must send it. */
async function send(delivery: QueuedDelivery, parts: AttemptParts): Promise<SendResult | DeadLetterCause | undefined> {
  const { projectId, url, receiver } = delivery;
  if (await parts.outbox.isDisabled(projectId, url)) return 'gone';
  const signed = signedBody(delivery, parts);
  if (!signed) return 'unsigned';
  const traced = await parts.trace?.(delivery);
  // The process may have been suspended since it took the event.
  if (parts.ownership?.isMine(receiver) === false) {
    traced?.end({ error: 'left' });
    return undefined;
  }
  const result = await parts.sender.send({ url, ...signed, headers: { ...signed.headers, ...traced?.context } });
  traced?.end('status' in result ? { status: result.status } : { error: result.failure });
  return result;
}

/** Signed again for each attempt. Undefined if it cannot be signed. */
function signedBody(
  { id, projectId, body: text }: QueuedDelivery,
  { secretsOf, isEncrypted, clock, log }: AttemptParts,
): { headers: Record<string, string>; body: string } | undefined {
  try {
    const secrets = secretsOf(projectId);
    if (secrets.length === 0) return undefined;
    if (!isEncrypted?.(projectId)) return { headers: signatureHeaders(secrets, id, clock.now(), text), body: text };
    const { body, headers } = encryptedBody(text, projectId);
    return { headers: { ...headers, ...signatureHeaders(secrets, id, clock.now(), body) }, body };
  } catch (error) {
    log.error('delivery.unsigned', { deliveryId: id, projectId, error });
    return undefined;
  }
}

function verdictOf(result: SendResult, { attempts }: QueuedDelivery, { random }: AttemptParts): AttemptVerdict {
  if ('status' in result) {
    if (result.status >= 200 && result.status < 300) return { outcome: 'delivered', answer: parseAnswer(result.body) };
    if (result.status === 410) return { outcome: 'dead', deathCause: 'gone', disable: true };
  } else if (result.failure === 'refused_target') {
    return dead('refused');
  }
  const retryInMs = retryDelayMs(attempts + 1, random());
  return retryInMs === undefined ? dead('exhausted') : { outcome: 'failed', retryInMs };
}

/**
 * A receiver that refuses an event is up; only 408 (timeout), 429 (too many requests) and 5xx indicate that it is down.
 */
function healthFrom(result: SendResult): ReceiverHealth {
  if ('failure' in result) return result.failure === 'refused_target' ? undefined : 'down';
  return result.status >= 500 || result.status === 408 || result.status === 429 ? 'down' : 'up';
}

function handleAnswer(delivery: QueuedDelivery, answer: WebhookAnswer, parts: AttemptParts): void {
  const { onAnswer, onInvalidAnswer, log } = parts;
  try {
    if (answer.kind === 'action') onAnswer(delivery.orderKey, answer.action);
    else if (answer.kind === 'ignored' && answer.reason !== 'plain_text')
      onInvalidAnswer?.(delivery.orderKey, IGNORED_ANSWERS[answer.reason]);
  } catch (error) {
    log.error('delivery.answer_failed', { deliveryId: delivery.id, callId: delivery.orderKey, error });
  }
}

function logAttempt(
  delivery: QueuedDelivery,
  attempted: { verdict: AttemptVerdict; result: SendResult | DeadLetterCause; startedMs: number; durationMs: number },
  { log, onAttempt }: AttemptParts,
): void {
  const { verdict, result, startedMs, durationMs } = attempted;
  onAttempt?.({ outcome: verdict.outcome === 'dead' ? 'given_up' : verdict.outcome, durationMs });
  const { answer } = verdict.outcome === 'delivered' ? verdict : {};
  log[levelOf(verdict, delivery)]('delivery.attempted', {
    deliveryId: delivery.id,
    projectId: delivery.projectId,
    callId: delivery.orderKey,
    target: loggableUrl(delivery),
    attempt: delivery.attempts + 1,
    outcome: verdict.outcome,
    inLine: delivery.inLine,
    durationMs,
    ageMs: Math.max(0, startedMs - delivery.createdMs),
    bodyLength: delivery.body.length,
    ...(typeof result === 'string' ? {} : 'status' in result ? { status: result.status } : { failure: result.failure }),
    ...(answer ? { answer: answer.kind } : {}),
    ...(answer?.kind === 'ignored' ? { answerIgnored: answer.reason } : {}),
    ...(verdict.outcome === 'failed' ? { retryInMs: verdict.retryInMs } : {}),
    ...(verdict.outcome === 'dead' ? { deathCause: verdict.deathCause } : {}),
  });
}

/** Success at the first attempt is frequent, so it is logged at debug level only. */
function levelOf(verdict: AttemptVerdict, { attempts }: QueuedDelivery): 'debug' | 'info' | 'warn' {
  if (verdict.outcome !== 'delivered') return 'warn';
  return attempts > 0 ? 'info' : 'debug';
}

/** URL for the log, without user, password, query and fragment, which may be secret. */
function loggableUrl({ receiver, url }: QueuedDelivery): string {
  const { origin } = partsOfReceiver(receiver);
  const path = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '';
  return origin === '' ? 'not a URL' : origin + path;
}
