/** Errors shared by several routes. */
import type { ApiErrorCode } from './api-error.ts';

type Codes = readonly ApiErrorCode[];

/** Errors of every route with credentials. */
export const COMMON_ERRORS: Codes = ['unauthorized', 'too_many_requests', 'internal'];
/** Errors of every route with a body. */
export const BODY_ERRORS: Codes = ['bad_json', 'bad_request', 'too_large', 'unsupported_encoding', 'unsupported_type'];
/** Errors of every route that changes something. An unneeded body is parsed, too. */
export const WRITE_ERRORS: Codes = [
  'foreign_origin',
  'quarantined',
  'store_failing',
  'bad_json',
  'too_large',
  'unsupported_encoding',
  'unsupported_type',
];
/** Errors of every route with a path parameter: it can be malformed or belong to another node. */
export const PATH_ERRORS: Codes = ['bad_request', 'node_lost'];

/** Errors of prompts. */
export const PROMPT_ERRORS: Codes = [
  'unknown_prompt',
  'text_too_long',
  'speech_option_invalid',
  'voice_not_supported',
  'speech_failed',
];
/** Errors of the action that runs when a call is answered. */
export const ACTION_ERRORS: Codes = ['target_refused', 'unknown_room', 'unknown_flow', 'flow_invalid', 'input_invalid'];
/** Errors of commands to a call. */
export const LIVE_CALL_ERRORS: Codes = ['unknown_call', 'not_accepted_here', 'ended'];
/** States of a call in which it cannot play a prompt. */
const BUSY_ERRORS: Codes = ['ringing', 'detecting', 'bridging', 'in_conference', 'in_room', 'in_queue'];
/** States of a call in which it cannot be bridged or join a conference or room. */
export const OCCUPIED_ERRORS: Codes = [...BUSY_ERRORS, 'prompt_playing', 'bridged'];
/** Errors of a new call. */
export const DIAL_ERRORS: Codes = ['address_invalid', 'cli_not_assigned', 'no_service', 'project_full', 'overloaded'];
/** Errors of a party that is called from an answered call. */
export const DIAL_FROM_CALL_ERRORS: Codes = [...LIVE_CALL_ERRORS, 'address_invalid', 'number_not_found', 'no_service'];
/** Errors of a prompt on an answered call. */
export const PLAY_ERRORS: Codes = [
  ...PROMPT_ERRORS,
  ...LIVE_CALL_ERRORS.filter((code) => code !== 'ended'),
  ...BUSY_ERRORS,
  'media_failed',
  'media_refused',
  'play_pending',
  'no_service',
];
/** Errors of a bridge for an answered call. */
export const CONNECT_ERRORS: Codes = [...DIAL_FROM_CALL_ERRORS, ...OCCUPIED_ERRORS];
