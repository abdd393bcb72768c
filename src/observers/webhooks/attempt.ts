/** One attempt to deliver an event: makes the letter, sends it, judges the answer and tells of it. Writes nothing down. */
import type { Clock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { partsOfReceiver } from '../../core/receiver.ts';
import { type Answer, readAnswer } from './answer.ts';
import { encryptedBody } from './encrypted-body.ts';
import type { DeathCause, Outbox, Parcel } from './outbox.ts';
import { retryDelayMs } from './retry-schedule.ts';
import type { Sender, SendResult } from './sender.ts';
import { signatureHeaders } from './signature.ts';

export interface AttemptParts {
  outbox: Pick<Outbox, 'isDisabled'>;
  sender: Pick<Sender, 'send'>;
  clock: Clock;
  log: Log;
  /** In [0, 1): the jitter of retries. */
  random(): number;
  /** The secret that signs the project's events. */
  secretOf(projectId: string): string | undefined;
  /** Whether the project's receivers want bodies encrypted; `encrypted-body.ts`. */
  isEncrypted?(projectId: string): boolean;
  /** A receiver answered an event of this call with a JSON object: not checked, not trusted. */
  onAnswer(callId: string, answer: JsonObject): void;
  /** Told of every attempt: for figures. */
  onAttempt?(attempt: { outcome: 'delivered' | 'failed' | 'given_up'; durationMs: number }): void;
}

export type Verdict =
  | { outcome: 'delivered'; answer: Answer }
  | { outcome: 'failed'; retryInMs: number }
  | { outcome: 'dead'; deathCause: DeathCause; disable?: boolean };

/** What an attempt says of the receiver, whatever it says of the event; undefined: nothing. */
export type Health = 'up' | 'down' | undefined;

export interface Attempted {
  verdict: Verdict;
  health: Health;
}

export async function attempt(parcel: Parcel, parts: AttemptParts): Promise<Attempted> {
  const startedMs = parts.clock.now();
  const sinceMs = parts.clock.monotonicMs();
  const result = await send(parcel, parts);
  const verdict = typeof result === 'string' ? dead(result) : judge(result, parcel, parts);
  if (verdict.outcome === 'delivered') handOver(parcel, verdict.answer, parts);
  tell(parcel, { verdict, result, startedMs, durationMs: parts.clock.monotonicMs() - sinceMs }, parts);
  return { verdict, health: typeof result === 'string' ? undefined : healthIn(result) };
}

const dead = (deathCause: DeathCause): Verdict => ({ outcome: 'dead', deathCause });

/** Or why it cannot be sent. */
async function send(parcel: Parcel, parts: AttemptParts): Promise<SendResult | DeathCause> {
  const { projectId, url } = parcel;
  if (parts.outbox.isDisabled(projectId, url)) return 'gone';
  const letter = letterOf(parcel, parts);
  return letter ? parts.sender.send({ url, ...letter }) : 'unsigned';
}

/** What is sent: signed as it goes out. */
function letterOf(
  { id, projectId, body: text }: Parcel,
  { secretOf, isEncrypted, clock, log }: AttemptParts,
): { headers: Record<string, string>; body: string } | undefined {
  try {
    const secret = secretOf(projectId);
    if (secret === undefined) return undefined;
    if (!isEncrypted?.(projectId)) return { headers: signatureHeaders(secret, id, clock.now(), text), body: text };
    const { body, headers } = encryptedBody(text, projectId);
    return { headers: { ...headers, ...signatureHeaders(secret, id, clock.now(), body) }, body };
  } catch (error) {
    log.error('delivery.unsigned', { deliveryId: id, projectId, error });
    return undefined;
  }
}

function judge(result: SendResult, { attempts }: Parcel, { random }: AttemptParts): Verdict {
  if ('status' in result) {
    if (result.status >= 200 && result.status < 300) return { outcome: 'delivered', answer: readAnswer(result.body) };
    if (result.status === 410) return { outcome: 'dead', deathCause: 'gone', disable: true };
  } else if (result.failure === 'refused_target') {
    return dead('refused');
  }
  const retryInMs = retryDelayMs(attempts + 1, random());
  return retryInMs === undefined ? dead('exhausted') : { outcome: 'failed', retryInMs };
}

/** Who refuses an event is there to refuse it: 408 (too slow), 429 (too many) and 5xx speak of the receiver, no other. */
function healthIn(result: SendResult): Health {
  if ('failure' in result) return result.failure === 'refused_target' ? undefined : 'down';
  return result.status >= 500 || result.status === 408 || result.status === 429 ? 'down' : 'up';
}

function handOver(parcel: Parcel, answer: Answer, { onAnswer, log }: AttemptParts): void {
  if (answer.kind !== 'action') return;
  try {
    onAnswer(parcel.orderKey, answer.action);
  } catch (error) {
    log.error('delivery.answer_failed', { deliveryId: parcel.id, callId: parcel.orderKey, error });
  }
}

function tell(
  parcel: Parcel,
  attempted: { verdict: Verdict; result: SendResult | DeathCause; startedMs: number; durationMs: number },
  { log, onAttempt }: AttemptParts,
): void {
  const { verdict, result, startedMs, durationMs } = attempted;
  onAttempt?.({ outcome: verdict.outcome === 'dead' ? 'given_up' : verdict.outcome, durationMs });
  const { answer } = verdict.outcome === 'delivered' ? verdict : {};
  log[verdict.outcome === 'delivered' ? 'info' : 'warn']('delivery.attempted', {
    deliveryId: parcel.id,
    projectId: parcel.projectId,
    callId: parcel.orderKey,
    target: shownUrl(parcel),
    attempt: parcel.attempts + 1,
    outcome: verdict.outcome,
    inLine: parcel.inLine,
    durationMs,
    ageMs: Math.max(0, startedMs - parcel.createdMs),
    bodyLength: parcel.body.length,
    ...(typeof result === 'string' ? {} : 'status' in result ? { status: result.status } : { failure: result.failure }),
    ...(answer ? { answer: answer.kind } : {}),
    ...(answer?.kind === 'ignored' ? { answerIgnored: answer.why } : {}),
    ...(verdict.outcome === 'failed' ? { retryInMs: verdict.retryInMs } : {}),
    ...(verdict.outcome === 'dead' ? { deathCause: verdict.deathCause } : {}),
  });
}

/** Without user, password, query and fragment: those carry secrets. */
function shownUrl({ receiver, url }: Parcel): string {
  const { origin } = partsOfReceiver(receiver);
  const path = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '';
  return origin === '' ? 'not a URL' : origin + path;
}
