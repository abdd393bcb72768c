/**
 * The way of a call at each of its entries, without reading the journal again: for each step and each exit the entries at
 * which it was taken, in order, so that a count is a search. Gives what `pathOf` gives (`../journal/path.ts`).
 */
import type { Entry } from '../journal/entries.ts';
import type { Path } from '../journal/path.ts';
import { countWhere, lastWhere } from './timeline.ts';

interface FlowIndex {
  steps: Map<string, number[]>;
  exits: Map<string, number[]>;
  entered: { index: number; step: string }[];
  /** Its versions, each from an entry on. */
  versions: { index: number; hash: string }[];
}

export class PathIndex {
  readonly #flows = new Map<string, FlowIndex>();
  /** The flow of the innermost step, from each entry on. */
  readonly #running: { index: number; flow: string }[] = [];

  constructor(journal: readonly Entry[]) {
    const flowOfVisit = new Map<number, string>();
    for (const [index, entry] of journal.entries()) {
      if ((entry.kind === 'started' || entry.kind === 'entered') && entry.flowHash !== undefined) {
        this.#flowAt(entry.flow).versions.push({ index, hash: entry.flowHash });
      }
      if (entry.kind === 'entered') {
        const flow = this.#flowAt(entry.flow);
        flowOfVisit.set(entry.visit, entry.flow);
        push(flow.steps, entry.step, index);
        flow.entered.push({ index, step: entry.step });
        this.#running.push({ index, flow: entry.flow });
      }
      const left = entry.kind === 'left' ? flowOfVisit.get(entry.visit) : undefined;
      if (left !== undefined && entry.kind === 'left') {
        push(this.#flowAt(left).exits, `${entry.step} ${entry.outcome}`, index);
      }
    }
  }

  /** The flows that ran, in the order in which they began. */
  get flows(): string[] {
    return [...this.#flows.keys()];
  }

  /** The flow that runs at an entry; undefined where none does. */
  flowAt(index: number): string | undefined {
    return this.#running.length === 0 ? undefined : lastWhere(this.#running, (each) => each.index <= index).flow;
  }

  /** The version of a flow that ran at an entry, or the first one; undefined where the journal does not say it. */
  versionAt(index: number, flowName: string): string | undefined {
    const versions = this.#flows.get(flowName)?.versions ?? [];
    return (versions.findLast((each) => each.index <= index) ?? versions[0])?.hash;
  }

  /** Up to and with this entry. */
  at(index: number, flowName: string): Path {
    const flow = this.#flows.get(flowName);
    if (flow === undefined) return { steps: new Map(), exits: new Map() };
    const isUntil = (each: number): boolean => each <= index;
    const counted = (lists: ReadonlyMap<string, number[]>): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const [key, list] of lists) {
        const count = countWhere(list, isUntil);
        if (count > 0) counts.set(key, count);
      }
      return counts;
    };
    const reached = countWhere(flow.entered, (each) => each.index <= index);
    const now = flow.entered[reached - 1]?.step;
    return { steps: counted(flow.steps), exits: counted(flow.exits), ...(now !== undefined && { now }) };
  }

  #flowAt(name: string): FlowIndex {
    const known = this.#flows.get(name);
    if (known !== undefined) return known;
    const made: FlowIndex = { steps: new Map(), exits: new Map(), entered: [], versions: [] };
    this.#flows.set(name, made);
    return made;
  }
}

function push(lists: Map<string, number[]>, key: string, index: number): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [index]);
  else known.push(index);
}
