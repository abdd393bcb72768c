/**
 * One run of one step: its program, and the actions that it started on the call. The journal calls it a visit.
 *
 * Invariants
 *  - Actions that a step run started (plays, recordings, recognitions, requests, parties, memberships, branches, its
 *    deadline) belong to it; they are stopped when it is over, and late answers are dropped.
 *  - Nothing is performed here: commands and requests are journalled, and performed after the commit.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { LegCommand, LegEvent } from '../../base/core/leg.ts';
import { answeredRequestOf } from '../../base/core/leg-answers.ts';
import type { CompiledFlow, CompiledStep, VoiceSettings } from '../../language/flow/compiled-flow.ts';
import type {
  StepContext,
  StepDefinition,
  StepEvent,
  StepProgram,
  StepResult,
  Wait,
} from '../../language/steps/step.ts';
import type { CallContext } from './call-context.ts';
import type { Deadline } from './deadlines.ts';

/** An action whose answer is pending. */
export interface PendingAnswer {
  legId?: string;
  /** Command that ends it early. */
  stop?: LegCommand | undefined;
  abort?: AbortController;
}

/** A flow requested by the step. */
export interface FlowRequest {
  flow: CompiledFlow;
  input: JsonObject;
  /** Language and voice of the requesting step, as defaults of the flow. */
  voiceSettings?: VoiceSettings;
}

export type EnteredStep = Pick<StepRun, 'number' | 'count' | 'step' | 'definition' | 'voiceSettings'>;

export class StepRun {
  readonly number: number;
  /** Count of entries of the step in its flow. */
  readonly count: number;
  readonly step: CompiledStep;
  readonly definition: StepDefinition;
  input: Json = null;
  /** Language and voice of the step. */
  voiceSettings: VoiceSettings;
  program: StepProgram | undefined;
  /** True unless the step was skipped or refused on entry. */
  hasStarted = false;
  /** True if a command determined its outcome, not its program. */
  isForced = false;
  /** True if it listened for speech. */
  hasListened = false;
  wait: Wait | undefined;
  deadline: Deadline | undefined;
  /** True if prompts of the step may contain its sensitive result from now on. */
  saysResult = false;
  /** True while the caller's input is withheld from recordings, streams and recognition. */
  isWithholding = false;
  /** Flow to run inside this step, from its next wait on. */
  calledFlow: FlowRequest | undefined;
  /** Result if it is left before its program ends. */
  resultSoFar: ((output?: Json) => JsonObject) | undefined;
  /** Flow that replaces the current ones after it. */
  nextFlow: FlowRequest | undefined;
  // Allocated on demand, because few step runs need them.
  #pending: Map<string, PendingAnswer> | undefined;
  #joined: Set<string> | undefined;
  #referrals: Map<string, string> | undefined;

  constructor({ number, count, step, definition, voiceSettings }: EnteredStep) {
    this.number = number;
    this.count = count;
    this.step = step;
    this.definition = definition;
    this.voiceSettings = voiceSettings;
  }

  /** Legs that this step run has joined to a mix. */
  get joined(): Set<string> {
    this.#joined ??= new Set();
    return this.#joined;
  }

  /** REFER requests without a final answer: refer id → leg id. */
  get referrals(): Map<string, string> {
    this.#referrals ??= new Map();
    return this.#referrals;
  }

  /** True if keys that the caller presses now are masked in the journal. */
  get hidesKeys(): boolean {
    return this.step.sensitive || this.definition.hidesKeys === true;
  }

  /** `key`: of a request to a leg (`base/core/leg-answers.ts`), or the id of an HTTP request. */
  expect(key: string, answer: PendingAnswer): void {
    this.#pending ??= new Map();
    this.#pending.set(key, answer);
  }

  /** The answer has arrived or is no longer needed; false if none was expected. */
  settle(key: string): boolean {
    return this.#pending?.delete(key) ?? false;
  }

  /** True if the event is for this step run: unsolicited, or the answer to one of its requests. */
  accepts(event: StepEvent): boolean {
    if (event.type === 'party') return this.accepts(event.event);
    if (event.type === 'http') return this.settle(event.requestId);
    const answer = answeredRequestOf(event as LegEvent);
    if (!answer) return true;
    return answer.isFinal ? this.settle(answer.name) : (this.#pending?.has(answer.name) ?? false);
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

  /** Stops all actions. `$NAME` is the outcome of a step that an interrupt leaves: it may keep its party. */
  release({ legs, transaction, memberships, bridges }: CallContext, outcome: string): void {
    const kept = outcome.startsWith('$') ? legs.keptBy(this.number) : undefined;
    const mainId = legs.main.legId;
    for (const { legId, stop, abort } of this.#pending?.values() ?? []) {
      const stays = legId === mainId || (legId !== undefined && legId === kept?.legId);
      if (stays && stop) legs.send(legs.find(legId)!, stop, this.number);
      if (abort) transaction.onCommit(() => abort.abort());
    }
    this.#pending = undefined;
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

/** Wraps a step that never waits as a program. */
function programOf(result: Promise<StepResult>): StepProgram {
  return {
    next: async () => ({ done: true, value: await result }),
    return: async (value) => ({ done: true, value: await value }),
  };
}
