/** Voice API, `/voice/v1/…`: types of its routes and handlers, and their common behaviour. */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { TraceContext } from '../../base/core/trace-context.ts';
import type { Broadcasts } from '../calls/broadcast/create-broadcasts.ts';
import type { CallParts } from '../calls/call-parts.ts';
import type { Callbacks } from '../calls/callbacks/callbacks.ts';
import { callNow } from '../calls/control/control-call.ts';
import type { IdempotencyKeys } from '../calls/control/idempotency.ts';
import type { FlowGraphs } from '../calls/flow-files/flow-graphs.ts';
import type { Deletions } from '../calls/people/people.ts';
import type { ReadPeaks } from '../calls/recordings/recording-peaks.ts';
import type { CountFigures } from '../calls/views/flow-figures.ts';
import type { ReplayAudio } from '../calls/views/replay-audio.ts';
import type { Webphones } from '../calls/webphone/webphones.ts';
import type { LiveEvents } from '../observers/live/live.ts';
import { broadcastIds } from '../observers/webhooks/broadcast-events.ts';
import type { CallRecord } from '../runtime/journal.ts';
import { ApiError } from './api-error.ts';
import { answerOnce, type KeepResponse } from './idempotency.ts';
import type { ListOverNodes } from './merged-list.ts';
import { errorContextOf, signedInProjectOf, stateOf } from './request-context.ts';
import {
  type ApiRoute,
  type HandledRoute,
  type HttpMethod,
  type PathParameters,
  type ResponseSpec,
  register,
} from './route.ts';
import { sendJson } from './send-json.ts';

export interface VoiceParts {
  calls: CallParts;
  broadcasts: Broadcasts;
  callbacks: Pick<Callbacks, 'find' | 'delete'>;
  receipts: IdempotencyKeys;
  live: LiveEvents;
  replayAudio: ReplayAudio;
  recordingPeaks: ReadPeaks;
  flowFigures: CountFigures;
  flowGraphs: FlowGraphs;
  people: Deletions;
  webphones: Pick<Webphones, 'issue'>;
  /** Public URL for browsers. */
  publicUrl(): string;
  /** Absent for a single node. */
  listOverNodes?: ListOverNodes;
  /** Holds back events of a call or broadcast until the returned function is called. */
  holdEvents(id: string): () => void;
  /** Reason why events cannot be sent to a URL. */
  urlProblem(url: string): string | undefined;
  /** URLs of a project that are disabled because they answered 410. */
  disabledUrls(projectId: string): Promise<ReadonlySet<string>>;
}

export interface VoiceRequest {
  projectId: string;
  params: PathParameters;
  body: Json | undefined;
  url: string;
  res: Response;
  /** Returns the response as a receipt to be stored with the created object. Undefined without `Idempotency-Key`. */
  keep: KeepResponse;
  /**
   * Holds back events of a call or broadcast until the response is sent. Events of the call in the path are always
   * held.
   */
  holdEvents(id: string): void;
}

/** Response body. Undefined if the handler has sent the response itself. */
type Answer = JsonObject | undefined;

export type VoiceHandler = (request: VoiceRequest, api: VoiceParts) => Answer | Promise<Answer>;

export interface VoiceRoute extends HandledRoute<VoiceHandler> {
  /** For an alias of several routes: selects the route and its path parameters. */
  select?(request: VoiceRequest, api: VoiceParts): Promise<{ route: VoiceRoute; params?: Partial<PathParameters> }>;
}

type Row = Pick<VoiceRoute, 'summary' | 'errors' | 'handle' | 'query' | 'isIdempotent' | 'merged'> & {
  /** Name of a schema in `schemas/api/`. */
  body?: string;
  optionalBody?: string;
  /** Name of a schema in `schemas/api/responses/`. */
  response: string | ResponseSpec;
  status?: number;
};

export function voiceRoute(
  tag: ApiRoute['tag'],
  method: HttpMethod,
  path: string,
  { body, optionalBody, response, status = 200, ...row }: Row,
): VoiceRoute {
  const schema = body ?? optionalBody;
  return defined<VoiceRoute>({
    tag,
    method,
    path,
    auth: 'project',
    body: schema === undefined ? undefined : { schema, isRequired: body !== undefined },
    response: typeof response === 'string' ? { status, schema: `responses/${response}` } : response,
    ...row,
  });
}

export const aliasOf = (
  route: VoiceRoute,
  method: HttpMethod,
  path: string = route.path,
  select?: VoiceRoute['select'],
): VoiceRoute => defined<VoiceRoute>({ ...route, method, path, isAlias: true, select });

/** Ring timeout of a party that a REST request calls. */
const RING_TIMEOUT_MS = 60_000;
/** Maximum length of a client's value in an error message. */
export const MAX_ECHO = 256;

/** True if errors of the route contain `playstate`. */
const isPlay = ({ path, method }: VoiceRoute): boolean => path.endsWith('/play') && method !== 'DELETE';

/** Selects the route by the action's key in the body. */
export function routeOfAction(
  body: Json | undefined,
  { play, connect, hint }: { play: VoiceRoute; connect: VoiceRoute; hint: string },
): VoiceRoute {
  if (isObject(body) && isObject(body['play'])) return play;
  if (isObject(body) && isObject(body['connect'])) return connect;
  throw new ApiError('bad_request', 'the body contains no action', { hint });
}

