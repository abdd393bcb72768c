/**
 * Input values that steps pass to the flows that they run, with the declarations of those flows. `lint-calls.ts`
 * reports undeclared names, `lint-types.ts` values that do not fit.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { inputsOf } from './flow-summary.ts';
import { flowPlaces, valuesAt } from './named-places.ts';
import { literalOf } from './routes.ts';
import { namesOf } from './verb-facts.ts';

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

/** Pointers and values of a step's arguments that name a flow in their key `flow`, next to its `input`. */
function callsIn({ spec, compiled: { args }, argsPointer }: StepDraft): [pointer: string, written: JsonObject][] {
  const holders = flowPlaces(namesOf(spec.verb)).flatMap(([at]) => (at.endsWith('/flow') ? [at.slice(0, -5)] : []));
  return holders.flatMap((at) =>
    [...valuesAt(args, at)].flatMap(([path, written]): [string, JsonObject][] =>
      isObject(written) ? [[path.reduce<string>(childPointer, argsPointer), written]] : [],
    ),
  );
}
