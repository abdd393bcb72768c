/** The routes of single calls, `/voice/v1/…`: a handler reads the request, calls a use case, says what came of it. */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { analyzeCall } from '../calls/analyze-call.ts';
import type { CallParts } from '../calls/call-parts.ts';
import { acceptCall, hangUpCall, playOnCall, sendEvent } from '../calls/control-call.ts';
import { placeCall } from '../calls/place-call.ts';
import { isObject, type Json } from '../core/json.ts';
import { notAvailable, readDialOut, readEvent, readPlay } from './bodies.ts';
import { Problem } from './problems.ts';
import { aboutOf, projectOf } from './request-context.ts';
import { actionBody, analysisBody, playBody } from './words.ts';

const RING_TIMEOUT_MS = 60_000;
/** Of what a client wrote, given back in an error. */
const LONGEST_ECHO = 256;

export interface VoiceParts {
  calls: CallParts;
  /** Keeps back the events of a call until the returned function is called. */
  hold(callId: string): () => void;
  /** What is wrong with a URL that events are to be sent to. */
  refusalOfUrl(url: string): string | undefined;
}

type VoiceId = { voice_id: string };

export function voiceRoutes({ calls, hold, refusalOfUrl }: VoiceParts): Router {
  const router = Router();
  const now = (): string => new Date(calls.clock.now()).toISOString();

  /** A client keeps what the response says in variables that its event handler reads: the response leaves first. */
  const holdUntilSent = (callId: string, res: Response): void => {
    const release = hold(callId);
    res.once('finish', release);
    res.once('close', release);
  };

  const dialOut: RequestHandler = (req, res) => {
    const body = bodyOf(req);
    for (const end of ['from', 'to'] as const) {
      const written = isObject(body) ? body[end] : undefined;
      if (typeof written === 'string') aboutOf(res)[end] = written.slice(0, LONGEST_ECHO);
    }
    const { order, notes } = readDialOut(body);
    const refusal = order.eventUrl === undefined ? undefined : refusalOfUrl(order.eventUrl);
    if (refusal !== undefined) throw new Problem('bad_request', `event_url: ${refusal}`);
    const callId = calls.ids.next('call');
    holdUntilSent(callId, res);
    const projectId = projectOf(res).projectId;
    const record = placeCall({ ...order, callId, projectId, ringTimeoutMs: RING_TIMEOUT_MS }, calls);
    res.json(actionBody(record, 'initiated', now(), { msg: notes.join('; ') }));
  };

  const analyze: RequestHandler<VoiceId> = (req, res) => {
    res.json(analysisBody(analyzeCall(projectOf(res).projectId, req.params.voice_id, calls), now()));
  };

  const play: RequestHandler<VoiceId> = async (req, res) => {
    const callId = req.params.voice_id;
    aboutOf(res).play = true;
    const { order, notes } = readPlay(bodyOf(req));
    holdUntilSent(callId, res);
    const { record, playId } = await playOnCall(projectOf(res).projectId, callId, order, calls);
    res.json(playBody(record, { playId, promptRef: order.promptRef }, now(), notes));
  };

  const accept: RequestHandler<VoiceId> = async (req, res) => {
    holdUntilSent(req.params.voice_id, res);
    const record = await acceptCall(projectOf(res).projectId, req.params.voice_id, calls);
    res.json(actionBody(record, 'success', now()));
  };

  const hangUp: RequestHandler<VoiceId> = async (req, res) => {
    holdUntilSent(req.params.voice_id, res);
    const record = await hangUpCall(projectOf(res).projectId, req.params.voice_id, calls);
    res.json(actionBody(record, 'success', now()));
  };

  const event: RequestHandler<VoiceId> = async (req, res) => {
    const named = readEvent(bodyOf(req));
    holdUntilSent(req.params.voice_id, res);
    const record = await sendEvent(projectOf(res).projectId, req.params.voice_id, named, calls);
    res.json(actionBody(record, 'success', now(), { event: named.name }));
  };

  /** An alias: one of several actions, named by the body's key. */
  const act: RequestHandler<VoiceId> = (req, res, next) => {
    const body = bodyOf(req);
    if (isObject(body) && isObject(body['play'])) return play(req, res, next);
    if (isObject(body) && isObject(body['connect'])) throw notAvailable('connect');
    throw new Problem('bad_request', 'the body names no action', { hint: 'send {"play": {…}}' });
  };

  router.param('voice_id', (_req, res, next, voiceId: string) => {
    aboutOf(res).voiceId = voiceId;
    describe(res, voiceId, calls);
    next();
  });
  // Both spellings of the collection are one.
  router.use((req, _res, next) => {
    req.url = req.url.replace(/^\/calls(?=[/?]|$)/i, '/call');
    next();
  });
  router.route('/call').post(dialOut).all(only('POST'));
  router
    .route('/call/:voice_id')
    .get(analyze)
    .delete(hangUp)
    .post(act)
    .all(only('GET', 'POST', 'DELETE'));
  router.route('/call/:voice_id/play').put(play).post(play).all(only('PUT', 'POST'));
  router.route('/call/:voice_id/accept').post(accept).put(accept).all(only('POST', 'PUT'));
  router.route('/call/:voice_id/event').post(event).all(only('POST'));
  for (const [path, methods] of LATER) {
    router.route(path).all((req, _res, next) => (methods.includes(req.method) ? next() : refuse(methods)), later);
  }
  return router;
}

