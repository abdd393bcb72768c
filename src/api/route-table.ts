/**
 * Every route there is, once: the description at `/openapi.json`, the page `docs/rest.md` and the labels of metrics are made
 * of this table, and tests prove that it says neither more nor less than the service does.
 */
import { ADMIN_ROUTES } from './admin/route-table.ts';
import type { ApiErrorCode } from './api-error.ts';
import { LARGEST_REPORT } from './query-parameters.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRoute {
  method: HttpMethod;
  /** With `{names}`. */
  path: string;
  tag: 'Calls' | 'Conferences' | 'Rooms' | 'Recordings' | 'Broadcasts' | 'Administration' | 'Service';
  summary: string;
  /** Whose credentials it takes. */
  auth: 'project' | 'admin' | 'admin or this machine' | 'anybody';
  body?: RequestBodySpec;
  query?: readonly QueryParameter[];
  response: ResponseSpec;
  /** What may be wrong, beside what `COMMON_PROBLEMS` says. */
  errors: readonly ApiErrorCode[];
  /** It dials, and counts once with an `Idempotency-Key`. */
  isIdempotent?: true;
  /** Another spelling of a row: taken, but not shown. */
  isAlias?: boolean;
}

export interface RequestBodySpec {
  /** A schema of `schemas/api/`. */
  schema?: string;
  isRequired: boolean;
  /** Files that it may be instead. */
  files?: readonly string[];
}

export interface ResponseSpec {
  status: number;
  /** A schema of `schemas/api/`. */
  schema?: string;
  /** The answer has a list of them, under this key. */
  list?: string;
  /** In place of JSON. */
  mediaType?: string;
  /** Another status that says the same in other circumstances. */
  alternativeStatus?: number;
  says?: string;
}

export interface QueryParameter {
  name: string;
  description: string;
  schema: { type: 'string' | 'integer'; minimum?: number; maximum?: number; enum?: string[]; format?: string };
}

/** Of every route that needs credentials. */
export const COMMON_ERRORS: readonly ApiErrorCode[] = ['unauthorized', 'too_many_requests', 'internal'];
/** Of every route that takes a body. */
export const BODY_ERRORS: readonly ApiErrorCode[] = [
  'bad_json',
  'bad_request',
  'too_large',
  'unsupported_encoding',
  'unsupported_type',
];
/** Of every route that changes something: a body that it does not ask for is read too. */
export const WRITE_ERRORS: readonly ApiErrorCode[] = [
  'foreign_origin',
  'store_failing',
  'bad_json',
  'too_large',
  'unsupported_encoding',
  'unsupported_type',
];
/** Of every route with a name in its path, which may be one that cannot be read. */
export const PATH_ERRORS: readonly ApiErrorCode[] = ['bad_request'];

export const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  voice_id: 'The call.',
  recording_id: 'The recording.',
  service_id: 'Ignored.',
  conference_id: 'The conference.',
  room_id: 'The room.',
  app_instance: 'The broadcast.',
  app_id: 'The project.',
  number: 'The number, with or without the marks between its digits.',
  name: 'Its name.',
  language: 'A language tag such as en-US, or `default`.',
  route_id: 'Its id, chosen when it is made.',
  event_id: 'The event, `webhook-id` of its deliveries.',
};

const LIST_PARAMETERS: readonly QueryParameter[] = [
  { name: 'limit', description: 'How many; 100 when not said.', schema: { type: 'integer', minimum: 1, maximum: 500 } },
  { name: 'cursor', description: '`next` of the page before.', schema: { type: 'string' } },
  { name: 'direction', description: 'Which way.', schema: { type: 'string', enum: ['Inbound', 'Outbound'] } },
  { name: 'state', description: 'As events tell it.', schema: { type: 'string' } },
  { name: 'from', description: 'Who calls.', schema: { type: 'string' } },
  { name: 'to', description: 'Who is called.', schema: { type: 'string' } },
  { name: 'flow', description: 'The flow it began with.', schema: { type: 'string' } },
  { name: 'owner_ref', description: 'As it was given.', schema: { type: 'string' } },
  { name: 'app_instance', description: 'The broadcast that made it.', schema: { type: 'string' } },
  { name: 'started_from', description: 'Began then or later; ISO 8601.', schema: { type: 'string' } },
  { name: 'started_to', description: 'Began then or earlier; ISO 8601.', schema: { type: 'string' } },
];

