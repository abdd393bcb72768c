/**
 * Errors of the API: one table from code to HTTP status and `result`, and the error body in each format. `result` is
 * the documented code if there is one, otherwise the HTTP status.
 */
import {
  CallError,
  type CallErrorCode,
  CodedError,
  type ErrorDetails,
  type InvalidNumber,
} from '../calls/call-error.ts';
import { defined, type JsonObject } from '../core/json.ts';
import { WriteError } from '../core/write-error.ts';
import { RoomError, type RoomErrorCode } from '../rooms/room-error.ts';

export type ApiErrorCode =
  | CallErrorCode
  | RoomErrorCode
  | 'bad_json'
  | 'bad_request'
  | 'unauthorized'
  | 'unknown_route'
  | 'method_not_allowed'
  | 'too_large'
  | 'range_refused'
  | 'precondition_required'
  | 'unsupported_encoding'
  | 'unsupported_type'
  | 'reads_only'
  | 'foreign_origin'
  | 'quarantined'
  | 'stream_refused'
  | 'stream_gone'
  | 'room_name_missing'
  | 'room_owner_missing'
  | 'room_recording_invalid'
  | 'room_talkers_invalid'
  | 'room_wait_invalid'
  | 'room_quality_invalid'
  | 'room_mode_invalid'
  | 'room_knock_invalid'
  | 'user_name_missing'
  | 'user_ref_missing'
  | 'role_missing'
  | 'date_malformed'
  | 'archive_file_unknown'
  | 'node_lost'
  | 'conf_num_missing'
  | 'room_id_missing'
  | 'room_missing'
  | 'room_inactive'
  | 'room_user_unknown'
  | 'to_date_missing'
  | 'internal';

export interface ApiErrorRow {
  status: number;
  result: number;
  /** Description for the documentation. */
  when: string;
  /** `result` in the video API, if it differs. */
  videoResult?: number;
}

const row = (status: number, when: string, result: number = status): ApiErrorRow => ({ status, result, when });
const inVideo = (videoResult: number, common: ApiErrorRow): ApiErrorRow => ({ ...common, videoResult });

