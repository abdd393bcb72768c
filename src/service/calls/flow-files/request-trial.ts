/**
 * Sends the request of a step for a trial, under the rules of requests of calls: targets, time and size.
 *
 * Invariant: values of secrets are sent, and not returned.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { HttpAnswer, HttpReply, HttpRequest } from '../../../base/core/http-exchange.ts';
import { type Json, type JsonObject, mapValues } from '../../../base/core/json.ts';
import { MASK } from '../../../base/core/mask-url.ts';

/** As the thread of the workbench returns it. */
export interface RenderedRequest {
  request: HttpRequest;
  reads: string[];
  /** Schema of the body that the step expects. */
  returns?: string | JsonObject;
}

export interface RequestTrialParts {
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply>;
  /** Outcome of the step for an answer. */
  outcomeOf(answer: HttpAnswer, returns: string | JsonObject | undefined): string;
  clock: Pick<Clock, 'now'>;
  secrets(): JsonObject;
}

const SHORTEST_SECRET = 4;
const CREDENTIALS = /^(?:authorization|proxy-authorization|cookie)$/i;

/** Response body of the API: the request, and with `isSent` its answer. */
export async function requestTrial(
  { request, reads, returns }: RenderedRequest,
  { isSent, signal = new AbortController().signal }: { isSent: boolean; signal?: AbortSignal | undefined },
  { send, outcomeOf, clock, secrets }: RequestTrialParts,
): Promise<JsonObject> {
  const { method, url, headers, body } = request;
  const sent = mapValues(headers, (value, name) => (CREDENTIALS.test(name) ? MASK : value));
  const shown = { request: { method, url, headers: sent, ...(body !== undefined && { body }) }, reads };
  const masked = (value: JsonObject): JsonObject => withoutSecrets(value, Object.values(secrets())) as JsonObject;
  if (!isSent) return masked(shown);
  const begun = clock.now();
  const reply = await send(request, signal);
  if (!reply.ok && reply.reason === 'unknown') return masked(shown);
  const answer: JsonObject = reply.ok ? { status: reply.status, body: reply.body } : { message: reply.message };
  return masked({ ...shown, answer: { ...answer, ms: clock.now() - begun, outcome: outcomeOf(reply, returns) } });
}

function withoutSecrets(value: Json, secrets: readonly Json[]): Json {
  let text = JSON.stringify(value);
  for (const secret of secrets) {
    if (typeof secret !== 'string' || secret.length < SHORTEST_SECRET) continue;
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
    for (const form of forms) text = text.replaceAll(JSON.stringify(form).slice(1, -1), MASK);
  }
  return JSON.parse(text) as Json;
}
