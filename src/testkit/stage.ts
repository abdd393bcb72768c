/**
 * One call on a stage: the real run, the real steps and a book in memory, on a simulated line in virtual time. Scenarios
 * are played on it, and tests that want to hold the strings themselves.
 *
 * Invariants
 *  S1 everything that could differ between two performances (time, ids, chance, the order of timers) comes from the
 *     options, so that the same options give the same journal byte for byte;
 *  S2 `journal` is what was committed, in order.
 */
import { countingIds } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { Book } from '../runtime/book.ts';
import type { CallCommand, CommandReply, Direction, JournalEntry } from '../runtime/journal.ts';
import type { Run, RunPorts, RunSpec } from '../runtime/run.ts';
import { createSupervisor, type Supervisor } from '../runtime/supervisor.ts';
import { stepsByVerb } from '../steps/index.ts';
import type { StepDefinition } from '../steps/step.ts';
import { createMemoryStore } from '../store/memory/store.ts';
import type { AudioSource } from '../telephony/audio.ts';
import { SimulatedEngine } from '../telephony/simulated/engine.ts';
import type { CalleePlan, FarEnd } from '../telephony/simulated/far-end.ts';
import { silentAudio } from './audio.ts';
import { VirtualClock } from './virtual-clock.ts';

const DEFAULT_SEED = 1;
const CALL_ID = 'call-1';
const PROJECT_ID = 'rehearsal';

export interface StageOptions {
  flow: CompiledFlow;
  /** Flows that subflows and commands name. */
  flows?: (flow: string | JsonObject) => CompiledFlow | undefined;
  steps?: ReadonlyMap<string, StepDefinition>;
  startMs?: number;
  seed?: number;
  from?: string;
  to?: string;
  direction?: Direction;
  /** Outbound: what the dialled party does, and how long it may ring. */
  callee?: CalleePlan;
  ringTimeoutMs?: number;
  input?: JsonObject;
  env?: JsonObject;
  secrets?: JsonObject;
  schedules?: Readonly<Record<string, Json>>;
  eventUrl?: string;
  audio?: Pick<AudioSource, 'durationMs'>;
  http?: RunPorts['http'];
  /** Told of every entry when it is committed. */
  committed?: (entry: JournalEntry) => void;
}

export class Stage {
  readonly clock: VirtualClock;
  readonly journal: JournalEntry[] = [];
  /** What the run could not handle: empty, or we are wrong. */
  readonly crashes: unknown[] = [];
  readonly book: Book;
  readonly #options: StageOptions;
  readonly #supervisor: Supervisor;
  readonly #engine: SimulatedEngine;
  #farEnd: FarEnd | undefined;
  #run: Run | undefined;
  #isOver = false;

  /** Raises the curtain: the caller is about to be heard of, or the party has just been dialled. */
  static async open(options: StageOptions): Promise<Stage> {
    const stage = new Stage(options);
    await stage.clock.settle();
    return stage;
  }

  private constructor(options: StageOptions) {
    this.#options = options;
    this.clock = new VirtualClock(options.startMs);
    this.book = createMemoryStore().book;
    const ids = countingIds();
    this.#engine = new SimulatedEngine({
      clock: this.clock,
      ids,
      audio: options.audio ?? silentAudio(),
      callee: () => options.callee ?? { does: 'answer' },
      dialled: (farEnd) => {
        this.#farEnd = farEnd;
      },
    });
    this.#supervisor = createSupervisor({
      clock: this.clock,
      ids,
      engine: this.#engine,
      book: {
        commit: async (write) => {
          await this.book.commit(write);
          this.journal.push(...write.entries);
          for (const entry of write.entries) this.#options.committed?.(entry);
        },
      },
      flow: (flow) => options.flows?.(flow),
      steps: options.steps ?? stepsByVerb,
      http:
        options.http ??
        (async ({ name }) => ({ ok: false, reason: 'network', message: `${name}: there is no network` })),
      deliveriesOf: () => [],
      recordingFile: (callId, recordId) => `${callId}/${recordId}.wav`,
      crashed: (_callId, error) => this.crashes.push(error),
    });
    void this.#engine.start({
      incoming: ({ legId }) => this.#begin(legId),
      event: (legId, event) => this.#supervisor.event(legId, event),
    });
    const { from, to } = this;
    if (options.direction === 'outbound') {
      const legId = ids.next('leg');
      this.#begin(legId, { legId, from, to, ringTimeoutMs: options.ringTimeoutMs ?? 30_000 });
    } else {
      this.#farEnd = this.#engine.call({ from, to });
    }
  }

  get farEnd(): FarEnd {
    return this.#farEnd!;
  }

  get from(): string {
    return this.#options.from ?? '+33612345678';
  }

  get to(): string {
    return this.#options.to ?? '+33199001122';
  }

  /** The call is over and its journal complete. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get run(): Run | undefined {
    return this.#run;
  }

  /** What an application asks of the call by REST. */
  command(command: CallCommand): Promise<CommandReply> {
    return this.#supervisor.command(CALL_ID, command);
  }

  /** Lets time pass until the call is over, or until this much has passed. */
  async play(limitMs: number = Number.POSITIVE_INFINITY): Promise<void> {
    const untilMs = this.clock.now() + limitMs;
    while (!this.#isOver && (await this.clock.advanceToNext(untilMs))) {
      // Each round is one deadline.
    }
    if (!this.#isOver && Number.isFinite(untilMs)) await this.clock.advanceTo(untilMs);
  }

  #begin(legId: string, dial?: RunSpec['dial']): void {
    const { flow, seed, input, env, secrets, schedules, eventUrl } = this.#options;
    this.#run = this.#supervisor.begin({
      callId: CALL_ID,
      projectId: PROJECT_ID,
      direction: dial ? 'outbound' : 'inbound',
      from: this.from,
      to: this.to,
      legId,
      ...(dial ? { dial } : {}),
      flow,
      input: input ?? {},
      seed: seed ?? DEFAULT_SEED,
      env: env ?? {},
      secrets: secrets ?? {},
      schedules: schedules ?? {},
      ...(eventUrl === undefined ? {} : { eventUrl }),
    });
    void this.#run.done.then(() => {
      this.#isOver = true;
    });
  }
}