export const API_ERRORS: Readonly<Record<ApiErrorCode, ApiErrorRow>> = {
  bad_json: row(400, 'the body is not valid JSON'),
  bad_request: row(400, 'the request is not valid; `hint` says what to do'),
  media_failed: row(400, 'a prompt for a call that has ended'),
  unknown_prompt: row(400, 'there is no prompt of this name'),
  text_too_long: row(400, 'the text is too long to be spoken'),
  speech_option_invalid: row(400, '`text_to_speech_option` says what no voice can do'),
  target_refused: row(400, 'this address may not be used'),
  address_invalid: row(400, 'not a number, SIP URI or user that can be called'),
  cli_not_assigned: row(400, 'a call out: `from` is not a number of the project', 6118),
  numbers_invalid: row(
    400,
    'numbers of a list that cannot be called, or wrong input for them; `numbers` names them all',
  ),
  cursor_invalid: row(400, 'a list: `cursor` is not the `next` of an earlier page'),
  room_name_missing: row(400, '`name` of the room is missing or wrong', 10002),
  room_owner_missing: row(400, '`owner_ref` is missing or wrong', 10010),
  room_scheduled_invalid: row(400, '`scheduled` is wrong', 10003),
  room_time_missing: row(400, '`scheduled_time` of a scheduled room is missing', 10004),
  room_time_malformed: row(400, '`scheduled_time` is not a moment', 10005),
  room_time_past: row(400, '`scheduled_time` is in the past', 10006),
  room_participants_invalid: row(400, '`participants` is wrong, or more than such a room takes', 10007),
  room_recording_invalid: row(400, '`auto_recording` is wrong', 10008),
  room_duration_invalid: row(400, '`duration` is missing or wrong', 10011),
  room_talkers_invalid: row(400, '`max_active_talkers` is wrong', 10012),
  room_wait_invalid: row(400, '`wait_for_moderator` is wrong', 10013),
  room_quality_invalid: row(400, '`quality` is wrong', 10014),
  room_adhoc_invalid: row(400, '`adhoc` is wrong', 10016),
  room_setting_misplaced: row(400, 'a key of `settings` is not for rooms of this type', 10018),
  room_mode_invalid: row(400, '`mode` is wrong', 10019),
  room_quality_refused: row(400, '`quality` is better than rooms may have here', 10021),
  room_moderators_invalid: row(400, '`moderators` is wrong, or more than people', 10022),
  room_knock_invalid: row(400, '`knock` is wrong', 10025),
  room_type_fixed: row(400, 'the type of a room may not be changed', 10106),
  user_name_missing: row(400, '`name` of the person is missing or wrong', 10101),
  user_ref_missing: row(400, '`user_ref` is missing or wrong', 10102),
  date_malformed: row(400, 'a day is not one', 10005),
  conf_num_missing: row(400, '`conf_num` is missing in the path', 10201),
  room_missing: row(400, '`room_id` is missing in the path of a room', 10001),
  room_id_missing: row(400, '`room_id` is missing in the path', 10202),
  to_date_missing: row(400, '`to_date` is missing in the path', 10203),
  role_missing: row(400, '`role` is missing', 10103),
  role_invalid: row(400, '`role` is none, or none of this room', 10104),
  audience_unavailable: row(503, 'nothing can be shown to an audience here'),
  unauthorized: inVideo(40002, row(401, 'credentials are missing or wrong')),
  stream_refused: row(403, 'the address of a live stream is not good here, or not any more'),
  reads_only: row(403, 'the token may read, and change nothing'),
  foreign_origin: row(403, 'a browser page of another origin may not change anything'),
  unknown_call: row(404, 'no such call, or it is another project’s'),
  unknown_recording: row(404, 'no such recording, or it is another project’s'),
  unknown_play: row(404, 'no such play in this call, or its sound is gone'),
  unknown_conference: row(404, 'no such conference, or it is another project’s'),
  unknown_callback: row(404, 'no such callback, or it is another project’s, or it is over'),
  unknown_room: row(404, 'no such room, or it is another project’s'),
  unknown_session: row(404, 'no such session of a room, or it is another project’s'),
  archive_file_unknown: row(404, 'no such file of an archive, or it is another project’s'),
  room_user_unknown: row(404, 'nobody of this `call_num` is in the room'),
  room_unknown: row(404, 'no such room, or it is another project’s', 40001),
  stream_gone: row(404, 'who watched a live stream has left, or there is no such part of it'),
  unknown_broadcast: row(404, 'no such broadcast, or it is another project’s'),
  no_service: row(404, 'there is no route to the number, or the service cannot do this', 6110),
  number_not_found: row(404, 'a call that is up: `from` is not a number of the project', 6118),
  unknown_flow: row(404, 'there is no such flow', 6110),
  unknown_setting: row(404, 'there is nothing of this name'),
  unknown_route: row(404, 'there is no such route'),
  method_not_allowed: row(405, 'the route takes other methods; `Allow` names them'),
  media_refused: row(405, 'the call is bridged: nothing can be played', 6112),
  voice_not_supported: row(406, 'the voice or the language is not available', 6117),
  play_pending: row(408, 'another prompt is playing, or waits to be played', 6114),
  already_recording: row(408, 'the call is already being recorded'),
  ringing: row(409, 'the call is ringing'),
  detecting: row(409, 'machine detection is running'),
  prompt_playing: row(409, 'a prompt is being played'),
  bridging: row(409, 'the call is being connected'),
  bridged: row(409, 'the call is bridged'),
  transferring: row(409, 'the call is being transferred'),
  in_conference: row(409, 'the call is in a conference'),
  in_room: row(409, 'the call is in a room'),
  in_queue: row(409, 'the call is in a queue'),
  not_playing: row(409, 'nothing is being played'),
  not_bridged: row(409, 'the call is not bridged'),
  not_recording: row(409, 'the call is not being recorded'),
  recording_name_taken: row(409, 'there is a recording of this name'),
  already_streaming: row(409, 'the call is already being streamed'),
  not_streaming: row(409, 'the call is not being streamed'),
  unknown_outcome: row(409, 'the current step does not have this outcome'),
  conference_over: row(409, 'the conference has ended'),
  not_accepted_here: row(409, 'the flow of the call does not accept this at the moment'),
  room_active: row(409, 'a session goes on in the room, or its time is near', 10030),
  room_over: row(409, 'the time of the room is over', 10111),
  room_not_open: row(409, 'the time of the room has not come', 10112),
  room_full: row(409, 'the room is full', 10114),
  room_inactive: row(409, 'no session goes on in the room', 10113),
  already_answered: row(409, 'the call is answered'),
  ended: row(409, 'the call has ended'),
  configured: row(409, 'it is set in the configuration file, which the API does not change'),
  in_use: row(409, 'something else uses it, or has its name'),
  still_live: row(409, 'the call or the session goes on, or the recording is being made: it can be deleted afterwards'),
  read_only: row(409, 'it comes with the program, or is a link: it cannot be changed here'),
  superseded: row(409, 'a newer request of the same session took its place'),
  changed_meanwhile: row(412, 'somebody else has changed it: `current` is what is there now'),
  text_too_large: row(413, 'the text is larger than a flow may be'),
  too_large: row(413, 'the body is too large'),
  unsupported_encoding: row(415, 'the encoding of the body is not supported'),
  unsupported_type: row(415, 'the body was not sent as `application/json`'),
  range_refused: row(416, 'the file has no such part'),
  config_invalid: row(422, 'the configuration cannot be used; `diagnostics` say where, and nothing has changed'),
  text_malformed: row(422, 'the text, or the file, is not valid UTF-8'),
  audio_malformed: row(422, 'the sound file cannot be used'),
  flow_invalid: row(422, 'the flow in the body does not compile; `diagnostics` say where'),
  script_invalid: row(422, 'the acts or mocks are not written as those of a test; the message says where'),
  input_invalid: row(422, 'the flow does not accept this input'),
  key_reused: row(422, 'the `Idempotency-Key` was used for another request'),
  precondition_required: row(428, 'it needs `If-Match` with the `ETag` of what it changes, or `If-None-Match: *`'),
  too_many_requests: row(429, 'too many requests; `Retry-After` says when'),
  project_full: row(429, 'the project has as many calls as it may; `Retry-After` says when to try again'),
  internal: inVideo(50000, row(500, 'an internal error')),
  recording_failed: row(500, 'the recording could not be started: its file cannot be opened', 6119),
  overloaded: row(
    503,
    'the service takes no call now, or is at its limit of them; `Retry-After` says when to try again',
  ),
  quarantined: row(503, 'the service was started with --quarantine: it can be looked at, and changes nothing'),
  service_draining: row(503, 'the service drains: no session of a room begins'),
  workbench_busy: row(
    503,
    'it took too long to be checked or tried, or could not be; `Retry-After` says when to try again',
  ),
  node_lost: row(503, 'the node that has it is lost or cannot be reached; `Retry-After` says when to try again'),
  store_failing: row(503, 'nothing can be stored at the moment; `Retry-After` says when to try again'),
  speech_failed: row(
    503,
    'the text could not be synthesised within half a second; a later failure is reported by the event `failed` of the prompt',
    6107,
  ),
};

