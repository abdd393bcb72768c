/** Variables of the call's flow and of its running subflows at a given moment. */
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import type { Entry } from './entries.ts';

export interface VariableFrame {
  flow: string;
  depth: number;
  branch?: string;
  vars: JsonObject;
  /** Variables that the last entry set. */
  changed: ReadonlySet<string>;
}

/** Frames from the outermost to the innermost. Default values declared in the flow are not in the journal. */
export function framesAt(journal: readonly Entry[], untilSeq = Number.POSITIVE_INFINITY): VariableFrame[] {
  const frames = new Map<string, VariableFrame>();
  const visits = new Map<number, string>();
  for (const entry of journal) {
    if (entry.seq > untilSeq) break;
    if (entry.kind === 'entered') {
      const { flow, depth, branch } = entry;
      const key = `${branch ?? ''} ${depth}`;
      visits.set(entry.visit, key);
      if (frames.get(key)?.flow !== flow) {
        frames.set(key, { flow, depth, vars: {}, changed: new Set(), ...(branch !== undefined && { branch }) });
      }
      // Subflows of the previous step have returned.
      for (const [other, frame] of frames) {
        if (frame.branch === branch && frame.depth > depth) frames.delete(other);
      }
    }
    const frame =
      entry.kind === 'vars'
        ? frames.get((entry.visit === undefined ? undefined : visits.get(entry.visit)) ?? ' 0')
        : undefined;
    if (entry.kind !== 'vars' || frame === undefined) continue;
    frame.vars = { ...frame.vars, ...entry.set };
    frame.changed = entry.seq === untilSeq ? new Set(Object.keys(entry.set)) : frame.changed;
  }
  return [...frames.values()];
}

/** Latest result of each step, as `steps.NAME` in expressions. */
export function resultsAt(journal: readonly Entry[], untilSeq = Number.POSITIVE_INFINITY): Record<string, Json> {
  const results: Record<string, Json> = {};
  for (const entry of journal) {
    if (entry.seq > untilSeq) break;
    if (entry.kind === 'left') results[entry.step] = entry.result ?? null;
  }
  return results;
}
