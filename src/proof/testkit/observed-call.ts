/** A call as the expectations of a scenario see it. */
import type { HttpRequest } from '../../base/core/http-exchange.ts';
import type { JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { defaultsOf } from '../../language/flow/declared-values.ts';
import { flowSeenFrom } from '../../language/flow/local-flows.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import type { ScriptedParty } from './scripted-party.ts';

export interface ObservedCall {
  flow: CompiledFlow;
  /** Flows with which the call may have continued. */
  flows?: ((name: string) => CompiledFlow | undefined) | undefined;
  journal: readonly JournalEntry[];
  /** Unmasked requests: the journal only has them with sensitive values masked. */
  requests: readonly HttpRequest[];
  caller: Pick<ScriptedParty, 'farEnd' | 'talkedWith'>;
  /** All other parties, in the order of their calls. */
  others: readonly Pick<ScriptedParty, 'name' | 'farEnd' | 'talkedWith' | 'cause'>[];
}

/** The flow, and the local flows of its file. */
export function flowsOfFile({ flow, flows = () => undefined }: Pick<ObservedCall, 'flow' | 'flows'>): CompiledFlow[] {
  return [flow, ...[...(flow.localNames ?? [])].flatMap((name) => flowSeenFrom(flow, name, flows) ?? [])];
}

export const hasStep = (observed: Pick<ObservedCall, 'flow' | 'flows'>, step: string): boolean =>
  flowsOfFile(observed).some(({ steps }) => steps.has(step));

/** Final variables of the outermost flow, and the entries that set them. */
export function finalVariables({ flow, flows, journal }: ObservedCall): {
  values: JsonObject;
  seqs: Record<string, number>;
} {
  let values = defaultsOf(flow.vars);
  let seqs: Record<string, number> = {};
  const begin = (name: string): void => {
    values = defaultsOf((name === flow.name ? flow : flows?.(name))?.vars);
    seqs = {};
  };
  /** Open visits by depth: those of outer flows wait for inner ones. */
  const visits: number[] = [];
  let hasContinued = false;
  for (const entry of journal) {
    if (entry.kind === 'entered') {
      if (hasContinued && entry.depth === 0) begin(entry.flow);
      hasContinued = false;
      visits.splice(entry.depth, Number.POSITIVE_INFINITY, entry.visit);
    } else if (entry.kind === 'left') {
      hasContinued ||= entry.verb === 'continue' && entry.outcome !== 'error';
      visits.splice(visits.indexOf(entry.visit), Number.POSITIVE_INFINITY);
    } else if (entry.kind === 'vars' && visits.length === 1) {
      Object.assign(values, entry.set);
      for (const name of Object.keys(entry.set)) seqs[name] = entry.seq;
    }
  }
  return { values, seqs };
}