const SOUND: readonly ApiErrorCode[] = [
  'unknown_prompt',
  'text_too_long',
  'speech_option_invalid',
  'voice_not_supported',
  'speech_failed',
];
/** Of what a call does when it is answered. */
const ACTION: readonly ApiErrorCode[] = [
  'target_refused',
  'unknown_room',
  'unknown_flow',
  'flow_invalid',
  'input_invalid',
];
const OF_LIVE_CALL: readonly ApiErrorCode[] = ['unknown_call', 'not_accepted_here', 'ended'];
/** What goes on, for an order that does not fit it. */
const ELSEWHERE: readonly ApiErrorCode[] = ['ringing', 'detecting', 'bridging', 'in_conference', 'in_room', 'in_queue'];
const OCCUPIED: readonly ApiErrorCode[] = [...ELSEWHERE, 'prompt_playing', 'bridged'];
const DIAL: readonly ApiErrorCode[] = ['address_invalid', 'cli_not_assigned', 'no_service', 'overloaded'];
const DIAL_FROM_CALL: readonly ApiErrorCode[] = [...OF_LIVE_CALL, 'address_invalid', 'number_not_found', 'no_service'];

const CALL = '/voice/v1/call';
const ONE_CALL = `${CALL}/{voice_id}`;
const CONFERENCE = '/voice/v1/conference';
const ROOM = '/voice/v1/room/{room_id}';
const BROADCAST = '/voice/v1/broadcast';
const DO_NOT_CALL = '/voice/v1/do-not-call';

type Row = Omit<ApiRoute, 'auth' | 'method' | 'path' | 'tag' | 'response'> & { answer: string | ResponseSpec };

const row = (tag: ApiRoute['tag'], method: HttpMethod, path: string, { answer, ...more }: Row): ApiRoute => ({
  tag,
  method,
  path,
  auth: 'project',
  response: typeof answer === 'string' ? { status: 200, schema: `responses/${answer}` } : answer,
  ...more,
});

const body = (schema: string, isRequired = true): { body: RequestBodySpec } => ({ body: { schema, isRequired } });

const CALL_ROUTES: ApiRoute[] = [
  row('Calls', 'POST', CALL, {
    isIdempotent: true,
    summary: 'dials out',
    ...body('dial-out'),
    answer: 'call',
    errors: [...DIAL, ...SOUND, ...ACTION],
  }),
  row('Calls', 'GET', CALL, {
    summary: 'lists the calls of the project, the newest first',
    query: LIST_PARAMETERS,
    answer: 'call-list',
    errors: ['bad_request'],
  }),
  row('Calls', 'GET', ONE_CALL, {
    summary: 'says where a call is: `state`, `direction`, and while it lives `flow` and `step`',
    answer: 'analysis',
    errors: ['unknown_call'],
  }),
  row('Calls', 'PUT', `${ONE_CALL}/play`, {
    summary: 'plays a prompt, or asks for digits or speech',
    ...body('play'),
    answer: 'play',
    errors: [
      ...SOUND,
      ...OF_LIVE_CALL.filter((code) => code !== 'ended'),
      ...ELSEWHERE,
      'media_failed',
      'media_refused',
      'play_pending',
      'no_service',
    ],
  }),
  row('Calls', 'DELETE', `${ONE_CALL}/play`, {
    summary: 'ends the prompt that is played, or that waits to be',
    answer: 'play-end',
    errors: [...OF_LIVE_CALL, 'not_playing'],
  }),
  row('Calls', 'PUT', `${ONE_CALL}/connect`, {
    isIdempotent: true,
    summary: 'bridges the call to somebody else; a prompt ends for it, a conference or a room is left',
    ...body('connect'),
    answer: 'connect',
    errors: [...DIAL_FROM_CALL, ...OCCUPIED],
  }),
  row('Calls', 'PUT', `${ONE_CALL}/transfer`, {
    summary: 'connects the caller of a bridged call with somebody else, once they answer',
    ...body('transfer'),
    answer: 'transfer',
    errors: [...DIAL_FROM_CALL, 'not_bridged', 'transferring'],
  }),
  row('Calls', 'PUT', `${ONE_CALL}/forward`, {
    summary: 'the same, and lets the old party go at once',
    ...body('forward'),
    answer: 'transfer',
    errors: [...DIAL_FROM_CALL, 'not_bridged', 'transferring'],
  }),
  row('Calls', 'POST', `${ONE_CALL}/hold`, {
    summary: 'puts the call on hold, or takes it back',
    ...body('hold'),
    answer: 'hold',
    errors: [...OF_LIVE_CALL, 'ringing', 'unknown_prompt'],
  }),
  row('Calls', 'PUT', `${ONE_CALL}/recording`, {
    summary: 'starts the recording of a bridged call; pauses or stops one in any state of the call',
    ...body('recording', false),
    answer: 'recording',
    errors: [
      ...OF_LIVE_CALL,
      'not_bridged',
      'ringing',
      'already_recording',
      'not_recording',
      'recording_name_taken',
      'recording_failed',
    ],
  }),
  row('Calls', 'PUT', `${ONE_CALL}/stream`, {
    summary: 'forks the sound of a bridged call to a web socket',
    ...body('stream'),
    answer: { status: 201, schema: 'responses/stream' },
    errors: [...OF_LIVE_CALL, 'not_bridged', 'ringing', 'already_streaming', 'target_refused', 'no_service'],
  }),
  row('Calls', 'DELETE', `${ONE_CALL}/stream`, {
    summary: 'ends that, in any state of the call',
    answer: { status: 201, schema: 'responses/call' },
    errors: [...OF_LIVE_CALL, 'not_streaming'],
  }),
  row('Calls', 'POST', `${ONE_CALL}/accept`, {
    summary: 'answers an incoming call that waits for it',
    answer: 'call',
    errors: [...OF_LIVE_CALL, 'already_answered'],
  }),
  row('Calls', 'POST', `${ONE_CALL}/event`, {
    summary: "gives the call's flow an event",
    ...body('event'),
    answer: 'call',
    errors: OF_LIVE_CALL,
  }),
  row('Calls', 'DELETE', ONE_CALL, { summary: 'hangs up', answer: 'call', errors: ['unknown_call', 'ended'] }),
  row('Recordings', 'GET', '/voice/v1/recording/{recording_id}', {
    summary: 'is the file of a recording: WAV, whole or in parts (`Range`)',
    answer: { status: 200, mediaType: 'audio/wav' },
    errors: ['unknown_recording', 'range_refused'],
  }),
];

