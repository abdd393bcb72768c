/**
 * Broadcast routes, `/voice/v1/broadcast…`. Single calls of a broadcast accept the usual commands; their responses and
 * errors have the format of broadcasts.
 */
import type { Response } from 'express';
import { createEventLoopYield } from '../../base/core/event-loop-yield.ts';
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { Broadcast } from '../calls/broadcast/broadcast.ts';
import type { CreatedBroadcast, NumberQuery } from '../calls/broadcast/broadcasts.ts';
import { commandCall, HANG_UP } from '../calls/control/control-call.ts';
import { broadcastIds } from '../observers/webhooks/broadcast-events.ts';
import { readBroadcast, readStop, readVoiceId } from './broadcast-bodies.ts';
import { broadcastAbout, broadcastBody, numberBody, totalsBody } from './broadcast-responses.ts';
import { CONNECT as CONNECT_CALL, PLAY as PLAY_ON_CALL, CALL as SINGLE_CALL } from './call-routes.ts';
import { PAGE, type PageQuery, REPORT_FILTERS, readQuery, STOP_OPTIONS } from './query-parameters.ts';
import { errorContextOf } from './request-context.ts';
import { ACTION_ERRORS, DIAL_ERRORS, PROMPT_ERRORS } from './route-errors.ts';
import {
  addCallToErrors,
  aliasOf,
  checkEventUrl,
  disabledUrlNote,
  MAX_ECHO,
  routeOfAction,
  timestampOf,
  type VoiceParts,
  type VoiceRequest,
  type VoiceRoute,
  voiceRoute,
} from './voice-route.ts';

const BROADCASTS = '/voice/v1/broadcast';
const BROADCAST = `${BROADCASTS}/{app_instance}`;
const CALL = `${BROADCAST}/call/{voice_id}`;

/** Route for single calls, applied to a call of a broadcast. */
const ofBroadcast = (route: VoiceRoute, summary: string, schema: string): VoiceRoute => ({
  ...route,
  tag: 'Broadcasts',
  path: route.path.replace(SINGLE_CALL, CALL),
  summary,
  response: { status: 202, schema: `responses/${schema}` },
  errors: ['unknown_broadcast', ...route.errors],
  async handle(request, api) {
    const { app_instance: broadcastId, voice_id: callId } = request.params;
    await api.broadcasts.callOf(request.projectId, broadcastId, callId);
    return { ...broadcastIds(broadcastId), ...(await route.handle(request, api)) };
  },
});

const PLAY = ofBroadcast(PLAY_ON_CALL, 'plays a prompt on one call of a broadcast', 'broadcast-play');
const CONNECT = ofBroadcast(CONNECT_CALL, 'bridges one call of a broadcast to another party', 'broadcast-connect');

const ACTIONS = {
  play: PLAY,
  connect: CONNECT,
  hint: 'send {"voice_id": "…", "play": {…}} or {"voice_id": "…", "connect": {…}}',
};

/** Call named in the body. */
async function callInBody(
  { projectId, params, body, res }: VoiceRequest,
  api: VoiceParts,
): Promise<{ voice_id: string }> {
  await api.broadcasts.find(projectId, params.app_instance);
  const callId = readVoiceId(body);
  await addCallToErrors(res, callId, api);
  return { voice_id: callId };
}

const playInBody: VoiceRoute['select'] = async (request, api) => ({
  route: PLAY,
  params: await callInBody(request, api),
});

const actionInBody: VoiceRoute['select'] = async (request, api) => {
  const params = await callInBody(request, api);
  return { params, route: routeOfAction(request.body, ACTIONS) };
};

type ReportQuery = Omit<NumberQuery, 'phone'> & { number?: string };