/** Documented routes that this version does not have. */
const LATER: readonly [path: string, methods: string[]][] = [
  ['/call/:voice_id/connect', ['PUT', 'POST']],
  ['/call/:voice_id/transfer', ['PUT']],
  ['/call/:voice_id/forward', ['PUT']],
  ['/call/:voice_id/hold', ['POST', 'PUT']],
  ['/call/:voice_id/recording', ['PUT']],
  ['/call/:voice_id/stream', ['PUT', 'DELETE']],
  ['/recording/:recording_id', ['GET']],
  ['/recording/:service_id/:recording_id', ['GET']],
  ['/conference', ['POST']],
  ['/conference/:conference_id', ['GET', 'POST', 'PUT', 'DELETE']],
  ['/conference/:conference_id/participant/:participant_id', ['PUT']],
  ['/conference/:conference_id/:other_id', ['PUT']],
  ['/room/:room_id/join', ['POST']],
  ['/room/:room_id/call/:voice_id/join', ['PUT']],
  ['/broadcast', ['POST']],
  ['/broadcast/:app_instance', ['GET', 'DELETE', 'POST']],
  ['/broadcast/:app_instance/play', ['PUT']],
  ['/broadcast/:app_instance/call/:voice_id', ['DELETE']],
  ['/broadcast/:app_instance/call/:voice_id/play', ['PUT']],
  ['/broadcast/:app_instance/call/:voice_id/connect', ['PUT']],
];

const later: RequestHandler = () => {
  throw notAvailable('this route');
};

const only =
  (...methods: string[]): RequestHandler =>
  () =>
    refuse(methods);

function refuse(methods: string[]): never {
  throw new Problem('method_not_allowed', `use ${methods.join(' or ')}`, { headers: { allow: methods.join(', ') } });
}

const bodyOf = (req: Request<never> | Request<VoiceId> | Request): Json | undefined => req.body as Json | undefined;

/** Lets an error about a known call say whose it is. */
function describe(res: Response, voiceId: string, calls: Pick<CallParts, 'supervisor' | 'book'>): void {
  const record = calls.supervisor.view(voiceId)?.record ?? calls.book.call(voiceId);
  if (record?.projectId !== projectOf(res).projectId) return;
  Object.assign(aboutOf(res), { from: record.from, to: record.to });
}