const rowOf = (method: HttpMethod, path: string): ApiRoute =>
  CALL_ROUTES.find((one) => one.method === method && one.path === path)!;

const CONFERENCE_ROUTES: ApiRoute[] = [
  row('Conferences', 'POST', CONFERENCE, {
    isIdempotent: true,
    summary: 'makes a conference, and dials its first member',
    ...body('conference'),
    answer: 'conference-call',
    errors: [...DIAL, 'target_refused'],
  }),
  row('Conferences', 'PUT', `${CONFERENCE}/{conference_id}`, {
    isIdempotent: true,
    summary: 'dials another member',
    ...body('conference-join'),
    answer: 'conference-call',
    errors: [...DIAL, 'target_refused', 'unknown_conference', 'conference_over'],
  }),
  row('Conferences', 'POST', `${CONFERENCE}/{voice_id}`, {
    summary: 'makes a conference of a call, which is accepted where it waits for that; as `connect` it ends prompts',
    ...body('conference', false),
    answer: 'conference-call',
    errors: [...OF_LIVE_CALL, ...OCCUPIED],
  }),
  row('Conferences', 'PUT', `${CONFERENCE}/{voice_id}/{conference_id}`, {
    summary: 'takes a call into a conference, accepted in the same way',
    ...body('conference-join', false),
    answer: 'conference-call',
    errors: [...OF_LIVE_CALL, ...OCCUPIED, 'unknown_conference', 'conference_over'],
  }),
  row('Conferences', 'GET', `${CONFERENCE}/{conference_id}`, {
    summary: 'shows it and its participants, until an hour after its end',
    answer: 'conference',
    errors: ['unknown_conference'],
  }),
  row('Conferences', 'PUT', `${CONFERENCE}/{conference_id}/participant/{voice_id}`, {
    summary: 'mutes or holds a member',
    ...body('participant'),
    answer: 'conference',
    errors: ['unknown_conference', 'unknown_call', 'conference_over'],
  }),
  row('Conferences', 'DELETE', `${CONFERENCE}/{conference_id}`, {
    summary: 'ends it; calls that were made for it are hung up',
    answer: 'conference',
    errors: ['unknown_conference', 'conference_over'],
  }),
  row('Rooms', 'POST', `${ROOM}/join`, {
    isIdempotent: true,
    summary: 'dials out, and joins a room on connect',
    ...body('room-join'),
    answer: 'call',
    errors: [...DIAL, 'target_refused', 'unknown_room'],
  }),
  row('Rooms', 'PUT', `${ROOM}/call/{voice_id}/join`, {
    summary: 'takes a call into a room, accepted in the same way',
    ...body('room-join', false),
    answer: 'call',
    errors: [...OF_LIVE_CALL, ...OCCUPIED, 'unknown_room'],
  }),
];

