/**
 * Why a use case of this folder could not be done, as far as its caller can do something about it. What HTTP makes of
 * each code stands in one table in `api/`; everything else that is thrown is our own bug.
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
  /** No such call, or one of another project. */
  | 'unknown_call'
  | 'unknown_recording'
  | 'unknown_conference'
  | 'unknown_room'
  | 'unknown_broadcast'
  /** Of a broadcast: `offenders` are all that are wrong. */
  | 'numbers_invalid'
  /** Of a list: none that a page ended with. */
  | 'cursor_invalid'
  /** Nothing here does this, or leads there: no route, no such phone, an engine that cannot. */
  | 'no_service'
  /** Of a call that is up: the number to present is none of the project's. */
  | 'number_not_found'
  /** The conference has ended. */
  | 'conference_over'
  /** Not a valid number, SIP URI or user. */
  | 'address_invalid'
  /** `from` is not a number of the project. */
  | 'cli_not_assigned'
  | 'unknown_prompt'
  | 'unknown_flow'
  /** An embedded flow that does not compile; `diagnostics` say where. */
  | 'flow_invalid'
  /** What the flow is given does not fit what it declares. */
  | 'input_invalid'
  /** A prompt for a call that has ended. */
  | 'media_failed'
  /** A prompt for a call that is bridged. */
  | 'media_refused'
  /** No voice for this language. */
  | 'voice_not_supported'
  | 'text_too_long'
  /** `text_to_speech_option` says what no voice can do. */
  | 'speech_option_invalid'
  /** The voice exists, making the sound failed. */
  | 'speech_failed'
  /** Nothing of this name is provisioned. */
  | 'unknown_setting'
  /** The configuration file defines it, and only there it can be changed. */
  | 'configured'
  /** Something else needs it, or has its name. */
  | 'in_use'
  /** A sound that was sent to be a prompt cannot be used. */
  | 'audio_malformed'
  /** Another request had this key. */
  | 'key_reused'
  /** Nothing can be written down for now: the disk is full, or another process holds the database. */
  | 'store_failing'
  /** The service is about to stop, or carries as many calls as it may. */
  | 'overloaded';

export interface ErrorDetails {
  /** What can be done about it. */
  hint?: string | undefined;
  diagnostics?: readonly Diagnostic[];
  /** Items of a list that are wrong, each named. */
  invalidNumbers?: readonly InvalidNumber[];
}

/** An error with a code and all that its client is answered. */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly invalidNumbers: readonly InvalidNumber[];

  constructor(code: Code, message: string, { hint, diagnostics = [], invalidNumbers = [] }: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.diagnostics = diagnostics;
    this.invalidNumbers = invalidNumbers;
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
