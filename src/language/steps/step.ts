/**
 * Interfaces for the implementation of verbs. A step is an async generator: it acts through its context, yields to wait
 * for its next event, and returns its outcome.
 *
 * Invariants
 *  - `yield` is the only way to wait for an external event: between two yields a step runs to completion before the run
 *     processes the next event, so the events of a call are handled strictly one after the other;
 *  - plays, recordings, requests and timers that a step started are stopped when its generator ends or is interrupted
 *     (`return()`); the step needs no code for it;
 *  S3 a step has access to its context only;
 *  - the parties that a step dialled are hung up when the step is left.
 */
import { types } from 'node:util';
import type { Cause } from '../../base/core/causes.ts';
import type { Fault } from '../../base/core/fault.ts';
import type { HttpReply, HttpRequest } from '../../base/core/http-exchange.ts';
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import type { AudioItem, LegCommand, LegEvent, StreamTrack } from '../../base/core/leg.ts';
import type { LegRequest, RequestType } from '../../base/core/leg-answers.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import type { VenueKind } from '../../base/core/venue-kind.ts';
import { longForm } from '../../base/schema/schema-forms.ts';
import type { ItemNames, VerbSpec } from '../flow/compiled-flow.ts';
import { type OutcomeTable, type OutcomeVerb, successOf } from '../flow/possible-outcomes.ts';
import { type CallActivity, factsOf, type Preempted, promptPlacesOf } from '../flow/verb-facts.ts';
import { verbOutcomes } from '../flow/verb-outcomes.ts';

/** Events that a waiting step may receive. */
export type StepEvent =
  | LegEvent
  /** No event arrived before the deadline given to `yield`. */
  | { type: 'timeout' }
  /** Response to the request of `http()`. */
  | { type: 'http'; requestId: string; reply: HttpReply }
  /** A REST command, or a named event for `wait_for`. */
  | { type: 'signal'; name: string; data: Json; after?: 'hang_up' }
  /** The subflow started by `callFlow` returned. */
  | { type: 'returned'; outcome: string; output: Json }
  /** A flow started by `branch` returned. */
  | { type: 'branch_returned'; branch: string; outcome: string; output: Json }
  /** An event of the leg of a party of this step. */
  | { type: 'party'; party: string; event: LegEvent }
  /** Result of `requestPeer`; null if the named leg is not bridged with a party. */
  | { type: 'taken_over'; party: string | null }
  /** This party moved to another call. */
  | { type: 'given_up'; party: string }
  /** An event of the venue that this step entered. */
  | { type: 'venue'; memberId: string; name: string; data: Json }
  /** The state of a recording, a stream or a transcript in the background (`background`). */
  | { type: 'background'; kind: BackgroundKind; id: string; state: string; data: Json };

export type BackgroundKind = 'recording' | 'stream' | 'transcript';

export interface Wait {
  /** Milliseconds from now until `timeout` is received; without a limit if absent. */
  withinMs?: number;
  /** Names of the signals that this step accepts; other signals are kept by the run. */
  signals?: readonly string[];
  /**
   * Set if the step accepts digits; otherwise they are kept as type-ahead. `claims`: digits that the step receives even
   * if the flow has an interrupt for them. `forNext`: the key only ends the step, and may have been meant as the answer
   * to the next question.
   */
  digits?: { claims: string; forNext?: boolean };
}

export interface StepResult {
  outcome: string;
  /** Becomes `result` and `steps.<name>`; must be plain JSON. */
  result?: Json;
  /** Set only with the outcome `error`. */
  fault?: Fault;
  /** Variables to assign, checked against their declarations (`set`, `webhook`). */
  vars?: JsonObject;
  /** Go to this step instead of routing the outcome (`webhook` with `may: [goto]`). */
  goto?: string;
  /**
   * `flow`: ends the flow of the step with this outcome (`return`). `call`: ends the call (`hangup`, `reject`).
   * `flows`: ends all enclosing flows and starts the flow given to `continueWith` (`continue`).
   */
  ends?: 'flow' | 'call' | 'flows';
}

/** A part of a step that may wait for events before it returns its result. */
export type Waiting<Result> = AsyncGenerator<Wait, Result, StepEvent>;

/**
 * Result of a verb with these outcomes, or one that needs no outcome of the verb: a fault, the end of a flow or of the
 * call, or `goto`.
 */