const ONE_BROADCAST = `${BROADCAST}/{app_instance}`;
const BROADCAST_CALL = `${ONE_BROADCAST}/call/{voice_id}`;
const OF_BROADCAST: readonly ApiErrorCode[] = ['unknown_broadcast'];
const PAGE_PARAMETERS: readonly QueryParameter[] = LIST_PARAMETERS.slice(0, 2);
const REPORT_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'limit',
    description: 'How many; 10,000 when not said, 0 for the totals alone.',
    schema: { type: 'integer', minimum: 0, maximum: LARGEST_REPORT },
  },
  PAGE_PARAMETERS[1]!,
  {
    name: 'state',
    description: 'Where they stand.',
    schema: { type: 'string', enum: ['queued', 'ringing', 'connected', 'disconnected'] },
  },
  { name: 'code', description: 'Of their result.', schema: { type: 'string', enum: ['success', 'failed'] } },
  { name: 'reason', description: 'Of their result.', schema: { type: 'string' } },
  { name: 'number', description: 'One of them.', schema: { type: 'string' } },
];

const BROADCAST_ROUTES: ApiRoute[] = [
  row('Broadcasts', 'POST', BROADCAST, {
    isIdempotent: true,
    summary: 'calls many numbers, up to 100,000',
    ...body('broadcast'),
    answer: 'broadcast',
    errors: [...DIAL, ...SOUND, ...ACTION, 'numbers_invalid'],
  }),
  row('Broadcasts', 'GET', BROADCAST, {
    summary: 'lists the broadcasts of the project, the newest first',
    query: PAGE_PARAMETERS,
    answer: 'broadcast-list',
    errors: ['bad_request'],
  }),
  row('Broadcasts', 'GET', ONE_BROADCAST, {
    summary: 'reports each number, and how many there are of each kind',
    query: REPORT_PARAMETERS,
    answer: 'broadcast-report',
    errors: [...OF_BROADCAST, 'bad_request', 'cursor_invalid'],
  }),
  row('Broadcasts', 'DELETE', ONE_BROADCAST, {
    summary: 'stops it: nothing new is dialled',
    ...body('broadcast-stop', false),
    answer: 'broadcast',
    errors: OF_BROADCAST,
  }),
  row('Broadcasts', 'PUT', `${BROADCAST_CALL}/play`, {
    summary: 'plays to one call of it',
    ...body('play'),
    answer: { status: 202, schema: 'responses/broadcast-play' },
    errors: [...OF_BROADCAST, ...rowOf('PUT', `${ONE_CALL}/play`).errors],
  }),
  row('Broadcasts', 'PUT', `${BROADCAST_CALL}/connect`, {
    isIdempotent: true,
    summary: 'bridges one call of it to somebody else',
    ...body('connect'),
    answer: { status: 202, schema: 'responses/broadcast-connect' },
    errors: [...OF_BROADCAST, ...rowOf('PUT', `${ONE_CALL}/connect`).errors],
  }),
  row('Broadcasts', 'DELETE', BROADCAST_CALL, {
    summary: 'hangs one call of it up',
    answer: 'broadcast-call',
    errors: [...OF_BROADCAST, 'unknown_call', 'ended'],
  }),
  row('Broadcasts', 'GET', DO_NOT_CALL, {
    summary: 'lists the numbers that no broadcast of the project calls',
    query: PAGE_PARAMETERS,
    answer: 'do-not-call-list',
    errors: ['bad_request', 'cursor_invalid'],
  }),
  row('Broadcasts', 'POST', DO_NOT_CALL, {
    summary: 'puts numbers on that list; those that are there already stay',
    ...body('do-not-call'),
    answer: 'do-not-call-added',
    errors: ['numbers_invalid'],
  }),
  row('Broadcasts', 'GET', `${DO_NOT_CALL}/{number}`, {
    summary: 'tells whether a number is on it: 404 when not',
    answer: 'do-not-call',
    errors: ['unknown_setting'],
  }),
  row('Broadcasts', 'DELETE', `${DO_NOT_CALL}/{number}`, {
    summary: 'takes a number off it',
    answer: 'do-not-call',
    errors: ['unknown_setting'],
  }),
];

