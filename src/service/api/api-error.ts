/**
 * Errors of the API: one table from code to HTTP status and `result`, and the error body in each format. `result` is
 * the documented code if there is one, otherwise the HTTP status.
 */
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import { defined, type JsonObject } from '../../base/core/json.ts';
import { WriteError } from '../../base/core/write-error.ts';
import { RoomError, type RoomErrorCode } from '../../media/rooms/room-error.ts';
import {
  CallError,
  type CallErrorCode,
  CodedError,
  type ErrorDetails,
  type FileError,
  type InvalidNumber,
} from '../calls/call-error.ts';

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
  | 'do_not_call'
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
  unknown_prompt: row(400, 'prompt not found'),
  text_too_long: row(400, 'the text is too long to be spoken'),
  speech_option_invalid: row(400, '`text_to_speech_option` contains an unsupported value'),
  target_refused: row(400, 'this address is not allowed'),
  address_invalid: row(400, 'not a valid number, SIP URI or user'),
  cli_not_assigned: row(400, 'outbound call: `from` is not a number of the project', 6118),
  numbers_invalid: row(
    400,
    'the list contains invalid numbers, or invalid input for them; `numbers` lists all of them',
  ),
  cursor_invalid: row(400, '`cursor` is not the `next` of an earlier page'),
  room_name_missing: row(400, '`name` of the room is missing or invalid', 10002),
  room_owner_missing: row(400, '`owner_ref` is missing or invalid', 10010),
  room_scheduled_invalid: row(400, '`scheduled` is invalid', 10003),
  room_time_missing: row(400, '`scheduled_time` of a scheduled room is missing', 10004),
  room_time_malformed: row(400, '`scheduled_time` is not a date and time', 10005),
  room_time_past: row(400, '`scheduled_time` is in the past', 10006),
  room_participants_invalid: row(400, '`participants` is invalid, or above the maximum of this type of room', 10007),
  room_recording_invalid: row(400, '`auto_recording` is invalid', 10008),
  room_duration_invalid: row(400, '`duration` is missing or invalid', 10011),
  room_talkers_invalid: row(400, '`max_active_talkers` is invalid', 10012),
  room_wait_invalid: row(400, '`wait_for_moderator` is invalid', 10013),
  room_quality_invalid: row(400, '`quality` is invalid', 10014),
  room_adhoc_invalid: row(400, '`adhoc` is invalid', 10016),
  room_setting_misplaced: row(400, 'a key of `settings` does not apply to this type of room', 10018),
  room_mode_invalid: row(400, '`mode` is invalid', 10019),
  room_quality_refused: row(400, '`quality` is above the maximum of the configuration', 10021),
  room_moderators_invalid: row(400, '`moderators` is invalid, or above `participants`', 10022),
  room_knock_invalid: row(400, '`knock` is invalid', 10025),
  room_type_fixed: row(400, 'the type of a room cannot be changed', 10106),
  user_name_missing: row(400, '`name` of the participant is missing or invalid', 10101),
  user_ref_missing: row(400, '`user_ref` is missing or invalid', 10102),
  date_malformed: row(400, 'a date is invalid', 10005),
  conf_num_missing: row(400, '`conf_num` is missing in the path', 10201),
  room_missing: row(400, '`room_id` is missing in the path of a room', 10001),
  room_id_missing: row(400, '`room_id` is missing in the path', 10202),
  to_date_missing: row(400, '`to_date` is missing in the path', 10203),
  role_missing: row(400, '`role` is missing', 10103),
  role_invalid: row(400, '`role` is unknown, or not available in this room', 10104),
  audience_unavailable: row(503, 'this service cannot serve an audience'),
  unauthorized: inVideo(40002, row(401, 'credentials are missing or invalid')),
  stream_refused: row(403, 'the URL of a live stream is invalid or expired'),
  reads_only: row(403, 'the token is read-only'),
  not_author: row(403, 'the entry belongs to another person'),
  foreign_origin: row(403, 'browser pages of other origins cannot make changes'),
  unknown_call: row(404, 'call not found in this project'),
  unknown_recording: row(404, 'recording not found in this project'),
  unknown_play: row(404, 'play not found in this call, or its audio was deleted'),
  unknown_conference: row(404, 'conference not found in this project'),
  unknown_callback: row(404, 'active callback not found in this project'),
  unknown_room: row(404, 'room not found in this project'),
  unknown_session: row(404, 'room session not found in this project'),
  archive_file_unknown: row(404, 'archive file not found in this project'),
  room_user_unknown: row(404, 'no participant with this `call_num` is in the room or the lobby'),
  room_unknown: row(404, 'room not found in this project', 40001),
  stream_gone: row(404, 'the viewer has left, or this part of the live stream does not exist'),
  unknown_broadcast: row(404, 'broadcast not found in this project'),
  no_service: row(404, 'no route to the number, or not supported by the service', 6110),
  number_not_found: row(404, 'live call: `from` is not a number of the project', 6118),
  unknown_flow: row(404, 'flow not found', 6110),
  unknown_setting: row(404, 'resource not found'),
  unknown_route: row(404, 'route not found'),
  method_not_allowed: row(405, 'method not allowed; `Allow` lists the methods of the route'),
  media_refused: row(405, 'the call is bridged: prompts cannot be played', 6112),
  voice_not_supported: row(406, 'the voice or the language is not available', 6117),
  play_pending: row(408, 'another prompt is playing or queued', 6114),
  already_recording: row(408, 'the call is already being recorded'),
  ringing: row(409, 'the call is ringing'),
  detecting: row(409, 'machine detection is running'),
  prompt_playing: row(409, 'a prompt is playing'),
  bridging: row(409, 'the call is being connected'),
  bridged: row(409, 'the call is bridged'),
  transferring: row(409, 'the call is being transferred'),
  in_conference: row(409, 'the call is in a conference'),
  in_room: row(409, 'the call is in a room'),
  in_queue: row(409, 'the call is in a queue'),
  not_playing: row(409, 'no prompt is playing'),
  not_bridged: row(409, 'the call is not bridged'),
  not_recording: row(409, 'the call is not being recorded'),
  recording_name_taken: row(409, 'another recording has this name'),
  already_streaming: row(409, 'the call is already being streamed'),
  not_streaming: row(409, 'the call is not being streamed'),
  unknown_outcome: row(409, 'the current step does not have this outcome'),
  conference_over: row(409, 'the conference has ended'),
  not_accepted_here: row(409, 'the flow of the call does not accept this at the moment'),
  room_active: row(409, 'the room has an active session, or its start time is near', 10030),
  room_over: row(409, 'the scheduled time of the room has ended', 10111),
  room_not_open: row(409, 'the room is not open yet', 10112),
  room_full: row(409, 'the room is full', 10114),
  room_inactive: row(409, 'the room has no active session', 10113),
  already_answered: row(409, 'the call is already answered'),
  ended: row(409, 'the call has ended'),
  configured: row(409, 'the entry is in the configuration file, which the API cannot change'),
  in_use: row(409, 'the resource is in use, or its name is taken'),
  list_full: row(409, 'the list has reached its maximum size'),
  do_not_call: row(409, '`to` is on the do-not-call list of the project'),
  last_administrator: row(409, 'without this administrator, no full administrator with a token would be left'),
  still_live: row(
    409,
    'the call or session is still active, or its recording is not finished; delete it after its end',
  ),
  read_only: row(409, 'the file is part of the program, or a symbolic link: it cannot be changed by the API'),
  files_changed: row(
    409,
    'nothing was saved: some of the files were modified; `files` has each of them with its stored version',
  ),
  superseded: row(409, 'replaced by a newer request of the same session'),
  changed_meanwhile: row(412, 'precondition failed: the resource was modified; `current` holds the stored version'),
  text_too_large: row(413, 'the text exceeds the maximum size of a flow'),
  too_large: row(413, 'the body is too large'),
  unsupported_encoding: row(415, 'the encoding of the body is not supported'),
  unsupported_type: row(415, 'the body must be sent as `application/json`'),
  range_refused: row(416, 'the requested range is outside of the file'),
  config_invalid: row(422, 'the configuration is invalid; `diagnostics` has the locations, and nothing was changed'),
  text_malformed: row(422, 'the text, or the file, is not valid UTF-8'),
  audio_malformed: row(422, 'the audio file is invalid or not supported'),
  flow_invalid: row(422, 'the flow in the body does not compile; `diagnostics` has the locations'),
  files_invalid: row(422, 'nothing was saved: some of the files are invalid; `files` has each of them and the reason'),
  script_invalid: row(422, 'the acts or mocks are not valid test syntax; the message has the location'),
  input_invalid: row(422, 'the flow does not accept this input'),
  key_reused: row(422, 'the `Idempotency-Key` was used for another request'),
  precondition_required: row(428, '`If-Match` with the `ETag` of the resource, or `If-None-Match: *`, is required'),
  too_many_requests: row(429, 'too many requests; retry after `Retry-After` seconds'),
  project_full: row(429, 'the project has reached its maximum number of calls; retry after `Retry-After` seconds'),
  internal: inVideo(50000, row(500, 'an internal error')),
  recording_failed: row(500, 'the recording could not be started: its file could not be opened', 6119),
  overloaded: row(503, 'the service accepts no calls now, or has reached its limit; retry after `Retry-After` seconds'),
  quarantined: row(503, 'the service was started with --quarantine: it is read-only'),
  service_draining: row(503, 'the service is draining: room sessions cannot start'),
  workbench_busy: row(503, 'the check or trial took too long or failed; retry after `Retry-After` seconds'),
  node_lost: row(503, 'the owning node is unavailable; retry after `Retry-After` seconds'),
  store_failing: row(503, 'the store is not writable; retry after `Retry-After` seconds'),
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
    const { code, message, hint, diagnostics, invalidNumbers, current, live, files } = error;
    const headers = RETRIED[code] ?? {};
    return new ApiError(code, message, defined({ hint, diagnostics, invalidNumbers, current, live, files, headers }));
  }
  if (error instanceof RoomError) return new ApiError(error.code, error.message, { hint: error.hint });
  if (error instanceof WriteError) return new ApiError('store_failing', error.message, { headers: RETRY_SOON });
  return bodyParserError(error) ?? new ApiError('internal', 'internal server error');
}

export const badJson = (why: string): ApiError =>
  new ApiError('bad_json', 'the body is not valid JSON', { hint: `${why}; write strings and keys in "…"` });

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

const diagnosticsBody = (diagnostics: readonly Diagnostic[]): JsonObject[] | undefined =>
  diagnostics.length === 0 ? undefined : diagnostics.map((one) => ({ ...one }));

const fileErrorBody = ({ flow, test, error: { code, message, hint, diagnostics, current } }: FileError): JsonObject =>
  defined({ flow, test, code, msg: message, hint, diagnostics: diagnosticsBody(diagnostics), current });

export function errorBody(error: ApiError, context: ErrorContext, timestamp: string): JsonObject {
  const { message, hint, diagnostics, invalidNumbers, current, live, files } = error;
  const { result, videoResult = result } = API_ERRORS[error.code];
  const { format, voiceId, play } = context;
  const details: JsonObject = defined({
    hint,
    diagnostics: diagnosticsBody(diagnostics),
    numbers: invalidNumbers.length === 0 ? undefined : invalidNumbers.map(invalidNumberBody),
    current,
    live: live.length === 0 ? undefined : [...live],
    files: files.length === 0 ? undefined : files.map(fileErrorBody),
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
