/** Errors that several routes have in common. */
import type { ApiErrorCode } from './api-error.ts';

type Codes = readonly ApiErrorCode[];

/** Of every route that needs credentials. */
export const COMMON_ERRORS: Codes = ['unauthorized', 'too_many_requests', 'internal'];
/** Of every route that takes a body. */
export const BODY_ERRORS: Codes = ['bad_json', 'bad_request', 'too_large', 'unsupported_encoding', 'unsupported_type'];
/** Of every route that changes something: a body that it does not need is read, too. */
export const WRITE_ERRORS: Codes = [
  'foreign_origin',
  'quarantined',
  'store_failing',
  'bad_json',
  'too_large',
  'unsupported_encoding',
  'unsupported_type',
];
/** Of every route with a parameter in its path, which may be malformed, or name what another node has. */
export const PATH_ERRORS: Codes = ['bad_request', 'node_lost'];

/** Of prompts. */
export const PROMPT_ERRORS: Codes = [
  'unknown_prompt',
  'text_too_long',
  'speech_option_invalid',
  'voice_not_supported',
  'speech_failed',
];
/** Of the action of a call when it is answered. */
export const ACTION_ERRORS: Codes = ['target_refused', 'unknown_room', 'unknown_flow', 'flow_invalid', 'input_invalid'];
/** Of a command for a call. */
export const LIVE_CALL_ERRORS: Codes = ['unknown_call', 'not_accepted_here', 'ended'];
/** What the call is doing, and does not leave for a prompt. */
const BUSY_ERRORS: Codes = ['ringing', 'detecting', 'bridging', 'in_conference', 'in_room', 'in_queue'];
/** What the call is doing, and does not leave for a bridge, a conference or a room. */
export const OCCUPIED_ERRORS: Codes = [...BUSY_ERRORS, 'prompt_playing', 'bridged'];
/** Of a new call. */
export const DIAL_ERRORS: Codes = ['address_invalid', 'cli_not_assigned', 'no_service', 'project_full', 'overloaded'];
/** Of a party that is dialled for a call that is up. */
export const DIAL_FROM_CALL_ERRORS: Codes = [...LIVE_CALL_ERRORS, 'address_invalid', 'number_not_found', 'no_service'];
/** Of a prompt on a call that is up. */
export const PLAY_ERRORS: Codes = [
  ...PROMPT_ERRORS,
  ...LIVE_CALL_ERRORS.filter((code) => code !== 'ended'),
  ...BUSY_ERRORS,
  'media_failed',
  'media_refused',
  'play_pending',
  'no_service',
];
/** Of a bridge for a call that is up. */
export const CONNECT_ERRORS: Codes = [...DIAL_FROM_CALL_ERRORS, ...OCCUPIED_ERRORS];
