/** Stack of active flows of a call, read from its journal: flow, step and variables, the outermost first. */
import type { JsonObject } from '../../base/core/json.ts';
import { defaultsOf } from '../../language/flow/declared-values.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import type { FindFlow } from './replay-result.ts';

export interface JournalFrame {
  flow: string;
  /** Undefined between two steps. */
  step?: string;
  visit?: number;
  vars: JsonObject;
  /** Name of the branch, if the flow is one. */
  branch?: string;
}

export function framesOf(journal: readonly JournalEntry[], flows: FindFlow): JournalFrame[] {
  /** Stacks by branch, the main one first. */
  const stacks = new Map<string | undefined, JournalFrame[]>([[undefined, []]]);
  const frameOf = (visit: number): [stack: JournalFrame[], index: number] | undefined => {
    for (const stack of stacks.values()) {
      const index = stack.findIndex((frame) => frame.visit === visit);
      if (index >= 0) return [stack, index];
    }
    return undefined;
  };
  for (const entry of journal) {
    if (entry.kind === 'entered') {
      const { branch, depth, flow, step, visit, flowHash } = entry;
      const stack = stacks.get(branch) ?? [];
      stacks.set(branch, stack);
      const known = stack[depth];
      // Only the first step of a called flow has `flowHash`: the same flow may be called twice in a row.
      const goesOn = known?.flow === flow && flowHash === undefined;
      const vars = goesOn ? known.vars : defaultsOf(flows(flow)?.vars);
      const frame: JournalFrame = { flow, step, visit, vars, ...(branch === undefined ? {} : { branch }) };
      stack.splice(depth, stack.length, frame);
    } else if (entry.kind === 'vars') {
      const [stack, index] = (entry.visit === undefined ? undefined : frameOf(entry.visit)) ?? [stacks.get(undefined)!];
      const frame = index === undefined ? stack.at(-1) : stack[index];
      if (frame) frame.vars = { ...frame.vars, ...entry.set };
    } else if (entry.kind === 'left') {
      const [stack, index] = frameOf(entry.visit) ?? [];
      if (!stack || index === undefined) continue;
      const { step: _step, visit: _visit, ...frame } = stack[index]!;
      stack.splice(index, stack.length, frame);
      // A branch ends with the step that started it.
      for (const branch of stacks.keys()) if (branch?.startsWith(`${entry.visit}.`)) stacks.delete(branch);
    }
  }
  return [...stacks.values()].flat();
}
