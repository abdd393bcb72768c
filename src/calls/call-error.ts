/**
 * Why a use case of this folder could not be done, as far as its caller can do something about it. When each code
 * comes, and what HTTP makes of it, stands in one table in `api/`; everything else that is thrown is our own bug.
 */
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Refusal } from '../runtime/journal.ts';

/** An item of a list of numbers that cannot be called, or whose input the flow does not take. */
export interface InvalidNumber {
  /** From 0. */
  index: number;
  value: string;
  message: string;
}

export type CallErrorCode =
  | Refusal
  | 'unknown_call'
  | 'unknown_recording'
  | 'unknown_play'
  | 'unknown_conference'
  | 'unknown_callback'
  | 'unknown_room'
  | 'unknown_session'
  | 'unknown_broadcast'
  | 'numbers_invalid'
  | 'cursor_invalid'
  | 'no_service'
  | 'number_not_found'
  | 'conference_over'
  | 'address_invalid'
  | 'cli_not_assigned'
  | 'unknown_prompt'
  | 'unknown_flow'
  | 'flow_invalid'
  | 'script_invalid'
  | 'input_invalid'
  | 'media_failed'
  | 'media_refused'
  | 'voice_not_supported'
  | 'text_too_long'
  | 'speech_option_invalid'
  | 'speech_failed'
  | 'unknown_setting'
  | 'configured'
  /** The configuration file, or something that it names, cannot be used. */
  | 'config_invalid'
  | 'in_use'
  /** What is to be deleted is not over. */
  | 'still_live'
  | 'audio_malformed'
  | 'key_reused'
  /** What was read before is not what is there. */
  | 'changed_meanwhile'
  | 'read_only'
  | 'text_malformed'
  | 'text_too_large'
  /** Nobody waits for it any more. */
  | 'superseded'
  /** So much is checked or tried at once that nothing more may wait. */
  | 'too_many_requests'
  /** It took too long to be checked or tried, or could not be. */
  | 'workbench_busy'
  /** Nothing can be written down for now: the disk is full, or another process holds the database. */
  | 'store_failing'
  /** The service is about to stop, or carries as many calls as it may. */
  | 'overloaded'
  /** The project has as many calls as it may. */
  | 'project_full';

export interface ErrorDetails {
  /** What can be done about it. */
  hint?: string | undefined;
  diagnostics?: readonly Diagnostic[];
  /** Items of a list that are wrong, each named. */
  invalidNumbers?: readonly InvalidNumber[];
  /** What is there in place of what the client believes. */
  current?: { text: string; etag: string };
  /** What has to be over first: ids of calls, broadcasts and sessions. */
  live?: readonly string[];
}

/** An error with a code and all that its client is answered. */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly invalidNumbers: readonly InvalidNumber[];
  readonly current: ErrorDetails['current'];
  readonly live: readonly string[];

  constructor(
    code: Code,
    message: string,
    { hint, diagnostics = [], invalidNumbers = [], current, live = [] }: ErrorDetails = {},
  ) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.diagnostics = diagnostics;
    this.invalidNumbers = invalidNumbers;
    this.current = current;
    this.live = live;
  }
}

export class CallError extends CodedError<CallErrorCode> {
  /** The call itself said no, and its journal says so. */
  refusedByCall = false;
}

export const configuredError = (kind: string): CallError =>
  new CallError('configured', `this ${kind} is in the configuration file`, {
    hint: 'change it there, and start again',
  });
