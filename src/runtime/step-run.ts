/**
 * One run of one step: its program, and what it started on the call. The journal calls it a visit.
 *
 * Invariants
 *  - what a step run started (plays, recordings, listenings, requests, parties, memberships, branches, its deadline)
 *     belongs to it; when it is over that is stopped, and answers that still arrive are dropped;
 *  - nothing is done here: commands and requests are journalled, and performed after the commit.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { LegCommand, LegEvent } from '../core/leg.ts';
import { answeredRequestOf } from '../core/leg-answers.ts';
import type { CompiledFlow, CompiledStep, Speaker } from '../flow/compiled-flow.ts';
import type { StepContext, StepDefinition, StepEvent, StepProgram, StepResult, Wait } from '../steps/step.ts';
import type { CallContext } from './call-context.ts';
import type { Deadline } from './deadlines.ts';

/** Something started whose answer has not come. */
export interface PendingAnswer {
  legId?: string;
  /** Ends it early. */
  stop?: LegCommand | undefined;
  abort?: AbortController;
}

/** A flow that the step asks for. */
export interface FlowRequest {
  flow: CompiledFlow;
  input: JsonObject;
  /** Of the step that asks: the flow speaks as it does where it says nothing itself. */
  speaker?: Speaker;
}

export class StepRun {
  readonly number: number;
  /** How often its flow has entered the step. */
  readonly count: number;
  readonly step: CompiledStep;
  readonly definition: StepDefinition;
  input: Json = null;
  /** How it speaks and listens. */
  speaker: Speaker;
  program: StepProgram | undefined;
  /** The step was not skipped, and not refused on entry. */
  hasStarted = false;
  /** Its outcome was given by a command, not by its program. */
  isForced = false;
  /** It listened for speech. */
  hasListened = false;
  wait: Wait | undefined;
  deadline: Deadline | undefined;
  /** What the step says from now on may contain its sensitive result. */
  saysResult = false;
  /** What the caller enters is kept from recordings, streams and recognition. */
  isWithholding = false;
  /** The flow to run inside this step, from its next wait on. */
  calledFlow: FlowRequest | undefined;
  /** The flow that comes after it for good. */
  nextFlow: FlowRequest | undefined;
  readonly #pending = new Map<string, PendingAnswer>();
  // Few step runs have any of these.
  #joined: Set<string> | undefined;
  #referrals: Map<string, string> | undefined;

  constructor(number: number, count: number, step: CompiledStep, definition: StepDefinition, speaker: Speaker) {
    this.number = number;
    this.count = count;
    this.step = step;
    this.definition = definition;
    this.speaker = speaker;
  }

  /** The legs that are in a mix because of this step run. */
  get joined(): Set<string> {
    this.#joined ??= new Set();
    return this.#joined;
  }

  /** Requests of far ends (REFER) that have no final answer: refer id → leg id. */
  get referrals(): Map<string, string> {
    this.#referrals ??= new Map();
    return this.#referrals;
  }

  /** Keys that the caller presses now are masked in the journal. */
  get hidesKeys(): boolean {
    return this.step.sensitive || this.definition.hidesKeys === true;
  }

  /** `key`: of a request to a leg (`core/leg-answers.ts`), or the id of an HTTP request. */
  expect(key: string, answer: PendingAnswer): void {
    this.#pending.set(key, answer);
  }

  /** The answer has come, or is not wanted any more; false where none was expected. */
  settle(key: string): boolean {
    return this.#pending.delete(key);
  }

  /** Whether this event is for the step run: unasked for, or the answer to something that it started. */
  accepts(event: StepEvent): boolean {
    if (event.type === 'party') return this.accepts(event.event);
    if (event.type === 'http') return this.settle(event.requestId);
    const answer = answeredRequestOf(event as LegEvent);
    if (!answer) return true;
    return answer.isFinal ? this.settle(answer.name) : this.#pending.has(answer.name);
  }

  start(context: StepContext): void {
    this.hasStarted = true;
    const program = this.definition.run(context);
    this.program = program instanceof Promise ? programOf(program) : program;
  }

  cancelDeadline(): void {
    this.deadline?.cancel();
    this.deadline = undefined;
  }

  async stopProgram(): Promise<void> {
    this.cancelDeadline();
    this.wait = undefined;
    const { program } = this;
    this.program = undefined;
    if (program) await program.return({ outcome: 'left' } satisfies StepResult);
  }

  /** Stops all that was started. `$NAME` is the outcome of a step that an interrupt leaves: it may keep its party. */
  release({ legs, transaction, memberships, bridges }: CallContext, outcome: string): void {
    const kept = outcome.startsWith('$') ? legs.keptBy(this.number) : undefined;
    const mainId = legs.main.legId;
    for (const { legId, stop, abort } of this.#pending.values()) {
      const stays = legId === mainId || (legId !== undefined && legId === kept?.legId);
      if (stays && stop) legs.send(legs.find(legId)!, stop, this.number);
      if (abort) transaction.onCommit(() => abort.abort());
    }
    this.#pending.clear();
    for (const [referId, legId] of this.#referrals ?? []) {
      const leg = legs.find(legId);
      if (leg) legs.decline(leg, referId, this.number);
    }
    if (this.#joined?.has(mainId)) legs.send(legs.main, { type: 'leave' }, this.number);
    if (this.isWithholding) legs.send(legs.main, { type: 'withhold', on: false }, this.number);
    legs.releaseParties(this.number, kept);
    memberships.exitAll(this.number);
    bridges.leave(this.number, kept !== undefined);
  }
}

/** A step that never waits, as a program. */
function programOf(result: Promise<StepResult>): StepProgram {
  return {
    next: async () => ({ done: true, value: await result }),
    return: async (value) => ({ done: true, value: await value }),
  };
}