export type ResultOf<Outcome extends string> = StepResult &
  (
    | { outcome: Outcome }
    | { outcome: 'error'; fault: Fault }
    | Required<Pick<StepResult, 'ends'>>
    | Required<Pick<StepResult, 'goto'>>
  );

declare const NAMED: unique symbol;
/** Name of an outcome that the arguments of the step give. */
export type NamedOutcome = string & { readonly [NAMED]: true };

export const namedOutcome = (name: string): NamedOutcome => name as NamedOutcome;

/** A running step: an async generator, in its simplest form. */
export type StepProgram<Outcome extends string = string> = Pick<Waiting<ResultOf<Outcome>>, 'next' | 'return'>;

export interface StepContext<Args = unknown> {
  readonly step: string;
  readonly runNumber: number;
  /** Number of times that this flow has entered the step, including this run. */
  readonly count: number;
  /** Rendered arguments in their long form, checked against the verb's schema, with its defaults filled in. */
  readonly input: Args;
  readonly sensitive: boolean;
  readonly locale: string;
  /** Time zone of the flow, else that of the service. */
  readonly timezone: string;
  /** Milliseconds of the call's monotonic clock: for durations and deadlines. */
  now(): number;
  /** Milliseconds since the epoch by the wall clock: for the time of day. */
  wallMs(): number;
  random(): number;

  /** Leg of the caller. */
  readonly leg: StepLeg;
  /** Resolves a prompt as written in the flow (key, text, list) to audio in the step's locale. */
  prompt(written: Json): Promise<AudioItem[]>;

  /** Arguments as written in the flow, not rendered: for lazy keys and bare expressions. */
  readonly args: Json;
  /**
   * Renders the templates in `written` against the scope. `at` is the pointer of `written` below the arguments;
   * `result` and the names of an item are added to the scope if given.
   */
  render(written: Json, at: string, result?: Json, names?: ItemNames): Promise<Json>;
  /** Evaluates a bare JSONata expression to its truth value. */
  test(expression: string, result?: Json): Promise<boolean>;

