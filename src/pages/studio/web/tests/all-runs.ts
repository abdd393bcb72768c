/**
 * Runs the tests of all flows, one flow after another, so that each result is shown at once. Uses `test-run.ts`; shown
 * by `all-tests.tsx`.
 *
 * Invariant: a new run cancels the previous one.
 */
import { computed, signal } from '@preact/signals';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { type Reached, reachedOf } from './paths.ts';
import type { TestRunData } from './test-run.ts';

export interface FlowWithTests {
  name: string;
  tests: number;
  errors: number;
}

/** Test results of one flow. */
export interface FlowRun {
  passed: number;
  failed: number;
  reached?: Reached;
  /** Reason why the tests could not be run. */
  problem?: string;
}

export interface AllRunsService {
  listFlows(): Promise<readonly FlowWithTests[]>;
  runTests(flow: string, signal: AbortSignal): Promise<TestRunData>;
  readGraph(flow: string, signal: AbortSignal): Promise<FlowGraph>;
}

export class AllRuns {
  readonly flows = signal<readonly FlowWithTests[] | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);
  readonly runs = signal<ReadonlyMap<string, FlowRun>>(new Map());
  /** Flow whose tests are running. */
  readonly running = signal<string | undefined>(undefined);
  readonly passed = computed(() => sumOf(this.runs.value, ({ passed }) => passed));
  readonly failed = computed(() => sumOf(this.runs.value, ({ failed, problem }) => failed + (problem ? 1 : 0)));
  readonly #service: AllRunsService;
  #run: AbortController | undefined;

  constructor(service: AllRunsService) {
    this.#service = service;
  }

  async runAll(): Promise<void> {
    this.close();
    const run = new AbortController();
    this.#run = run;
    this.problem.value = undefined;
    try {
      const flows = await this.#service.listFlows();
      if (run.signal.aborted) return;
      this.flows.value = flows;
      this.runs.value = new Map();
      for (const { name, tests } of flows) {
        if (tests === 0) continue;
        this.running.value = name;
        const found = await this.#runOne(name, run.signal);
        if (run.signal.aborted) return;
        this.runs.value = new Map(this.runs.value).set(name, found);
      }
    } catch (error) {
      if (!run.signal.aborted) this.problem.value = wordsOf(error);
    } finally {
      if (this.#run === run) {
        this.running.value = undefined;
        this.#run = undefined;
      }
    }
  }

  close(): void {
    this.#run?.abort();
  }

  /** A flow with errors has no result and does not stop the run. */
  async #runOne(name: string, signal: AbortSignal): Promise<FlowRun> {
    try {
      const { reports, coverage } = await this.#service.runTests(name, signal);
      const failed = reports.filter(({ ok }) => !ok).length;
      const reached = reachedOf(await this.#service.readGraph(name, signal), coverage);
      return { passed: reports.length - failed, failed, reached };
    } catch (error) {
      return { passed: 0, failed: 0, problem: wordsOf(error) };
    }
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const sumOf = (runs: ReadonlyMap<string, FlowRun>, count: (run: FlowRun) => number): number =>
  [...runs.values()].reduce((sum, run) => sum + count(run), 0);
