/**
 * One visit of one step: the things it started on the call, and what it is still owed.
 *
 * Invariants
 *  V1 what a visit started (plays, recordings, listenings, requests, parties, stays, branches, its deadline) belongs to
 *     it; when the visit is over it is stopped, and what still arrives for it is dropped by the run;
 *  V2 nothing is done here: commands and requests are noted in the journal and left with the run as effects, which are
 *     performed after the commit.
 */
import type { Timer } from '../core/clock.ts';
import type { Fault } from '../core/fault.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { LegCommand } from '../core/leg.ts';
import type { CompiledStep } from '../flow/compiled-flow.ts';
import type {
  HttpRequest,
  StepDefinition,
  StepEvent,
  StepParty,
  StepProgram,
  StepResult,
  Wait,
} from '../steps/step.ts';
import type { BackgroundMedia } from './background-media.ts';
import type { Bridges } from './bridges.ts';
import type { CallRecordings } from './call-recordings.ts';
import type { Deadlines } from './deadlines.ts';
import type { Decision } from './decision.ts';
import type { FlowScope } from './flow-scope.ts';
import type { Direction } from './journal.ts';
import type { LegState, Legs } from './legs.ts';
import type { Memberships } from './memberships.ts';
import type { Parties } from './parties.ts';
import { StepRunContext } from './step-context.ts';
import { StepRunParty } from './step-leg.ts';
import type { TypedAhead } from './typed-ahead.ts';

/** What a visit may ask of the call it is on. */
export interface CallDoor extends Decision {
  readonly direction: Direction;
  readonly eventUrl: string | undefined;
  readonly legs: Legs;
  readonly parties: Parties;
  readonly bridges: Bridges;
  readonly media: BackgroundMedia;
  readonly recordings: CallRecordings;
  readonly memberships: Memberships;
  readonly deadlines: Deadlines;
  readonly typedAhead: TypedAhead;
  random(): number;
  startRequest(stepRun: StepRun, requestId: string, request: HttpRequest): void;
  takeOver(stepRun: StepRun, replacesLegId: string): void;
  doNotCall(number: string): Fault | undefined;
  /** Ends the flows that the visit started beside others. */
  endBranches(stepRun: StepRun, outcome: string): Promise<void> | undefined;
}

/** What a visit may ask of the flow it is in. */
export interface FlowDoor {
  readonly scope: FlowScope;
  callFlow(flow: string | JsonObject, input: JsonObject): Fault | undefined;
  branchOff(stepRun: StepRun, name: string, flow: string, input: JsonObject): Fault | undefined;
}

/** Something started whose answer has not come. */
export interface PendingAnswer {
  leg?: LegState;
  /** Ends it early. */
  stop?: LegCommand;
  abort?: AbortController;
}

export class StepRun {
  readonly number: number;
  readonly step: CompiledStep;
  readonly definition: StepDefinition;
  /** How often its frame has entered the step. */
  readonly count: number;
  input: Json = null;
  program: StepProgram | undefined;
  /** The step was done, and not skipped or refused on entry. */
  hasStarted = false;
  /** Its outcome was given from outside, not by its program. */
  isForced = false;
  /** It listened for speech. */
  listened = false;
  wait: Wait | undefined;
  /** Number of the timer whose deadline this visit waits for. */
  timer: number | undefined;
  /** That timer, once it is set. */
  deadline: Timer | undefined;
  /** What the step says from now on may tell what is sensitive. */
  saysResult = false;
  readonly #call: CallDoor;
  readonly #flow: FlowDoor;
  readonly #owed = new Map<string, PendingAnswer>();
  // Few visits have any of these.
  #joined: Set<LegState> | undefined;
  #referrals: Map<string, LegState> | undefined;
  #handles: Map<LegState, StepParty> | undefined;

  constructor(
    doors: { call: CallDoor; flow: FlowDoor },
    number: number,
    count: number,
    step: CompiledStep,
    definition: StepDefinition,
  ) {
    this.#call = doors.call;
    this.#flow = doors.flow;
    this.count = count;
    this.number = number;
    this.step = step;
    this.definition = definition;
  }

