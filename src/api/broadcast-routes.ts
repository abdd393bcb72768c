/**
 * The routes of broadcasts, `/voice/v1/broadcast…`. One call of a broadcast is played to, bridged and hung up as any
 * other, answered in the words and with the status of broadcasts.
 */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Broadcast } from '../calls/broadcast/broadcast.ts';
import type { CreatedBroadcast, NumberQuery } from '../calls/broadcast/broadcasts.ts';
import { connectCall } from '../calls/connect-call.ts';
import { hangUpCall, playOnCall } from '../calls/control-call.ts';
import { createEventLoopYield } from '../core/event-loop-yield.ts';
import { defined, isObject, type Json } from '../core/json.ts';
import { broadcastIds } from '../observers/webhooks/broadcast-events.ts';
import { ApiError } from './api-error.ts';
import { readBroadcast, readStop, readVoiceId } from './broadcast-bodies.ts';
import { broadcastAbout, broadcastBody, numberBody, totalsBody } from './broadcast-responses.ts';
import { readConnect, readPlay } from './call-bodies.ts';
import { answerOnce } from './idempotency.ts';
import { PAGE, readQuery, readReportQuery } from './query-parameters.ts';
import { errorContextOf, signedInProjectOf } from './request-context.ts';
import { connectedBody, playBody } from './response-bodies.ts';
import {
  addCallToErrors,
  bodyOf,
  checkEventUrl,
  disabledUrlNote,
  holdEventsUntilSent,
  LONGEST_ECHO,
  only,
  timestampOf,
  type VoiceParts,
} from './route-parts.ts';

type OfBroadcast = RequestHandler<{ app_instance: string }>;
type OfCall = RequestHandler<{ app_instance: string; voice_id: string }>;

export function broadcastRoutes(parts: VoiceParts): Router {
  const { calls, broadcasts } = parts;
  const now = (): string => timestampOf(parts);

  const create: RequestHandler = (req, res) =>
    answerOnce(parts, req, res, async (keep) => {
      describeApplication(res, bodyOf(req));
      const { order, callees, note } = readBroadcast(bodyOf(req));
      checkEventUrl(parts, order.eventUrl);
      checkEventUrl(parts, order.callHandlerUrl, 'call_handler_url');
      const broadcastId = calls.ids.next('broadcast');
      holdEventsUntilSent(parts, broadcastId, res);
      const { projectId } = signedInProjectOf(res);
      const { eventUrl, callHandlerUrl } = order;
      const disabled = disabledUrlNote(parts, projectId, { event_url: eventUrl, call_handler_url: callHandlerUrl });
      const answer = ({ broadcast, duplicates }: CreatedBroadcast) => ({
        ...broadcastAbout(broadcast),
        // It may have begun already; what is answered is what was asked for.
        state: 'initiated',
        status: 'initiated',
        numbers: broadcast.numbers,
        duplicates,
        msg: [note, disabled].filter((each) => each !== '').join('; '),
        timestamp: now(),
      });
      const receipt = (made: CreatedBroadcast) => keep(answer(made));
      return answer(await broadcasts.create({ ...order, broadcastId, projectId }, callees, receipt));
    });

  const list: RequestHandler = async (req, res) => {
    const { limit, cursor } = readQuery(req.url, PAGE);
    const found = await listed(parts, signedInProjectOf(res).projectId, { limit: limit + 1, after: cursor });
    const page = found.slice(0, limit);
    res.json({
      broadcasts: page.map((broadcast) => ({ ...broadcastBody(broadcast), numbers: broadcast.numbers })),
      ...(found.length > limit ? { next: page.at(-1)!.order.broadcastId } : {}),
      timestamp: now(),
    });
  };

  const report: OfBroadcast = async (req, res) => {
    const query = readReportQuery(req.url);
    const { projectId } = signedInProjectOf(res);
    const broadcastId = req.params.app_instance;
    const broadcast = broadcasts.find(projectId, broadcastId);
    const totals = totalsBody(broadcasts.counts(projectId, broadcastId));
    const { rows, next } = await rowsOf(parts, projectId, broadcastId, query);
    const head = { ...broadcastBody(broadcast), totals, ...(next === undefined ? {} : { next }), timestamp: now() };
    // Its rows are text already: nothing of a page is written twice.
    const text = `${JSON.stringify(head).slice(0, -1)},"result_set":[${rows.join(',')}]}`;
    res.type('json').send(text);
  };

  const stop: OfBroadcast = async (req, res) => {
    const { projectId } = signedInProjectOf(res);
    const broadcastId = req.params.app_instance;
    const { hangUp } = readStop(bodyOf(req), req.url);
    broadcasts.find(projectId, broadcastId);
    holdEventsUntilSent(parts, broadcastId, res);
    if (hangUp)
      for (const callId of liveCallsOf(parts, projectId, broadcastId)) holdEventsUntilSent(parts, callId, res);
    const broadcast = await broadcasts.stop(projectId, broadcastId, { hangUp });
    res.json({ ...broadcastAbout(broadcast), status: 'success', numbers: broadcast.numbers, timestamp: now() });
  };

  const playTo = async (res: Response, broadcastId: string, callId: string, body: Json | undefined): Promise<void> => {
    errorContextOf(res).play = true;
    const { projectId } = signedInProjectOf(res);
    broadcasts.callOf(projectId, broadcastId, callId);
    const order = readPlay(body);
    holdEventsUntilSent(parts, callId, res);
    const { record, playId } = await playOnCall(projectId, callId, order, calls);
    const played = playBody(record, { playId, promptRef: order.promptRef }, now());
    res.status(202).json({ ...broadcastIds(broadcastId), ...played });
  };

  const connectTo = <Params>(req: Request<Params>, res: Response, broadcastId: string, callId: string): Promise<void> =>
    answerOnce(
      parts,
      req,
      res,
      async () => {
        const { projectId } = signedInProjectOf(res);
        broadcasts.callOf(projectId, broadcastId, callId);
        const order = readConnect(bodyOf(req));
        holdEventsUntilSent(parts, callId, res);
        const connected = await connectCall(projectId, callId, order, calls);
        return { ...broadcastIds(broadcastId), ...connectedBody(connected, 'bridge_id', 'initiated', now()) };
      },
      { status: 202, writesReceipt: true },
    );

  const play: OfCall = (req, res) => playTo(res, req.params.app_instance, req.params.voice_id, bodyOf(req));

  const connect: OfCall = (req, res) => connectTo(req, res, req.params.app_instance, req.params.voice_id);

  const hangUp: OfCall = async (req, res) => {
    const { app_instance: broadcastId, voice_id: callId } = req.params;
    const { projectId } = signedInProjectOf(res);
    broadcasts.callOf(projectId, broadcastId, callId);
    holdEventsUntilSent(parts, callId, res);
    const { from, to } = await hangUpCall(projectId, callId, calls);
    const done = { state: 'success', status: 'success', from, to, timestamp: now() };
    res.json({ ...broadcastIds(broadcastId), voice_id: callId, ...done });
  };

  /** Aliases: the call is named in the body. */
  const callIn = (res: Response, broadcastId: string, body: Json | undefined): string => {
    const { projectId } = signedInProjectOf(res);
    broadcasts.find(projectId, broadcastId);
    const callId = readVoiceId(body);
    addCallToErrors(res, callId, parts);
    return callId;
  };

  const playNamed: OfBroadcast = (req, res) => {
    errorContextOf(res).play = true;
    const callId = callIn(res, req.params.app_instance, bodyOf(req));
    return playTo(res, req.params.app_instance, callId, bodyOf(req));
  };

  const act: OfBroadcast = (req, res) => {
    const body = bodyOf(req);
    const broadcastId = req.params.app_instance;
    const callId = callIn(res, broadcastId, body);
    if (isObject(body) && isObject(body['play'])) return playTo(res, broadcastId, callId, body);
    if (isObject(body) && isObject(body['connect'])) return connectTo(req, res, broadcastId, callId);
    throw new ApiError('bad_request', 'the body names no action', {
      hint: 'send {"voice_id": "…", "play": {…}} or {"voice_id": "…", "connect": {…}}',
    });
  };

  const router = Router();
  router.param('app_instance', (_req, res, next, broadcastId: string) => {
    errorContextOf(res).application = broadcastIds(broadcastId.slice(0, LONGEST_ECHO));
    next();
  });
  router.route('/broadcast').get(list).post(create).all(only('GET', 'POST'));
  router
    .route('/broadcast/:app_instance')
    .get(report)
    .delete(stop)
    .post(act)
    .all(only('GET', 'POST', 'DELETE'));
  router.route('/broadcast/:app_instance/play').put(playNamed).post(playNamed).all(only('PUT', 'POST'));
  router.route('/broadcast/:app_instance/call/:voice_id').delete(hangUp).all(only('DELETE'));
  router.route('/broadcast/:app_instance/call/:voice_id/play').put(play).post(play).all(only('PUT', 'POST'));
  router.route('/broadcast/:app_instance/call/:voice_id/connect').put(connect).post(connect).all(only('PUT', 'POST'));
  return router;
}

