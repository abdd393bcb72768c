/**
 * Errors of the use cases in this folder on which the caller can act. One table in `api/` defines when each code occurs
 * and maps it to HTTP; every other error is a bug of this service.
 */
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import type { Refusal } from '../runtime/journal.ts';

/** A list item whose number cannot be called, or whose input the flow does not accept. */
export interface InvalidNumber {
  /** Zero-based. */
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
  /** The configuration file, or a file that it names, is invalid. */
  | 'config_invalid'
  | 'in_use'
  | 'last_administrator'
  /** The call or session to delete is still live. */
  | 'still_live'
  | 'audio_malformed'
  | 'key_reused'
  /** The version that the client read is no longer current. */
  | 'changed_meanwhile'
  | 'read_only'
  /** Several files were to be saved together, and some of them cannot be: they changed meanwhile, or are invalid. */
  | 'files_changed'
  | 'files_invalid'
  /** The entry belongs to another person. */
  | 'not_author'
  /** The list has reached its maximum size. */
  | 'list_full'
  | 'text_malformed'
  | 'text_too_large'
  /** A newer request has replaced this one. */
  | 'superseded'
  /** The queue of checks or trials is full. */
  | 'too_many_requests'
  /** The check or trial took too long, or could not run. */
  | 'workbench_busy'
  /** The store is not writable: the disk is full, or another process has locked the database. */
  | 'store_failing'
  /** The service is shutting down, or is at its limit of calls. */
  | 'overloaded'
  /** The project is at its limit of calls. */
  | 'project_full';

export interface ErrorDetails {
  /** Advice on how to correct the error. */
  hint?: string | undefined;
  diagnostics?: readonly Diagnostic[];
  /** The invalid items of a list. */
  invalidNumbers?: readonly InvalidNumber[];
  /** The stored version, which differs from the one that the client read. */
  current?: { text: string; etag: string };
  /** Ids of calls, broadcasts and sessions that must end first. */
  live?: readonly string[];
  /** The files because of which none was saved. */
  files?: readonly FileError[];
}

/** A file that cannot be saved: a flow, or a test of it. */
export interface FileError {
  flow: string;
  test?: string | undefined;
  error: CallError;
}

/** An error with a code and all data of the response to its client. */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly invalidNumbers: readonly InvalidNumber[];
  readonly current: ErrorDetails['current'];
  readonly live: readonly string[];
  readonly files: readonly FileError[];

  constructor(
    code: Code,
    message: string,
    { hint, diagnostics = [], invalidNumbers = [], current, live = [], files = [] }: ErrorDetails = {},
  ) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.diagnostics = diagnostics;
    this.invalidNumbers = invalidNumbers;
    this.current = current;
    this.live = live;
    this.files = files;
  }
}

export class CallError extends CodedError<CallErrorCode> {
  /** True if the call's run refused the command, which its journal records. */
  refusedByCall = false;
}

export const configuredError = (kind: string): CallError =>
  new CallError('configured', `this ${kind} is in the configuration file`, {
    hint: 'change it there, and restart the service',
  });