  /** Starts an HTTP request and returns its id; the response is received as `http`. */
  http(request: HttpRequest): string;
  /** Journals an event and sends it to the webhook of the call. */
  notify(event: string, body: Json): void;
  log(level: 'info' | 'warn' | 'error', message: string, fields: JsonObject): void;
  /** Adds the number to the do-not-call list of the project's broadcasts. */
  doNotCall(number: string): Fault | undefined;
  /** Runs another flow as a frame above this step; its result is received as `returned`. */
  callFlow(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined>;
  /**
   * Result of the step if it is left before its program ends: by a hang-up, an error or an event. `output` is that of
   * the called flow, if it was left too.
   */
  keepResult(soFar: (output?: Json) => JsonObject): void;
  /** Sets the flow that the call continues with after this step has ended all enclosing flows. */
  continueWith(flow: string | JsonObject, input: JsonObject): Promise<Fault | undefined>;
  /** Runs a flow in parallel until this step is left; its result is received as `branch_returned`. */
  startBranch(name: string, flow: string, input: JsonObject): Fault | undefined;
  /** Ends the branch of that name if it is still running, without a `branch_returned`. */
  endBranch(name: string): Promise<void>;
  /** Dials a party and returns its handle at once; the events of its leg are received as `party`. */
  dial(request: PartyRequest): StepParty;
  /** The parties of this step whose legs have not ended. */
  readonly parties: readonly StepParty[];
  /**
   * If an interrupt ends this step, the party is not hung up: it stays on the call as `heldPeer` and hears `music`
   * (default: a soft beep).
   */
  keepOnInterrupt(party: StepParty, music?: readonly AudioItem[]): void;
  /** Party of an interrupted bridge. It hears music until a step takes it or the call ends. */
  readonly heldPeer: StepParty | undefined;
  /** Returns the held peer and makes it a party of this step. */
  takeHeldPeer(): StepParty | undefined;
  /**
   * Requests the party that another local leg is bridged with (attended transfer by a phone). The result is received as
   * `taken_over`; the party then belongs to this step.
   */
  requestPeer(replacesLegId: string): void;
  /** Journals the state of the bridge. REST commands are accepted or refused depending on it. */
  reportBridge(progress: BridgeProgress): void;
  /** Enters a venue and returns the member id; its events are received as `venue`. The step's end leaves the venue. */
  enterVenue(kind: VenueKind, name: string, options: JsonObject): string;
  /** Sends a command of a member to its venue (`agent_free`, …). */
  sendToVenue(memberId: string, name: string, data: Json): void;
  exitVenue(memberId: string): void;
  /** Controls a background recording, stream or transcript, which lasts until it is stopped or the call ends. */
  background(command: BackgroundCommand): BackgroundAnswer;
  /** True if the flow routes this outcome of the step. */
  routes(outcome: string): boolean;
  /** Resolves a schedule: the name of one in the flow or in the project, or a schedule written in the step. */
  schedule(written: Json): Json | undefined;
  /** URL for the events of the call; also the default URL of `webhook` steps. */
  readonly eventUrl: string | undefined;
  /** The variable `call` of expressions (`call.from` …). */
  readonly call: JsonObject;
}

export interface PartyRequest {
  /** A number, a SIP URI, or `user:NAME`. */
  to: string;
  /** Caller ID; default: the one of the call. */
  from?: string;
  fromName?: string;
  /** Additional headers of the INVITE. */
  headers?: SipHeaders;
  ringTimeoutMs: number;
}

/** A command without an answer; `stop_…` ends a request of this step early. */
export type StepCommand = Exclude<LegCommand, { type: RequestType }>;

/** A command with an answer, without its id: the run assigns the id, and the file of a recording. */
export type StepRequest =
  | Exclude<LegRequest, { type: 'record' | 'stream' }>
  | Omit<Extract<LegRequest, { type: 'record' }>, 'file'>;

/** Interface of steps to a leg, the caller's or a party's. Requests of a step are stopped when the step is left. */
export interface StepLegBase {
  readonly id: string;
  /** `ringing` covers every state before the answer. */
  readonly state: 'ringing' | 'connected' | 'ended';
  send(command: StepCommand): void;
  /** Sends a request and returns its id, which its answers contain (`base/core/leg-answers.ts`). */
  request(request: StepRequest): string;
  /** Plays the items one after the other and returns the play id; the answer is `play_ended`. */
  play(audio: AudioItem[], options?: { repeat?: boolean }): string;
  /** Stops a play; its `play_ended` is not delivered to the step. */
  stopPlay(playId: string): void;
}

/** A party that a step dialled; the field `party` of its events is the id of its leg. */
export interface StepParty extends StepLegBase {
  readonly to: string;
}

export interface StepLeg extends StepLegBase {
  readonly direction: 'inbound' | 'outbound';
  /** Returns the digits pressed while no step accepted them (type-ahead), oldest first, and empties the buffer. */
  takeTypedAhead(): string;
  /** Returns unused digits to the type-ahead buffer, where the next step finds them. */
  putBack(digits: string): void;
  /** Discards the next digit if it is `digit` and arrives within this time: a terminator after a complete input. */
  ignoreNext(digit: string, withinMs: number): void;
}

export type BridgeProgress =
  | { state: 'initiated'; bridgeId: string; from: string; to: string }
  /** The called party rings. */
  | { state: 'bridging'; to: string }
  | { state: 'bridged'; to: string }
  | { state: 'failed'; to: string; cause?: Cause }
  /** A transfer requested by REST succeeded. */
  | { state: 'transferred'; channelId: string; from?: string; to: string }
  /** A transfer requested by REST failed; the bridge is unchanged. */
  | { state: 'untransferred'; channelId: string; from?: string; to: string; cause: Cause }
  /** The bridged party has left; the call continues. */
  | { state: 'bridge_disconnected'; to: string; cause?: Cause };

/** Command for the background recording, stream or transcript; a call has at most one of each. */
export type BackgroundCommand =
  /** `maxLengthMs`: default four hours. */
  | { type: 'recording'; action: 'start'; name?: string; maxLengthMs?: number }
  | { type: 'recording'; action: 'pause' | 'resume' }
  | { type: 'stream'; action: 'start'; url: string; tracks: readonly StreamTrack[]; bidirectional: boolean }
  | { type: 'transcript'; action: 'start'; language: string; tracks: readonly StreamTrack[]; minConfidence: number }
  | { type: BackgroundKind; action: 'stop' };

/** Id of the started medium, or a fault in the current state: `already_recording`, `name_taken`, `not_recording` … */
export type BackgroundAnswer = { id: string } | { fault: Fault };

/** Signals of the commands that connect a call to other calls. */
export const CONNECTING_COMMANDS: readonly string[] = ['bridge', 'conference', 'join_room'];
/** Signals that end a step: a prompt is also ended by those that stop it or start another flow. */
const PREEMPTING_COMMANDS: Readonly<Record<Preempted['commands'], readonly string[]>> = {
  prompts: [...CONNECTING_COMMANDS, 'flow', 'stop_play'],
  meetings: CONNECTING_COMMANDS,
};

/** Placeholder for a flow whose name is known only during the call. */
export const ANY_FLOW = '*';

export interface StepDefinition extends VerbSpec {
  /** Returns the names of the flows that a step with these arguments may run. */
  calls?(args: Json): readonly string[];
  /** Returns the signals that a step with these arguments waits for. */
  signals?(args: Json): readonly string[];
  /** True if digits pressed in this step are masked although its result is not. */
  hidesKeys?: boolean;
  /** Activity of the call during the step; commands that conflict with it are refused. */
  activity?: CallActivity;
  /** REST commands that end the step, and its outcome in that case: the first of `outcomes` that the flow routes. */
  preemptedBy?: { to: readonly string[]; outcomes: readonly string[] };
  /** An async generator, or an async function if the step never waits. */
  run(context: StepContext): StepProgram | Promise<StepResult>;
}

/** Arguments as written in the flow, in their long form. Any value may be a template, so that all are `unknown`. */
export type Written<Args> = { readonly [Key in keyof Args]?: unknown };

/** Derives a property of a step from its written arguments; `raw` has them in the form used in the flow. */
type OfWritten<Args, Result> = (written: Written<Args>, raw: Json) => Result;

/**
 * Declaration of a verb, with the types of its arguments and outcomes, which are generated from the verb's schema. Most
 * properties of a verb are keywords of its schema; only a verb without a folder in `verbs` states them here.
 */
export interface Verb<Args, Outcome extends string>
  extends Omit<StepDefinition, keyof OutcomeVerb | 'success' | 'calls' | 'signals' | 'run'> {
  outcomes?: OutcomeTable;
  calls?: OfWritten<Args, string[]>;
  signals?: OfWritten<Args, string[]>;
  run(context: StepContext<Args>): StepProgram<Outcome> | Promise<ResultOf<Outcome>>;
}

/** Properties of a step that the schema of its verb states. */
function statedBySchema(verb: string): Partial<StepDefinition> {
  const { form, media, needsCall, terminal, lazy, perItem, expressions, activity, hidesKeys, preemptedBy } =
    factsOf(verb);
  const prompts = promptPlacesOf(verb);
  return defined({
    ...{ form, media, needsCall, terminal, lazy, expressions, activity, hidesKeys, items: perItem },
    ...(prompts.length > 0 && { prompts }),
    preemptedBy: preemptedBy && {
      to: PREEMPTING_COMMANDS[preemptedBy.commands],
      outcomes: preemptedBy.outcomes,
    },
  });
}

export function defineStep<Args = Record<string, never>, Outcome extends string = string>(
  verb: Verb<Args, Outcome>,
): StepDefinition {
  const ofArgs =
    <Result>(say: OfWritten<Args, Result>) =>
    (raw: Json) => {
      const long = longForm(verb.verb, raw);
      return say((typeof long === 'object' ? long : {}) as Written<Args>, raw);
    };
  const { outcomes = {}, calls, signals, ...own } = verb;
  const stated = statedBySchema(verb.verb);
  const { media = false } = { ...stated, ...own };
  const known = verbOutcomes(verb.verb) ?? { outcomeTable: outcomes };
  const success = successOf(known.outcomeTable);
  return Object.freeze({
    needsCall: media,
    waits: types.isGeneratorFunction(verb.run),
    ...stated,
    ...own,
    media,
    ...known,
    ...(success !== undefined && { success }),
    ...(calls && { calls: ofArgs(calls) }),
    ...(signals && { signals: ofArgs(signals) }),
  } as StepDefinition);
}