const alias = (of: ApiRoute, method: HttpMethod, path = of.path): ApiRoute => ({ ...of, method, path, isAlias: true });
const broadcastRowOf = (method: HttpMethod, path: string): ApiRoute =>
  BROADCAST_ROUTES.find((one) => one.method === method && one.path === path)!;

const ALIASES: ApiRoute[] = [
  alias(rowOf('PUT', `${ONE_CALL}/play`), 'POST'),
  alias(rowOf('PUT', `${ONE_CALL}/connect`), 'POST'),
  alias(rowOf('POST', `${ONE_CALL}/hold`), 'PUT'),
  alias(rowOf('POST', `${ONE_CALL}/accept`), 'PUT'),
  alias(rowOf('PUT', `${ONE_CALL}/play`), 'POST', ONE_CALL),
  alias(rowOf('GET', '/voice/v1/recording/{recording_id}'), 'GET', '/voice/v1/recording/{service_id}/{recording_id}'),
  alias(broadcastRowOf('PUT', `${BROADCAST_CALL}/play`), 'POST', ONE_BROADCAST),
  alias(broadcastRowOf('PUT', `${BROADCAST_CALL}/play`), 'PUT', `${ONE_BROADCAST}/play`),
  alias(broadcastRowOf('PUT', `${BROADCAST_CALL}/play`), 'POST', `${ONE_BROADCAST}/play`),
  alias(broadcastRowOf('PUT', `${BROADCAST_CALL}/play`), 'POST'),
  alias(broadcastRowOf('PUT', `${BROADCAST_CALL}/connect`), 'POST'),
];

const SERVICE_ROUTES: ApiRoute[] = [
  {
    ...row('Service', 'GET', '/health', {
      summary: 'tells whether calls are taken; 503 when not. The administrator and this machine are told why',
      answer: { status: 200, schema: 'responses/health', alternativeStatus: 503 },
      errors: [],
    }),
    auth: 'anybody',
  },
  {
    ...row('Service', 'GET', '/metrics', {
      summary: 'are the figures of the service, for Prometheus',
      answer: { status: 200, mediaType: 'text/plain' },
      errors: ['unauthorized', 'too_many_requests'],
    }),
    auth: 'admin or this machine',
  },
  {
    ...row('Service', 'GET', '/openapi.json', {
      summary: 'is this API, described for programs (OpenAPI 3.1)',
      answer: { status: 200, mediaType: 'application/json' },
      errors: [],
    }),
    auth: 'anybody',
  },
];

export const ROUTES: readonly ApiRoute[] = [
  ...CALL_ROUTES,
  ...CONFERENCE_ROUTES,
  ...BROADCAST_ROUTES,
  ...ALIASES,
  ...ADMIN_ROUTES,
  ...SERVICE_ROUTES,
];

/** Label of a request's route: a word of ours whatever was asked for. */
export const routeLabel = (path: string): string => patternOf(path)?.path ?? 'other';

/** What may be asked of a path; none where there is nothing. */
export function methodsOf(path: string): string[] {
  const found = patternOf(path);
  if (!found) return [];
  const methods = ROUTES.filter((row) => shapeOf(row.path) === shapeOf(found.path)).map(({ method }) => method);
  return [...new Set([...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'])];
}

/** Without the names, which rows of one path may give differently. */
const shapeOf = (path: string): string => path.replace(/\{\w+\}/g, '{}');

function patternOf(path: string): (typeof PATTERNS)[number] | undefined {
  const wanted = path.replace(/^\/voice\/v1\/calls(?=\/|$)/i, '/voice/v1/call').replace(/(?<=.)\/$/, '');
  return PATTERNS.find(({ pattern }) => pattern.test(wanted));
}

/** Those with fewer names first: they are the more special ones. */
const PATTERNS = [...new Set(ROUTES.map(({ path }) => path))]
  .sort((one, other) => one.split('{').length - other.split('{').length)
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
  }));