export class ApiError extends CodedError<ApiErrorCode> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ApiErrorCode,
    message: string,
    { headers = {}, ...details }: ErrorDetails & { headers?: Record<string, string> } = {},
  ) {
    super(code, message, details);
    this.status = API_ERRORS[code].status;
    this.headers = headers;
  }
}

/** In seconds. The store is probed more often than that. */
const RETRY_SOON = { 'retry-after': '5' };
const RETRIED: Partial<Record<CallErrorCode, Record<string, string>>> = {
  too_many_requests: { 'retry-after': '1' },
  overloaded: { 'retry-after': '1' },
  project_full: { 'retry-after': '1' },
  store_failing: RETRY_SOON,
  workbench_busy: RETRY_SOON,
};

/** Converts any thrown value to an API error. Internal errors do not contain details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CallError) {
    const { code, message, hint, diagnostics, invalidNumbers, current, live } = error;
    const headers = RETRIED[code] ?? {};
    return new ApiError(code, message, defined({ hint, diagnostics, invalidNumbers, current, live, headers }));
  }
  if (error instanceof RoomError) return new ApiError(error.code, error.message, { hint: error.hint });
  if (error instanceof WriteError) return new ApiError('store_failing', error.message, { headers: RETRY_SOON });
  return bodyParserError(error) ?? new ApiError('internal', 'internal server error');
}

export const badJson = (why: string): ApiError =>
  new ApiError('bad_json', 'the body is not valid JSON', { hint: `${why}; strings and keys take "…"` });

/** Errors of the body parser have a `type`; a path that cannot be decoded has status 400. */
function bodyParserError(error: unknown): ApiError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, status, limit } = error as { type?: unknown; status?: unknown; limit?: unknown };
  switch (type) {
    case 'entity.parse.failed':
      return badJson(error.message);
    case 'entity.too.large':
      return new ApiError('too_large', `the body is larger than ${String(limit)} bytes`);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ApiError('unsupported_encoding', error.message);
    default:
      return status === 400 ? new ApiError('bad_request', 'the request is malformed') : undefined;
  }
}