/** Lets an error say which broadcast would have been made. */
function describeApplication(res: Response, body: Json | undefined): void {
  if (!isObject(body)) return;
  const name = body['application_name'] ?? body['name'] ?? body['applicationName'];
  if (typeof name === 'string') errorContextOf(res).application = { application_name: name.slice(0, LONGEST_ECHO) };
}

/** Each is read with its order, and with the flow that came in it. */
const LISTED_AT_ONCE = 20;

async function listed(
  { broadcasts }: VoiceParts,
  projectId: string,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<Broadcast[]> {
  const found: Broadcast[] = [];
  const rest = createEventLoopYield();
  for (let last = after; ; ) {
    const wanted = Math.min(LISTED_AT_ONCE, limit - found.length);
    const part = broadcasts.list(defined({ projectId, limit: wanted, after: last }));
    found.push(...part);
    if (part.length < wanted || found.length === limit) return found;
    last = part.at(-1)!.order.broadcastId;
    await rest();
  }
}

/** Read and written as text at once. */
const ROWS_AT_ONCE = 500;

/** A page of any size, made a part at a time: calls go on in between. */
async function rowsOf(
  { broadcasts }: VoiceParts,
  projectId: string,
  broadcastId: string,
  { limit, ...query }: NumberQuery,
): Promise<{ rows: string[]; next?: string }> {
  const rows: string[] = [];
  const rest = createEventLoopYield();
  let cursor = query.cursor;
  while (rows.length < limit) {
    const part = broadcasts.report(projectId, broadcastId, {
      ...query,
      limit: Math.min(ROWS_AT_ONCE, limit - rows.length),
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const row of part.rows) rows.push(JSON.stringify(numberBody(row)));
    if (part.next === undefined) return { rows };
    cursor = part.next;
    await rest();
  }
  return { rows, ...(cursor === undefined || limit === 0 ? {} : { next: cursor }) };
}

const LIVE_STATES = ['ringing', 'connected'] as const;
const MOST_LIVE = 10_000;

const liveCallsOf = ({ broadcasts }: VoiceParts, projectId: string, broadcastId: string): string[] =>
  LIVE_STATES.flatMap((state) =>
    broadcasts
      .report(projectId, broadcastId, { state, limit: MOST_LIVE })
      .rows.flatMap(({ callId }) => (callId === undefined ? [] : [callId])),
  );
