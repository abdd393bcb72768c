/**
 * Saves flows and their tests together, all or none: the texts are checked next to each other, so that a caller fits
 * the flow that it calls although neither fits the saved version of the other. `flow-files.ts` uses it.
 */
import { type Diagnostic, hasErrors } from '../../../base/core/diagnostic.ts';
import { defined } from '../../../base/core/json.ts';
import type { FlowLibrary } from '../../../language/flow/flow-library.ts';
import { shownIn } from '../../../language/flow/properties-beside.ts';
import { CallError, type CallErrorCode } from '../call-error.ts';
import type { ProvisionedNumber } from '../numbers/numbers.ts';
import { type FlowFinder, type FoundFlow, nameInText, otherFlow } from './find-flows.ts';
import type { CheckFlow } from './flow-check.ts';
import { requireNumbersFit } from './flow-input.ts';
import type { FlowVersionStore } from './flow-version-store.ts';
import { type Precondition, requireMatch } from './precondition.ts';
import type { SavedFlow, ShownFlow } from './shown-flow.ts';
import type { SavedTest, TestFiles } from './test-files.ts';
import { checkedText, type TextFiles } from './text-files.ts';

/** A flow, or a test of it, that is to be saved. */
export interface FileOrder {
  flow: string;
  /** File of the test. Undefined for the flow itself. */
  test?: string | undefined;
  text: string;
  precondition: Precondition;
  /** True to save a flow despite errors. */
  isDraft: boolean;
}

export interface SavedFiles {
  flows: SavedFlow[];
  tests: (SavedTest & { flow: string })[];
}

/** A file because of which nothing was saved. */
export interface RefusedFile {
  order: FileOrder;
  error: CallError;
}

/** Thrown by the save of one file as the error of this file, by that of several with all of them. */
export class RefusedFiles extends Error {
  readonly files: readonly RefusedFile[];
  constructor(files: readonly RefusedFile[]) {
    super('files were refused');
    this.files = files;
  }
}

export interface FileSaverParts {
  flows: FlowLibrary;
  numbers(): readonly Pick<ProvisionedNumber, 'number' | 'flow' | 'input'>[];
  /** Texts with errors that were saved on purpose, by path. */
  drafts: Map<string, string>;
  versions: Pick<FlowVersionStore, 'keep'>;
  /** Called when new calls of the flow use another version, or none. */
  changed(name: string, who?: string): void;
  /** Runs the work now, or as soon as the store is writable again. */
  whenWritable(work: () => void): void;
  nowMs(): number;
}

interface SaverParts extends FileSaverParts {
  files: TextFiles;
  finder: FlowFinder;
  tests: TestFiles;
  checkFlow: CheckFlow;
  shown(diagnostics: readonly Diagnostic[]): Diagnostic[];
  show(name: string): Promise<ShownFlow>;
  /** Called after files were written. */
  written(): void;
}

interface PlannedFlow {
  order: FileOrder;
  path: string;
  now: FoundFlow | undefined;
}

/** Errors of a file. Any other error, such as that of a full queue of checks, is one of the whole save. */
const OF_A_FILE: readonly CallErrorCode[] = [
  ...(['changed_meanwhile', 'read_only', 'unknown_flow', 'unknown_setting', 'flow_invalid'] as const),
  ...(['input_invalid', 'text_malformed', 'text_too_large'] as const),
];

export type SaveFiles = (
  orders: readonly FileOrder[],
  author: { who: string; signal: AbortSignal },
) => Promise<SavedFiles>;