export type ErrorFormat = 'voice' | 'broadcast' | 'video' | 'service';

/** Subject of the request, where known at the time of the error. */
export interface ErrorContext {
  format: ErrorFormat;
  voiceId?: string;
  from?: string;
  to?: string;
  /** Fields of the broadcast. */
  application?: JsonObject;
  /** True if responses of the route contain `playstate`. */
  play?: boolean;
}

const MAX_VALUE_LENGTH = 100;

const invalidNumberBody = ({ index, value, message }: InvalidNumber): JsonObject => ({
  index,
  value: value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value,
  message,
});

export function errorBody(error: ApiError, context: ErrorContext, timestamp: string): JsonObject {
  const { message, hint, diagnostics, invalidNumbers, current, live } = error;
  const { result, videoResult = result } = API_ERRORS[error.code];
  const { format, voiceId, play } = context;
  const details: JsonObject = defined({
    hint,
    diagnostics: diagnostics.length === 0 ? undefined : diagnostics.map((one) => ({ ...one })),
    numbers: invalidNumbers.length === 0 ? undefined : invalidNumbers.map(invalidNumberBody),
    current,
    live: live.length === 0 ? undefined : [...live],
    timestamp,
  });
  const playstate = play ? 'failed' : undefined;
  if (format === 'service') return { result, msg: message, state: 'failed', ...details };
  if (format === 'video') {
    const short = error.code.replaceAll('_', ' ');
    return defined({ result: videoResult, error: short, desc: message, hint, timestamp });
  }
  if (format === 'broadcast') {
    return defined({
      ...context.application,
      voice_id: voiceId,
      description: voiceId === undefined ? undefined : message,
      state: 'failed',
      playstate,
      error_description: message,
      result,
      ...details,
    });
  }
  return defined({
    result,
    msg: message,
    state: 'failed',
    playstate,
    status: 'failed',
    voice_id: voiceId ?? '',
    from: context.from ?? '',
    to: context.to ?? '',
    ...details,
  });
}
