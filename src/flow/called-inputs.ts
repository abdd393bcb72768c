/**
 * Input values that steps pass to the flows that they run, with the declarations of those flows. `lint-calls.ts`
 * reports undeclared names, `lint-types.ts` values that do not fit.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { childPointer } from '../schema/document.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { CALLING_VERBS, inputsOf, literalOf } from './routes.ts';

export interface CalledInput {
  name: string;
  pointer: string;
  value: Json;
  flow: string;
  /** All declared inputs of the flow: name → JSON Schema. */
  declared: Readonly<Record<string, JsonObject>>;
}

/** Covers known flows only; a flow without declarations accepts no input. */
export function* calledInputs(draft: FlowDraft): Generator<CalledInput> {
  for (const step of draft.steps.values()) {
    for (const [pointer, written] of callsIn(step)) {
      const flow = literalOf(written, 'flow');
      const input = written['input'];
      if (flow === undefined || !isObject(input)) continue;
      const declared = flow === draft.flow.name ? inputsOf(draft.root) : draft.options.knownFlows?.get(flow)?.input;
      if (declared === undefined) continue;
      for (const [name, value] of Object.entries(input)) {
        yield { name, pointer: childPointer(`${pointer}/input`, name), value, flow, declared };
      }
    }
  }
}

/** Pointers and values of a step's arguments that run a flow with input. */
function callsIn({ spec, compiled: { args }, argsPointer }: StepDraft): [pointer: string, written: JsonObject][] {
  if (!isObject(args)) return [];
  if (CALLING_VERBS.includes(spec.verb) || spec.verb === 'continue') return [[argsPointer, args]];
  const { waiting, callback, branches } = args;
  if (spec.verb === 'queue')
    return Object.entries({ waiting, callback }).flatMap(([key, written]): [string, JsonObject][] =>
      isObject(written) ? [[`${argsPointer}/${key}`, written]] : [],
    );
  if (spec.verb !== 'parallel' || !isObject(branches)) return [];
  return Object.entries(branches).flatMap(([name, branch]): [string, JsonObject][] =>
    isObject(branch) ? [[childPointer(`${argsPointer}/branches`, name), branch]] : [],
  );
}