export const BROADCAST_ROUTES: readonly VoiceRoute[] = [
  voiceRoute('Broadcasts', 'POST', BROADCASTS, {
    isIdempotent: true,
    summary: 'starts a broadcast: calls up to 100,000 numbers',
    body: 'broadcast',
    response: 'broadcast',
    errors: [...DIAL_ERRORS, ...PROMPT_ERRORS, ...ACTION_ERRORS, 'numbers_invalid'],
    async handle({ projectId, body, res, keep, holdEvents }, api) {
      describeApplication(res, body);
      const { order, callees, note } = readBroadcast(body);
      const { eventUrl, callHandlerUrl } = order;
      checkEventUrl(api, eventUrl);
      checkEventUrl(api, callHandlerUrl, 'call_handler_url');
      const broadcastId = api.calls.ids.next('broadcast');
      holdEvents(broadcastId);
      const urls = { event_url: eventUrl, call_handler_url: callHandlerUrl };
      const disabled = disabledUrlNote(await api.disabledUrls(projectId), urls);
      const answer = ({ broadcast, duplicates }: CreatedBroadcast) => ({
        ...broadcastAbout(broadcast),
        // The broadcast may already be running; the response contains the requested state.
        state: 'initiated',
        status: 'initiated',
        numbers: broadcast.numbers,
        duplicates,
        msg: [note, disabled].filter((each) => each !== '').join('; '),
      });
      const receipt = (created: CreatedBroadcast) => keep(answer(created));
      return answer(await api.broadcasts.create({ ...order, broadcastId, projectId }, callees, receipt));
    },
  }),
  voiceRoute('Broadcasts', 'GET', BROADCASTS, {
    summary: 'lists the broadcasts of the project, newest first',
    query: PAGE,
    response: 'broadcast-list',
    errors: ['bad_request'],
    async handle({ projectId, url }, api) {
      const { limit, cursor } = readQuery<PageQuery>(url, PAGE);
      const found = await listed(api, projectId, { limit: limit + 1, after: cursor });
      const page = found.slice(0, limit);
      return defined({
        broadcasts: page.map((broadcast) => ({ ...broadcastBody(broadcast), numbers: broadcast.numbers })),
        next: found.length > limit ? page.at(-1)!.order.broadcastId : undefined,
      });
    },
  }),
  voiceRoute('Broadcasts', 'GET', BROADCAST, {
    summary: 'returns the results of each number, with totals',
    query: REPORT_FILTERS,
    response: 'broadcast-report',
    errors: ['unknown_broadcast', 'bad_request', 'cursor_invalid'],
    async handle({ projectId, params, url, res }, api) {
      const { number: phone, ...query } = readQuery<ReportQuery>(url, REPORT_FILTERS);
      const { app_instance: broadcastId } = params;
      const broadcast = await api.broadcasts.find(projectId, broadcastId);
      const totals = totalsBody(await api.broadcasts.counts(projectId, broadcastId));
      const { rows, next } = await rowsOf(api, projectId, broadcastId, { ...query, phone });
      const head = defined<JsonObject>({ ...broadcastBody(broadcast), totals, next, timestamp: timestampOf(api) });
      // The rows are already serialised, so that a page is not serialised twice.
      const text = `${JSON.stringify(head).slice(0, -1)},"result_set":[${rows.join(',')}]}`;
      res.type('json').send(text);
      return undefined;
    },
  }),
  voiceRoute('Broadcasts', 'DELETE', BROADCAST, {
    summary: 'stops a broadcast: no further numbers are dialled',
    optionalBody: 'broadcast-stop',
    query: STOP_OPTIONS,
    response: 'broadcast',
    errors: ['unknown_broadcast'],
    async handle({ projectId, params, body, url, holdEvents }, api) {
      const { app_instance: broadcastId } = params;
      const { hangUp } = readStop(body, url);
      await api.broadcasts.find(projectId, broadcastId);
      holdEvents(broadcastId);
      if (hangUp) for (const callId of api.broadcasts.liveCalls(broadcastId)) holdEvents(callId);
      const broadcast = await api.broadcasts.stop(projectId, broadcastId, { hangUp });
      return { ...broadcastAbout(broadcast), status: 'success', numbers: broadcast.numbers };
    },
  }),
  PLAY,
  CONNECT,
  voiceRoute('Broadcasts', 'DELETE', CALL, {
    summary: 'hangs up one call of a broadcast',
    response: 'broadcast-call',
    errors: ['unknown_broadcast', 'unknown_call', 'ended'],
    async handle({ projectId, params }, { calls, broadcasts }) {
      const { app_instance: broadcastId, voice_id: callId } = params;
      await broadcasts.callOf(projectId, broadcastId, callId);
      const { record } = await commandCall({ projectId, callId }, HANG_UP, calls);
      const { from, to } = record;
      return { ...broadcastIds(broadcastId), voice_id: callId, state: 'success', status: 'success', from, to };
    },
  }),
  aliasOf(PLAY, 'POST'),
  aliasOf(CONNECT, 'POST'),
  aliasOf(PLAY, 'POST', BROADCAST, actionInBody),
  aliasOf(PLAY, 'PUT', `${BROADCAST}/play`, playInBody),
  aliasOf(PLAY, 'POST', `${BROADCAST}/play`, playInBody),
];

/** Adds the name of the requested broadcast to errors. */
function describeApplication(res: Response, body: Json | undefined): void {
  if (!isObject(body)) return;
  const name = body['application_name'] ?? body['name'] ?? body['applicationName'];
  if (typeof name === 'string') errorContextOf(res).application = { application_name: name.slice(0, MAX_ECHO) };
}

/** Each broadcast is read with its order, which may contain a flow. */
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
    const part = await broadcasts.list(defined({ projectId, limit: wanted, after: last }));
    found.push(...part);
    if (part.length < wanted || found.length === limit) return found;
    last = part.at(-1)!.order.broadcastId;
    await rest();
  }
}

/** Number of rows read and serialised at once. */
const ROWS_AT_ONCE = 500;

/** Serialises a page in parts, between which the event loop serves calls. */
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
    const part = await broadcasts.report(projectId, broadcastId, {
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
