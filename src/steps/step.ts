/**
 * What authors of verbs extend. A step is an async generator: it asks for things through its context, yields to wait
 * for the next event of its visit, and returns its outcome.
 *
 * Invariants
 *  S1 the only way to wait for the outside is `yield`: between two yields a step runs to completion before the run
 *     takes its next event, so a call is one sequential story;
 *  S2 leaving a step takes its things along: plays, recordings, requests and timers of the visit are stopped when the
 *     generator ends or is interrupted (`return()`), without code in the step;
 *  S3 a step sees only its context.
 */
import type { Fault } from '../core/fault.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem, LegEvent } from '../core/leg.ts';
import type { VerbSpec } from '../flow/types.ts';

/** What a waiting step may receive. */
export type StepEvent =
  | LegEvent
  /** The deadline given to `yield` came first. */
  | { type: 'timeout' }
  /** Answer of `http()`. */
  | { type: 'http'; requestId: string; reply: HttpReply }
  /** Something from outside that a `wait_for` may take: a REST command, a named event. */
  | { type: 'signal'; name: string; data: Json }
  /** The subflow started by `callFlow` returned. */
  | { type: 'returned'; outcome: string; output: Json };

export interface Wait {
  /** Milliseconds from now after which `timeout` is received; absent: for ever. */
  withinMs?: number;
  /** Names of signals that this step takes; others stay with the run. */
  signals?: readonly string[];
  /**
   * The step takes digits; without it they are kept as type-ahead. `claims` are the digits it wants even where the
   * flow has an interrupt for them. `forNext`: it gives the digit back to whoever asks next.
   */
  digits?: { claims: string; forNext?: boolean };
}

export type HttpReply =
  | { ok: true; status: number; headers: Record<string, string>; body: Json }
  | { ok: false; reason: 'timeout' | 'network' | 'refused' | 'too_large' | 'invalid'; message: string };

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: Json;
  timeoutMs: number;
  /** For mocks and traces: the step's name. */
  name: string;
  /** Sent as a webhook of the call's project: signed as the events are. */
  signed?: boolean;
}

export interface StepResult {
  outcome: string;
  /** Becomes `result` and `steps.<name>`; must be plain JSON. */
  result?: Json;
  /** Only with outcome `error`. */
  fault?: Fault;
  /** Variables to assign, checked against their declarations (`set`, `webhook`). */
  vars?: JsonObject;
  /** Go to this step instead of routing the outcome (`webhook` with `may: [goto]`). */
  goto?: string;
  /** The step ends its flow with this outcome (`return`), or the whole call (`hangup`, `reject`). */
  ends?: 'flow' | 'call';
}

/** A running step: an async generator, in its simplest form. */
export type StepProgram = Pick<AsyncGenerator<Wait, StepResult, StepEvent>, 'next' | 'return'>;

export interface StepContext {
  readonly step: string;
  readonly visit: number;
  /** How often this flow has entered the step, this time included. */
  readonly count: number;
  /** Rendered arguments, checked against the verb's schema. */
  readonly input: Json;
  readonly sensitive: boolean;
  readonly locale: string;
  /** Milliseconds since the epoch, on the call's clock. */
  now(): number;
  random(): number;

  /** The call */
  readonly leg: StepLeg;
  /** Resolves a written prompt (key, text, list) to audio in the step's locale. */
  prompt(written: Json): Promise<AudioItem[]>;

  /** The arguments as written: for lazy keys and bare expressions. */
  readonly args: Json;
  /** Renders the templates in `written` against the scope, with `result` bound when given. */
  render(written: Json, result?: Json): Promise<Json>;
  /** Evaluates a bare JSONata expression to its truth value. */
  test(expression: string, result?: Json): Promise<boolean>;

  /** Starts an HTTP request; the answer is received as `http`. Returns its id. */
  http(request: HttpRequest): string;
  /** Tells observers; journalled, sent to the call's webhook. */
  notify(event: string, body: Json): void;
  log(level: 'info' | 'warn' | 'error', message: string, fields: JsonObject): void;
  /** Runs another flow as a frame above this step; the answer is received as `returned`. */
  callFlow(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined>;
  /** A named schedule, of the flow or of the project. */
  schedule(name: string): Json | undefined;
  /** Where the call's events go; `webhook` steps without a URL of their own ask there. */
  readonly eventUrl: string | undefined;
  /** The call as expressions see it (`call.from` …). */
  readonly call: JsonObject;
}

export interface StepLeg {
  /** `ringing` covers every state before the answer. */
  readonly state: 'ringing' | 'connected' | 'ended';
  readonly direction: 'inbound' | 'outbound';
  /** Before the answer: opens the line for early media. */
  progress(): void;
  answer(): void;
  reject(sipStatus: number): void;
  hangup(cause: number): void;
  /** Returns the play id; the answer is `play_ended`. */
  play(audio: AudioItem[], options?: { repeat?: boolean }): string;
  stopPlay(playId: string): void;
  /** Returns the recording id; the run chooses the file. The answer is `record_ended`. */
  record(options: { maxLengthMs: number; endSilenceMs: number; terminators: string }): string;
  stopRecord(recordId: string): void;
  sendDigits(digits: string, toneMs: number, gapMs: number): string;
  /** Digits pressed while no step took them (type-ahead), oldest first; taking empties the buffer. */
  takeTypedAhead(): string;
  /** Gives digits back that this step read but did not need: the next one finds them as type-ahead. */
  putBack(digits: string): void;
  /** Swallows `digit` when it is pressed next, within this time: a terminator after a complete input. */
  ignoreNext(digit: string, withinMs: number): void;
}

/** Stands for a flow that is not known before the call. */
export const ANY_FLOW = '*';

export interface StepDefinition extends VerbSpec {
  /** Names of the flows that a step with these arguments may run. */
  calls?(args: Json): readonly string[];
  /** Outcomes of this verb, by their first word, that found nothing: a `set` beside it is left undone. */
  setbacks?: readonly string[];
  /** An async generator, or an async function where the step never waits. */
  run(context: StepContext): StepProgram | Promise<StepResult>;
}

/** Declares a verb: its words (from `VerbSpec`) and how it runs. */
export function defineStep(definition: StepDefinition): StepDefinition {
  return Object.freeze(definition);
}
