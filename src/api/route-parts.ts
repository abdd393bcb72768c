/** What the routes of every resource have in common. */
import type { Request, RequestHandler, Response } from 'express';
import type { Broadcasts } from '../calls/broadcast/broadcasts.ts';
import type { CallParts } from '../calls/call-parts.ts';
import type { IdempotencyKeys } from '../calls/idempotency.ts';
import { isObject, type Json } from '../core/json.ts';
import { ApiError } from './api-error.ts';
import { errorContextOf, signedInProjectOf } from './request-context.ts';

export interface VoiceParts {
  calls: CallParts;
  broadcasts: Broadcasts;
  receipts: IdempotencyKeys;
  /** Keeps back the events of a call, or of a broadcast, until the returned function is called. */
  holdEvents(id: string): () => void;
  /** What is wrong with a URL that events are to be sent to. */
  urlProblem(url: string): string | undefined;
  /** Whether nothing is sent to this URL any more, since it answered 410. */
  isUrlDisabled(projectId: string, url: string): boolean;
}

/** How long a far end may ring that REST dials. */
export const RING_TIMEOUT_MS = 60_000;
/** Of what a client wrote, given back in an error. */
export const LONGEST_ECHO = 256;

export const timestampOf = ({ calls }: VoiceParts): string => new Date(calls.clock.now()).toISOString();

/** A client keeps what the response says in variables that its event handler reads: the response leaves first. */
export function holdEventsUntilSent({ holdEvents }: Pick<VoiceParts, 'holdEvents'>, id: string, res: Response): void {
  const release = holdEvents(id);
  res.once('finish', release);
  res.once('close', release);
}

/** A new call whose events wait for the response. */
export function newCall(
  parts: VoiceParts,
  res: Response,
): { callId: string; projectId: string; ringTimeoutMs: number } {
  const callId = parts.calls.ids.next('call');
  holdEventsUntilSent(parts, callId, res);
  return { callId, projectId: signedInProjectOf(res).projectId, ringTimeoutMs: RING_TIMEOUT_MS };
}

export function checkEventUrl({ urlProblem }: VoiceParts, url: string | undefined, name = 'event_url'): void {
  const refusal = url === undefined ? undefined : urlProblem(url);
  if (refusal !== undefined) throw new ApiError('bad_request', `${name}: ${refusal}`);
}

/** `msg` of an order whose events nobody would get: blank where they are sent. By the name of the field, each URL. */
export function disabledUrlNote(
  { isUrlDisabled }: Pick<VoiceParts, 'isUrlDisabled'>,
  projectId: string,
  urls: Readonly<Record<string, string | undefined>>,
): string {
  return Object.entries(urls)
    .filter(([, url]) => url !== undefined && isUrlDisabled(projectId, url))
    .map(
      ([name]) => `no events are sent to ${name}: it answered 410, and is disabled until the administrator enables it`,
    )
    .join('; ');
}

export const bodyOf = <Params>(req: Request<Params>): Json | undefined => req.body as Json | undefined;

/** Lets an error say whom the request was about. */
export function addPartiesToErrors(res: Response, body: Json | undefined, to: 'to' | 'transfer_to' = 'to'): void {
  if (!isObject(body)) return;
  const { from } = body;
  const destination = body[to] ?? body['to'];
  if (typeof from === 'string') errorContextOf(res).from = from.slice(0, LONGEST_ECHO);
  if (typeof destination === 'string') errorContextOf(res).to = destination.slice(0, LONGEST_ECHO);
}

/** Lets an error about a known call say whose it is. */
export function addCallToErrors(res: Response, voiceId: string, { calls }: VoiceParts): void {
  errorContextOf(res).voiceId = voiceId;
  const record = calls.supervisor.view(voiceId)?.record ?? calls.callStore.call(voiceId);
  if (record?.projectId !== signedInProjectOf(res).projectId) return;
  Object.assign(errorContextOf(res), { from: record.from, to: record.to });
}

export const only =
  (...methods: string[]): RequestHandler =>
  () =>
    refuseMethod(methods);

export function refuseMethod(methods: readonly string[]): never {
  throw new ApiError('method_not_allowed', `use ${methods.join(' or ')}`, { headers: { allow: methods.join(', ') } });
}