  /** Lines that are in a mix because of this visit. */
  get joined(): Set<LegState> {
    this.#joined ??= new Set();
    return this.#joined;
  }

  /** What far ends asked for (REFER) and have no final answer to. */
  get referrals(): Map<string, LegState> {
    this.#referrals ??= new Map();
    return this.#referrals;
  }

  expect(id: string, owed: PendingAnswer): void {
    this.#owed.set(id, owed);
  }

  /** The answer is not wanted any more; false where there is none to come. */
  settle(id: string): boolean {
    return this.#owed.delete(id);
  }

  request(requestId: string): AbortSignal {
    const abort = new AbortController();
    this.#owed.set(requestId, { abort });
    return abort.signal;
  }

  /** Whether this answer is to something the visit started, and is still owed. */
  accepts(event: StepEvent): boolean {
    switch (event.type) {
      case 'play_ended':
        return this.settle(event.playId);
      case 'record_ended':
        return this.settle(event.recordId);
      case 'digits_sent':
        return this.settle(event.sendId);
      case 'speech_started':
      case 'utterance':
        return this.#owed.has(event.listenId);
      case 'listen_ended':
        return this.settle(event.listenId);
      case 'machine_detected':
        return this.settle(event.detectId);
      case 'refer_ended':
        return this.settle(event.referId);
      case 'stream_started':
      case 'stream_ended':
        return false;
      case 'http':
        return this.settle(event.requestId);
      case 'party':
        return this.accepts(event.event);
      default:
        return true;
    }
  }

  /** The line is the caller's, or that of a party of this visit. */
  mayUse(leg: LegState): boolean {
    return leg === this.#call.legs.main || leg.owner === this;
  }

  /** The step's handle of a party, the same each time. */
  handle(leg: LegState): StepParty {
    this.#handles ??= new Map();
    const handle = this.#handles.get(leg) ?? new StepRunParty(leg, this, this.#call);
    this.#handles.set(leg, handle);
    return handle;
  }

  lineOf(party: StepParty): LegState | undefined {
    return this.#call.parties.of(this).find(({ legId }) => legId === party.id);
  }

  /** Starts the step's program. */
  start(): void {
    this.hasStarted = true;
    const made = this.definition.run(new StepRunContext(this, this.#call, this.#flow));
    this.program = made instanceof Promise ? atOnce(made) : made;
  }

  /** Stops the program and all that the visit started. `$NAME` is the outcome of a visit that an interrupt leaves. */
  async end(outcome: string): Promise<void> {
    const call = this.#call;
    call.deadlines.disarm(this);
    this.wait = undefined;
    const program = this.program;
    this.program = undefined;
    if (program) await program.return({ outcome: 'left' });
    const ended = call.endBranches(this, outcome);
    if (ended) await ended;
    const staying = outcome.startsWith('$') ? call.parties.keptBy(this) : undefined;
    const stays = (leg: LegState): boolean => leg === call.legs.main || leg === staying;
    for (const { leg, stop, abort } of this.#owed.values()) {
      if (leg && stop && stays(leg)) call.legs.send(leg, stop, this.number);
      if (abort) call.onCommit(() => abort.abort());
    }
    this.#owed.clear();
    for (const [referId, leg] of this.#referrals ?? []) call.legs.decline(leg, referId, this.number);
    for (const leg of this.#joined ?? []) {
      if (leg === call.legs.main) call.legs.send(leg, { type: 'leave' }, this.number);
    }
    call.parties.leave(this, staying);
    call.memberships.exitAll(this);
    call.bridges.leave(this.number, staying !== undefined);
  }
}

/** A step that never waits, as a program. */
function atOnce(result: Promise<StepResult>): StepProgram {
  return {
    next: async () => ({ done: true, value: await result }),
    return: async (value) => ({ done: true, value: await value }),
  };
}
