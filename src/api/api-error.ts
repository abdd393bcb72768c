/**
 * The errors of the API: one table from code to HTTP status and `result`, and the body of an error in each format.
 * `result` is the documented code where there is one, else the HTTP status again.
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

export type ApiErrorCode =
  | CallErrorCode
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
  | 'foreign_origin'
  | 'internal';

export interface ApiErrorRow {
  status: number;
  result: number;
  /** As the documentation has it. */
  when: string;
}

const row = (status: number, when: string, result: number = status): ApiErrorRow => ({ status, result, when });

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
  unauthorized: row(401, 'credentials are missing or wrong'),
  foreign_origin: row(403, 'a browser page of another origin may not change anything'),
  unknown_call: row(404, 'no such call, or it is another project’s'),
  unknown_recording: row(404, 'no such recording, or it is another project’s'),
  unknown_play: row(404, 'no such play in this call, or its sound is gone'),
  unknown_conference: row(404, 'no such conference, or it is another project’s'),
  unknown_room: row(404, 'no such room, or it is another project’s'),
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
  already_answered: row(409, 'the call is answered'),
  ended: row(409, 'the call has ended'),
  configured: row(409, 'it is set in the configuration file, which the API does not change'),
  in_use: row(409, 'something else uses it, or has its name'),
  read_only: row(409, 'it comes with the program, or is a link: it cannot be changed here'),
  superseded: row(409, 'a newer request of the same session took its place'),
  changed_meanwhile: row(412, 'somebody else has changed it: `current` is what is there now'),
  text_too_large: row(413, 'the text is larger than a flow may be'),
  too_large: row(413, 'the body is too large'),
  unsupported_encoding: row(415, 'the encoding of the body is not supported'),
  unsupported_type: row(415, 'the body was not sent as `application/json`'),
  range_refused: row(416, 'the file has no such part'),
  text_malformed: row(422, 'the text, or the file, is not valid UTF-8'),
  audio_malformed: row(422, 'the sound file cannot be used'),
  flow_invalid: row(422, 'the flow in the body does not compile; `diagnostics` say where'),
  script_invalid: row(422, 'the acts or mocks are not written as those of a test; the message says where'),
  input_invalid: row(422, 'the flow does not accept this input'),
  key_reused: row(422, 'the `Idempotency-Key` was used for another request'),
  precondition_required: row(428, 'it needs `If-Match` with the `ETag` of what it changes, or `If-None-Match: *`'),
  too_many_requests: row(429, 'too many requests; `Retry-After` says when'),
  internal: row(500, 'an internal error'),
  recording_failed: row(500, 'the recording could not be started: its file cannot be opened', 6119),
  overloaded: row(503, 'the service is at its limit of calls'),
  workbench_busy: row(
    503,
    'it took too long to be checked or tried, or could not be; `Retry-After` says when to try again',
  ),
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

/** Seconds; the store is probed more often. */
const RETRY_SOON = { 'retry-after': '5' };
const RETRIED: Partial<Record<CallErrorCode, Record<string, string>>> = {
  too_many_requests: { 'retry-after': '1' },
  store_failing: RETRY_SOON,
  workbench_busy: RETRY_SOON,
};

/** Whatever was thrown, as an error of the API; internal errors do not show details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CallError) {
    const { code, message, hint, diagnostics, invalidNumbers, current } = error;
    const headers = RETRIED[code] ?? {};
    return new ApiError(code, message, defined({ hint, diagnostics, invalidNumbers, current, headers }));
  }
  if (error instanceof WriteError) return new ApiError('store_failing', error.message, { headers: RETRY_SOON });
  return bodyParserError(error) ?? new ApiError('internal', 'internal server error');
}

/** The body parser marks its errors with a `type`; a path that cannot be decoded has status 400. */
function bodyParserError(error: unknown): ApiError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, status, limit } = error as { type?: unknown; status?: unknown; limit?: unknown };
  switch (type) {
    case 'entity.parse.failed':
      return new ApiError('bad_json', 'the body is not valid JSON', {
        hint: `${error.message}; strings and keys take "…"`,
      });
    case 'entity.too.large':
      return new ApiError('too_large', `the body is larger than ${String(limit)} bytes`);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ApiError('unsupported_encoding', error.message);
    default:
      return status === 400 ? new ApiError('bad_request', 'the request is malformed') : undefined;
  }
}

export type ErrorFormat = 'voice' | 'broadcast' | 'service';

/** What the request is about, as far as it is known when it fails. */
export interface ErrorContext {
  format: ErrorFormat;
  voiceId?: string;
  from?: string;
  to?: string;
  /** Of a broadcast. */
  application?: JsonObject;
  /** The route answers with `playstate`. */
  play?: boolean;
}

const MAX_VALUE_LENGTH = 100;

const invalidNumberBody = ({ index, value, message }: InvalidNumber): JsonObject => ({
  index,
  value: value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value,
  message,
});

export function errorBody(error: ApiError, context: ErrorContext, timestamp: string): JsonObject {
  const { message, hint, diagnostics, invalidNumbers, current } = error;
  const { result } = API_ERRORS[error.code];
  const { format, voiceId, play } = context;
  const details: JsonObject = defined({
    hint,
    diagnostics: diagnostics.length === 0 ? undefined : diagnostics.map((one) => ({ ...one })),
    numbers: invalidNumbers.length === 0 ? undefined : invalidNumbers.map(invalidNumberBody),
    current,
    timestamp,
  });
  const playstate = play ? 'failed' : undefined;
  if (format === 'service') return { result, msg: message, state: 'failed', ...details };
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
