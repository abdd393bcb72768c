/**
 * What authors of verbs extend. A step is an async generator: it acts through its context, yields to wait for its next
 * event, and returns its outcome.
 *
 * Invariants
 *  - the only way to wait for the outside is `yield`: between two yields a step runs to completion before the run
 *     takes its next event, so a call is one sequential story;
 *  - leaving a step stops what it started: plays, recordings, requests and timers end when the generator ends or is
 *     interrupted (`return()`), without code in the step;
 *  S3 a step sees only its context;
 *  - the parties that a step dials are hung up when it is left.
 */
import { types } from 'node:util';
import type { Cause } from '../core/causes.ts';
import type { Fault } from '../core/fault.ts';
import type { HttpReply, HttpRequest } from '../core/http-exchange.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem, LegCommand, LegEvent, StreamTrack } from '../core/leg.ts';
import type { LegRequest, RequestType } from '../core/leg-answers.ts';
import type { SipHeaders } from '../core/sip-headers.ts';
import type { VenueKind } from '../core/venue-kind.ts';
import type { ItemNames, VerbSpec } from '../flow/compiled-flow.ts';
import { type OutcomeTable, type OutcomeVerb, successOf } from '../flow/possible-outcomes.ts';
import { verbOutcomes } from '../flow/verb-outcomes.ts';
import { longForm } from '../schema/schema-forms.ts';

/** What a waiting step may receive. */
export type StepEvent =
  | LegEvent
  /** The deadline given to `yield` came first. */
  | { type: 'timeout' }
  /** Answer of `http()`. */
  | { type: 'http'; requestId: string; reply: HttpReply }
  /** A REST command or a named event that a `wait_for` may take. */
  | { type: 'signal'; name: string; data: Json; after?: 'hang_up' }
  /** The subflow started by `callFlow` returned. */
  | { type: 'returned'; outcome: string; output: Json }
  /** A flow started by `branch` returned. */
  | { type: 'branch_returned'; branch: string; outcome: string; output: Json }
  /** An event of the leg of a party of this step. */
  | { type: 'party'; party: string; event: LegEvent }
  /** The answer of `takeOverPeer`; null when there is no such party. */
  | { type: 'taken_over'; party: string | null }
  /** This party moved to another call. */
  | { type: 'given_up'; party: string }
  /** An event of the venue that this step entered. */
  | { type: 'venue'; ticket: string; name: string; data: Json }
  /** The state of a recording, a stream or a transcript in the background (`background`). */
  | { type: 'background'; kind: BackgroundKind; id: string; state: string; data: Json };

export type BackgroundKind = 'recording' | 'stream' | 'transcript';

export interface Wait {
  /** Milliseconds from now after which `timeout` is received; absent: for ever. */
  withinMs?: number;
  /** Names of signals that this step takes; others stay with the run. */
  signals?: readonly string[];
  /**
   * The step takes digits; without it they are kept as type-ahead. `claims` are the digits it wants even where the
   * flow has an interrupt for them. `forNext`: the key only ends the step, and may have been meant as the answer to what
   * is asked next.
   */
  digits?: { claims: string; forNext?: boolean };
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
  /**
   * The step ends its flow with this outcome (`return`), the whole call (`hangup`, `reject`), or all flows around it for
   * the one that it continues with (`continue`).
   */
  ends?: 'flow' | 'call' | 'flows';
}

/** A part of a step that may wait, until it comes to this. */
export type Waiting<Result> = AsyncGenerator<Wait, Result, StepEvent>;

/** A running step: an async generator, in its simplest form. */
export type StepProgram = Pick<Waiting<StepResult>, 'next' | 'return'>;

export interface StepContext<Args = unknown> {
  readonly step: string;
  readonly runNumber: number;
  /** How often this flow has entered the step, this time included. */
  readonly count: number;
  /** Rendered arguments, checked against the verb's schema: in their long form, with its defaults. */
  readonly input: Args;
  readonly sensitive: boolean;
  readonly locale: string;
  /** On the clock of the call, which nobody sets: for durations and deadlines. */
  now(): number;
  /** Milliseconds since the epoch by the wall clock: for the time of day. */
  wallMs(): number;
  random(): number;

  /** The call */
  readonly leg: StepLeg;
  /** Resolves a written prompt (key, text, list) to audio in the step's locale. */
  prompt(written: Json): Promise<AudioItem[]>;

  /** The arguments as written: for lazy keys and bare expressions. */
  readonly args: Json;
  /**
   * Renders the templates in `written`, which stands at the pointer `at` below the arguments, against the scope, with
   * `result` and the names of an item bound when given.
   */
  render(written: Json, at: string, result?: Json, names?: ItemNames): Promise<Json>;
  /** Evaluates a bare JSONata expression to its truth value. */
  test(expression: string, result?: Json): Promise<boolean>;

