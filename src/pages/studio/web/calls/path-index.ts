/**
 * Index of a call's path: for each step and exit, the ordered entries at which the call took it, so that a count is a
 * binary search. Returns the same as `pathOf` (`../journal/path.ts`) without reading the journal again.
 */
import type { Entry } from '../journal/entries.ts';
import type { VisitedPath } from '../journal/path.ts';
import { countWhere, lastWhere } from './timeline.ts';

interface FlowIndex {
  steps: Map<string, number[]>;
  exits: Map<string, number[]>;
  entered: { index: number; step: string }[];
  /** Versions of the flow, each with its first entry. */
  versions: { index: number; hash: string }[];
}

export class PathIndex {
  readonly #flows = new Map<string, FlowIndex>();
  /** Flow of the innermost step, each with its first entry. */
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

  /** Flows that ran, in the order in which they started. */
  get flows(): string[] {
    return [...this.#flows.keys()];
  }

  /** Flow that runs at an entry. Undefined if no flow runs. */
  flowAt(index: number): string | undefined {
    return this.#running.length === 0 ? undefined : lastWhere(this.#running, (each) => each.index <= index).flow;
  }

  /**
   * Version of a flow that ran at an entry, or else its first version. Undefined if the journal does not contain one.
   */
  versionAt(index: number, flowName: string): string | undefined {
    const versions = this.#flows.get(flowName)?.versions ?? [];
    return (versions.findLast((each) => each.index <= index) ?? versions[0])?.hash;
  }

  /** Path up to and including this entry. */
  at(index: number, flowName: string): VisitedPath {
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