const BASE = '/voice/v1';

export function voiceRouter(routes: readonly VoiceRoute[], api: VoiceParts): Router {
  const router = Router();
  // `/calls` is an alternative spelling of `/call`.
  router.use((req, _res, next) => {
    req.url = req.url.replace(/^\/calls(?=[/?]|$)/i, '/call');
    next();
  });
  router.param('voice_id', (_req, res, next, voiceId: string) => {
    addCallToErrors(res, voiceId, api).then(() => next(), next);
  });
  router.param('app_instance', (_req, res, next, broadcastId: string) => {
    errorContextOf(res).application = broadcastIds(broadcastId.slice(0, MAX_ECHO));
    next();
  });
  return register(router, BASE, routes, (route) => serve(route, api));
}

function serve(route: VoiceRoute, api: VoiceParts): RequestHandler {
  return async (req, res) => {
    const { projectId } = signedInProjectOf(res);
    const request: VoiceRequest = {
      projectId,
      params: req.params as unknown as PathParameters,
      body: req.body as Json | undefined,
      url: req.url,
      res,
      keep: () => undefined,
      holdEvents(id) {
        const release = api.holdEvents(id);
        res.once('finish', release);
        res.once('close', release);
      },
    };
    if (isPlay(route)) errorContextOf(res).play = true;
    const selected = (await route.select?.(request, api)) ?? { route };
    await answer(selected.route, { ...request, params: { ...request.params, ...selected.params } }, req, api);
  };
}

async function answer(route: VoiceRoute, request: VoiceRequest, req: Request, api: VoiceParts): Promise<void> {
  const { res, params, body, holdEvents } = request;
  const { isIdempotent, method, response } = route;
  const stamped = (made: JsonObject): JsonObject => ({ ...made, timestamp: timestampOf(api) });
  const handle = async (keep: KeepResponse): Promise<Answer> => {
    if (isPlay(route)) errorContextOf(res).play = true;
    if (params.voice_id === undefined && isIdempotent) addPartiesToErrors(res, body);
    // The response is sent before the events, because event handlers of clients use its ids.
    if (params.voice_id !== undefined && method !== 'GET') holdEvents(params.voice_id);
    const handleAt = (url: string) => route.handle({ ...request, url, keep: (kept) => keep(stamped(kept)) }, api);
    const { merged } = route;
    const made = await (merged && api.listOverNodes
      ? api.listOverNodes(merged, req, res, handleAt)
      : handleAt(request.url));
    return made && stamped(made);
  };
  if (isIdempotent) return answerOnce(api.receipts, { req, res }, response.status, handle);
  const made = await handle(() => undefined);
  if (made) sendJson(res, response.status, made);
}

export const timestampOf = ({ calls }: VoiceParts): string => new Date(calls.clock.now()).toISOString();

/** A new call, whose events wait for the response. */
export function newCall(
  { projectId, holdEvents, res }: VoiceRequest,
  { calls }: VoiceParts,
): { callId: string; projectId: string; ringTimeoutMs: number; traceParent: TraceContext | undefined } {
  const callId = calls.ids.next('call');
  holdEvents(callId);
  return { callId, projectId, ringTimeoutMs: RING_TIMEOUT_MS, traceParent: stateOf(res).trace };
}

export function checkEventUrl({ urlProblem }: VoiceParts, url: string | undefined, name = 'event_url'): void {
  const refusal = url === undefined ? undefined : urlProblem(url);
  if (refusal !== undefined) throw new ApiError('bad_request', `${name}: ${refusal}`);
}

/** `msg` for a request whose event URL is disabled. Empty otherwise. `urls`: URLs by field name. */
export function disabledUrlNote(
  disabledUrls: ReadonlySet<string>,
  urls: Readonly<Record<string, string | undefined>>,
): string {
  return Object.entries(urls)
    .filter(([, url]) => url !== undefined && disabledUrls.has(url))
    .map(([name]) => `events to ${name} are disabled, because it answered 410; an administrator can enable the URL`)
    .join('; ');
}

/** The note of `disabledUrlNote` for a placed call. */
export const disabledEventUrlNote = (disabledUrls: ReadonlySet<string>, { eventUrl }: CallRecord): string =>
  disabledUrlNote(disabledUrls, { event_url: eventUrl });

/** Adds the parties of the request to errors. */
function addPartiesToErrors(res: Response, body: Json | undefined): void {
  if (!isObject(body)) return;
  const { from } = body;
  const to = body['transfer_to'] ?? body['to'];
  if (typeof from === 'string') errorContextOf(res).from = from.slice(0, MAX_ECHO);
  if (typeof to === 'string') errorContextOf(res).to = to.slice(0, MAX_ECHO);
}

/** Adds the parties of the call to errors, if it belongs to this project. */
export async function addCallToErrors(res: Response, voiceId: string, { calls }: VoiceParts): Promise<void> {
  errorContextOf(res).voiceId = voiceId;
  const record = await callNow(voiceId, calls);
  if (record?.projectId !== signedInProjectOf(res).projectId) return;
  Object.assign(errorContextOf(res), { from: record.from, to: record.to });
}