/** The returned function throws `RefusedFiles`, and has written nothing, if one of the files cannot be saved. */
export function createFileSaver(parts: SaverParts): SaveFiles {
  const { flows, files, finder, tests } = parts;

  /** Plans the flows whose names and versions allow it. */
  const planned = async (
    orders: readonly FileOrder[],
    attempts: Attempts,
    isFresh: boolean,
  ): Promise<PlannedFlow[]> => {
    const listed = await finder.list({ isFresh });
    const made: PlannedFlow[] = [];
    for (const order of orders) {
      await attempts.run(order, async () => {
        const now = listed.find(({ name }) => name === order.flow);
        if (now) mayChange(now);
        requireMatch(order.precondition, now?.stored);
        made.push({ order, path: now?.path ?? (await finder.newPath(order.flow)), now });
      });
    }
    return made;
  };

  /** The planned flows that compile next to each other. Drafts with errors are left out. */
  const soundOf = (
    plans: readonly PlannedFlow[],
    drafts: ReadonlySet<FileOrder>,
    attempts: Attempts,
  ): PlannedFlow[] => {
    const sound = plans.filter(({ order }) => !drafts.has(order));
    const made = flows.checkTogether(sound.map(({ order, path }) => ({ file: path, text: order.text })));
    const left = sound.filter(({ order, path }, index) => {
      const { flow, diagnostics } = made[index]!;
      return attempts.now(order, () => {
        if (flow) requireNumbersFit(flow, parts.numbers());
        else if (!order.isDraft) throw invalid(parts.shown(shownIn(path, diagnostics)));
        return flow !== undefined;
      });
    });
    // Without a draft, the flows that use it may not compile either.
    return attempts.areFine && left.length < sound.length ? soundOf(left, drafts, attempts) : left;
  };

  return async (orders, { who, signal }) => {
    const attempts = new Attempts();
    const flowOrders = orders.filter(({ test }) => test === undefined);
    const testOrders = orders.filter(({ test }) => test !== undefined);
    for (const order of orders) attempts.now(order, () => checkedText(order.text));
    for (const order of flowOrders) attempts.now(order, () => requireOwnName(order.flow, nameInText(order.text)));
    const plans = await planned(flowOrders, attempts, false);
    const listed = await finder.list();
    for (const order of testOrders) {
      await attempts.run(order, async () => {
        const flow = [...plans.map(({ order: { flow: name }, path }) => ({ name, path })), ...listed];
        tests.requireTest(
          flow.find(({ name }) => name === order.flow),
          order.test!,
          order.text,
        );
        requireMatch(order.precondition, await files.read(order.test!));
      });
    }
    attempts.end();
    const drafts = new Set<FileOrder>();
    for (const { order, path } of plans) {
      const beside = plans.flatMap((other) =>
        other.order === order ? [] : { file: other.path, text: other.order.text },
      );
      const job = { file: path, text: order.text, name: order.flow, ...(beside.length > 0 && { beside }) };
      const { diagnostics } = await parts.checkFlow(job, { signal });
      if (!hasErrors(diagnostics)) continue;
      if (order.isDraft) drafts.add(order);
      else
        attempts.now(order, () => {
          throw invalid(parts.shown(diagnostics));
        });
    }
    attempts.end();
    return files.inTurn(async () => {
      const fresh = await planned(flowOrders, attempts, true);
      const before = new Map<FileOrder, string | undefined>(fresh.map(({ order, now }) => [order, now?.stored.etag]));
      for (const order of testOrders) {
        await attempts.run(order, async () => {
          const now = await files.read(order.test!);
          requireMatch(order.precondition, now);
          before.set(order, now?.etag);
        });
      }
      attempts.end();
      const sound = soundOf(fresh, drafts, attempts);
      attempts.end();
      const texts = [
        ...fresh.map(({ order, path }) => ({ order, file: files.nameOf(path)! })),
        ...testOrders.map((order) => ({ order, file: order.test! })),
      ];
      const stored = await files.writeTogether(
        texts.map(({ order, file }) => ({ file, text: order.text, before: before.get(order) })),
      );
      parts.written();
      for (const plan of fresh) if (!sound.includes(plan)) parts.drafts.set(plan.path, plan.order.text);
      takeInForce(sound, who);
      const saved: SavedFlow[] = [];
      for (const { order } of fresh)
        saved.push(defined({ saved: await parts.show(order.flow), before: before.get(order) }));
      return {
        flows: saved,
        tests: testOrders.map((order, index) =>
          defined({
            flow: order.flow,
            saved: tests.shownAs(stored[fresh.length + index]!),
            before: before.get(order),
          }),
        ),
      };
    });
  };

  function takeInForce(sound: readonly PlannedFlow[], who: string): void {
    const made = flows.takeTogether(sound.map(({ order, path }) => ({ file: path, text: order.text })));
    const versions = sound.map(({ order: { flow: name, text } }, index) => ({
      ...{ name, text, hash: made[index]!.flow!.hash },
      ...{ author: who, firstMs: parts.nowMs() },
    }));
    if (versions.length > 0) parts.whenWritable(() => parts.versions.keep(versions));
    for (const { name } of versions) parts.changed(name, who);
  }
}

/** Collects the files that cannot be saved. */
class Attempts {
  readonly #refused: RefusedFile[] = [];

  get areFine(): boolean {
    return this.#refused.length === 0;
  }

  /** Runs the work, whose error is that of the file. Undefined after an error. */
  now<Made>(order: FileOrder, work: () => Made): Made | undefined {
    try {
      return work();
    } catch (error) {
      this.#refuse(order, error);
      return undefined;
    }
  }

  async run(order: FileOrder, work: () => Promise<void>): Promise<void> {
    await work().catch((error) => this.#refuse(order, error));
  }

  /** Throws if a file was refused. */
  end(): void {
    if (!this.areFine) throw new RefusedFiles(this.#refused);
  }

  #refuse(order: FileOrder, error: unknown): void {
    if (!(error instanceof CallError && OF_A_FILE.includes(error.code))) throw error;
    if (!this.#refused.some((known) => known.order === order)) this.#refused.push({ order, error });
  }
}

export function mayChange({ name, isBuiltIn }: FoundFlow): void {
  if (!isBuiltIn) return;
  throw new CallError('read_only', `the flow ${name} comes with the program`, { hint: 'save it under another name' });
}

/** `written`: name given in the text. */
export function requireOwnName(name: string, written: string | undefined): void {
  if (written === undefined || written === name) return;
  const { message, hint } = otherFlow(written, name);
  throw new CallError('flow_invalid', message, { hint });
}

export const invalid = (diagnostics: readonly Diagnostic[]): CallError => {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  return new CallError('flow_invalid', first?.message ?? 'the flow does not compile', {
    diagnostics,
    hint: 'fix it, or save it as a draft: calls continue to use the previous version',
  });
};
