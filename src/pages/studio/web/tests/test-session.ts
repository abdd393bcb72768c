/**
 * Runs the tests of a flow one after another, so that each result is shown at once. Uses `test-run.ts`; shown by
 * `tests-pane.tsx`.
 *
 * Invariant: a new run cancels the previous one.
 */
import { computed, signal } from '@preact/signals';
import { type Coverage, readTests, runTests, type TestFileData, type TestReportData } from './test-run.ts';

export interface ListedTest extends TestFileData {
  /** Absent until the test was run. */
  report?: TestReportData;
  isRunning: boolean;
}

interface Result {
  report: TestReportData;
  coverage: Coverage;
}

const service = { readTests, runTests };

export class TestSession {
  readonly files = signal<readonly TestFileData[]>([]);
  readonly problem = signal<string | undefined>(undefined);
  readonly isLoaded = signal(false);
  /** File of the running test. */
  readonly running = signal<string | undefined>(undefined);
  /** Number of finished tests of this run. */
  readonly done = signal(0);
  readonly #results = signal<ReadonlyMap<string, Result>>(new Map());
  readonly listed = computed((): ListedTest[] =>
    this.files.value.map((each) => {
      const report = this.#results.value.get(each.file)?.report;
      return { ...each, isRunning: this.running.value === each.file, ...(report && { report }) };
    }),
  );
  /** Combined coverage of all tests that were run. */
  readonly coverage = computed((): Coverage => sumOf([...this.#results.value.values()].map((each) => each.coverage)));
  /** True if there are tests and all of them have been run. */
  readonly isKnown = computed(
    () => this.files.value.length > 0 && this.listed.value.every(({ report }) => report !== undefined),
  );
  readonly failed = computed(() => this.listed.value.filter(({ report }) => report?.ok === false).length);
  readonly passed = computed(() => this.listed.value.filter(({ report }) => report?.ok === true).length);
  readonly #flow: string;
  readonly #service: typeof service;
  #run: AbortController | undefined;

  constructor(flow: string, by: typeof service = service) {
    this.#flow = flow;
    this.#service = by;
  }

  /** Reloads the test files and runs all of them on this text. */
  async runAll(text: string | undefined): Promise<void> {
    this.#run?.abort();
    const run = new AbortController();
    this.#run = run;
    this.problem.value = undefined;
    this.done.value = 0;
    try {
      const files = await this.#service.readTests(this.#flow);
      if (run.signal.aborted) return;
      this.files.value = files;
      this.isLoaded.value = true;
      const kept = new Set(files.map(({ file }) => file));
      this.#results.value = new Map([...this.#results.value].filter(([file]) => kept.has(file)));
      for (const { file } of files) {
        this.running.value = file;
        const { reports, coverage } = await this.#service.runTests(
          this.#flow,
          { filter: file, ...(text !== undefined && { text }) },
          run.signal,
        );
        if (run.signal.aborted) return;
        const report = reports.find((each) => isSameFile(each.file, file));
        if (report !== undefined) this.#results.value = new Map(this.#results.value).set(file, { report, coverage });
        this.done.value += 1;
      }
    } catch (error) {
      if (!run.signal.aborted) this.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      if (this.#run === run) {
        this.running.value = undefined;
        this.#run = undefined;
      }
    }
  }

  get isRunning(): boolean {
    return this.running.value !== undefined;
  }

  close(): void {
    this.#run?.abort();
  }
}

/** Reports may contain the file name with its folders. */
const isSameFile = (one: string, other: string): boolean => one === other || one.endsWith(`/${other}`);

function sumOf(coverages: readonly Coverage[]): Coverage {
  const steps: Record<string, number> = {};
  const exits: Record<string, number> = {};
  for (const coverage of coverages) {
    for (const [name, hits] of Object.entries(coverage.steps)) steps[name] = (steps[name] ?? 0) + hits;
    for (const [name, hits] of Object.entries(coverage.exits)) exits[name] = (exits[name] ?? 0) + hits;
  }
  return { steps, exits };
}