  /** Starts an HTTP request; the answer is received as `http`. Returns its id. */
  http(request: HttpRequest): string;
  /** Journalled, and sent to the call's webhook. */
  notify(event: string, body: Json): void;
  log(level: 'info' | 'warn' | 'error', message: string, fields: JsonObject): void;
  /** Broadcasts of the project never call this number again. */
  doNotCall(number: string): Fault | undefined;
  /** Runs another flow as a frame above this step; the answer is received as `returned`. */
  callFlow(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined>;
  /** The flow that the call goes on with when this step ends all others. */
  continueWith(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined>;
  /** Runs another flow beside this step, until it is left; the answer is received as `branch_returned`. */
  startBranch(name: string, flow: string, input: JsonObject): Fault | undefined;
  /** Leaves the flow of that name, if it still runs; nothing is received of it. */
  endBranch(name: string): Promise<void>;
  /** Calls another party; the events of its leg are received as `party`. Returns its handle at once. */
  dial(request: PartyRequest): StepParty;
  /** The parties of this step whose legs have not ended. */
  readonly parties: readonly StepParty[];
  /**
   * When an interrupt leaves this step, the party is not hung up: it stays with the call, as its `heldPeer`, and hears
   * `music` (default: a soft beep).
   */
  keepOnInterrupt(party: StepParty, music?: readonly AudioItem[]): void;
  /** The party that was kept when its bridge was interrupted; hears music until a step takes it, or the call ends. */
  readonly heldPeer: StepParty | undefined;
  /** The held peer belongs to this step from now on. */
  takeHeldPeer(): StepParty | undefined;
  /**
   * Asks for the party that another leg of ours is bridged with (attended transfer by a phone): the answer is
   * `taken_over`; the party belongs to this step then.
   */
  requestPeer(replacesLegId: string): void;
  /** Journals the state of the bridge, which REST commands depend on. */
  reportBridge(progress: BridgeProgress): void;
  /** Enters a venue; its events are received as `venue`. Left at the latest with the step. */
  enterVenue(kind: VenueKind, name: string, options: JsonObject): string;
  /** Commands of a member of a venue (`agent_free`, …). */
  sendToVenue(ticket: string, name: string, data: Json): void;
  exitVenue(ticket: string): void;
  /** Media beside the steps, until it is stopped or the call ends. */
  background(command: BackgroundCommand): BackgroundAnswer;
  /** Whether the flow says where this outcome of the step leads. */
  routes(outcome: string): boolean;
  /** A schedule: named, of the flow or of the project, or as written in the step. */
  schedule(written: Json): Json | undefined;
  /** Where the call's events go; `webhook` steps without a URL of their own ask there. */
  readonly eventUrl: string | undefined;
  /** The call as expressions see it (`call.from` …). */
  readonly call: JsonObject;
}

export interface PartyRequest {
  /** A number, a SIP URI, or `user:NAME`. */
  to: string;
  /** Caller line identification; default that of the call. */
  from?: string;
  fromName?: string;
  /** Of the INVITE. */
  headers?: SipHeaders;
  ringTimeoutMs: number;
}

/** A command that is not answered; `stop_…` ends a request of this step early. */
export type StepCommand = Exclude<LegCommand, { type: RequestType }>;

/** A command that is answered, without its id; the run chooses the file of a recording. */
export type StepRequest =
  | Exclude<LegRequest, { type: 'record' | 'stream' }>
  | Omit<Extract<LegRequest, { type: 'record' }>, 'file'>;

/** A leg as steps see it: the caller's own or that of a party. What a step starts is stopped when the step is left. */
export interface StepLegBase {
  readonly id: string;
  /** `ringing` covers every state before the answer. */
  readonly state: 'ringing' | 'connected' | 'ended';
  send(command: StepCommand): void;
  /** Returns the id that the answers carry (`core/leg-answers.ts`). */
  request(request: StepRequest): string;
  /** A request to play the items one after the other; the answer is `play_ended`. */
  play(audio: AudioItem[], options?: { repeat?: boolean }): string;
  /** Stops a play whose `play_ended` is not awaited any more. */
  stopPlay(playId: string): void;
}

/** Another party on this call; its leg id is the `party` of its events. */
export interface StepParty extends StepLegBase {
  readonly to: string;
}

export interface StepLeg extends StepLegBase {
  readonly direction: 'inbound' | 'outbound';
  /** Digits pressed while no step took them (type-ahead), oldest first; taking empties the buffer. */
  takeTypedAhead(): string;
  /** Gives digits back that this step read but did not need: the next one finds them as type-ahead. */
  putBack(digits: string): void;
  /** Swallows `digit` when it is pressed next, within this time: a terminator after a complete input. */
  ignoreNext(digit: string, withinMs: number): void;
}

export type BridgeProgress =
  | { state: 'initiated'; bridgeId: string; from: string; to: string }
  /** The far end rings. */
  | { state: 'bridging'; to: string }
  | { state: 'bridged'; to: string }
  | { state: 'failed'; to: string; cause?: Cause }
  /** A transfer that REST asked for was done. */
  | { state: 'transferred'; channelId: string; from?: string; to: string }
  /** A transfer that REST asked for came to nothing; the bridge is what it was. */
  | { state: 'untransferred'; channelId: string; from?: string; to: string; cause: Cause }
  /** The bridged party is gone, the call goes on. */
  | { state: 'bridge_disconnected'; to: string; cause?: Cause };

/** For the one recording, stream or transcript that goes on beside the steps. */
export type BackgroundCommand =
  /** `maxLengthMs`: four hours by default. */
  | { type: 'recording'; action: 'start'; name?: string; maxLengthMs?: number }
  | { type: 'recording'; action: 'pause' | 'resume' }
  | { type: 'stream'; action: 'start'; url: string; tracks: readonly StreamTrack[]; bidirectional: boolean }
  | { type: 'transcript'; action: 'start'; language: string; tracks: readonly StreamTrack[]; minConfidence: number }
  | { type: BackgroundKind; action: 'stop' };

/** A fault where it cannot be done now: `already_recording`, `name_taken`, `not_recording` … */
export type BackgroundAnswer = { id: string } | { fault: Fault };

export type CallActivity = 'detecting' | 'prompt' | 'connecting' | 'conference' | 'room' | 'queue';

/** Signals of the commands that connect a call to others. */
export const CONNECTING_COMMANDS: readonly string[] = ['bridge', 'conference', 'join_room'];
/** A prompt may also be stopped, or give way to a flow. */
export const COMMANDS_ENDING_PROMPTS: readonly string[] = [...CONNECTING_COMMANDS, 'flow', 'stop_play'];
export const COMMANDS_ENDING_MEETINGS = CONNECTING_COMMANDS;

/** Stands for a flow that is not known before the call. */
export const ANY_FLOW = '*';

export interface StepDefinition extends VerbSpec {
  /** Names of the flows that a step with these arguments may run. */
  calls?(args: Json): readonly string[];
  /** Signals that a step with these arguments waits for. */
  signals?(args: Json): readonly string[];
  /** What callers press in such a step is masked, although its result is not. */
  hidesKeys?: boolean;
  /** What the call does meanwhile, for commands that do not fit that. */
  activity?: CallActivity;
  /** REST commands that end the step, and the outcome that it then has: the first that its flow routes. */
  preemptedBy?: { to: readonly string[]; outcomes: readonly string[] };
  /** An async generator, or an async function where the step never waits. */
  run(context: StepContext): StepProgram | Promise<StepResult>;
}

/** Arguments as they are written, in their long form: anything may stand where a value is expected, such as a template. */
export type Written<Args> = { readonly [Key in keyof Args]?: unknown };

/** What a verb says of arguments that are written like this; `raw` is the form in which they are. */
type OfWritten<Args, Result> = (written: Written<Args>, raw: Json) => Result;

/** A verb as its author declares it: with the type of its arguments, which is made of the verb's schema. */
export interface Verb<Args> extends Omit<StepDefinition, keyof OutcomeVerb | 'success' | 'calls' | 'signals' | 'run'> {
  /** Only for a verb without a schema in `schemas/verbs`. */
  outcomes?: OutcomeTable;
  calls?: OfWritten<Args, string[]>;
  signals?: OfWritten<Args, string[]>;
  run(context: StepContext<Args>): StepProgram | Promise<StepResult>;
}

export function defineStep<Args = Record<string, never>>(verb: Verb<Args>): StepDefinition {
  const ofArgs =
    <Result>(say: OfWritten<Args, Result>) =>
    (raw: Json) => {
      const long = longForm(verb.verb, raw);
      return say((typeof long === 'object' ? long : {}) as Written<Args>, raw);
    };
  const { outcomes = {}, calls, signals, media = false, ...rest } = verb;
  const known = verbOutcomes(verb.verb) ?? { outcomeTable: outcomes };
  const success = successOf(known.outcomeTable);
  return Object.freeze({
    needsCall: media,
    waits: types.isGeneratorFunction(verb.run),
    ...rest,
    media,
    ...known,
    ...(success !== undefined && { success }),
    ...(calls && { calls: ofArgs(calls) }),
    ...(signals && { signals: ofArgs(signals) }),
  } as StepDefinition);
}
