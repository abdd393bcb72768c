/**
 * Input values that steps pass to the flows that they run, with the declarations of those flows. `lint-calls.ts`
 * reports undeclared names, `lint-types.ts` values that do not fit.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, valueAt } from '../../base/schema/document.ts';
import type { FlowDraft } from './flow-draft.ts';
import { type FlowSummary, inputsOf } from './flow-summary.ts';
import { flowPlaces, valuesAt } from './named-places.ts';
import { namesOf } from './verb-facts.ts';

export interface CalledInput {
  name: string;
  pointer: string;
  value: Json;
  flow: string;
  /** All declared inputs of the flow: name → JSON Schema. */
  declared: Readonly<Record<string, JsonObject>>;
  /** True if the flow cannot do without it. */
  isNeeded: boolean;
  /** True if the flow masks it. */
  isHidden: boolean;
}

/** A flow that a step names, and the input that the step gives to it. */
export interface CalledFlow {
  flow: string;
  summary: Pick<FlowSummary, 'input' | 'needs' | 'hides'>;
  /** Pointer to the name of the flow. */
  pointer: string;
  /** Undefined if the input is a template. */
  input: JsonObject | undefined;
  inputPointer: string;
}

/** Covers known flows only. */
export function* calledFlows(draft: FlowDraft): Generator<CalledFlow> {
  for (const { spec, compiled, argsPointer } of draft.steps.values()) {
    for (const [at] of flowPlaces(namesOf(spec.verb))) {
      for (const [path, flow] of valuesAt(compiled.args, at)) {
        if (typeof flow !== 'string' || flow.includes('${')) continue;
        const summary = flow === draft.flow.name ? summaryOf(draft) : draft.options.knownFlows?.get(flow);
        if (summary === undefined) continue;
        const holder = path.slice(0, -1).reduce<string>(childPointer, '');
        const hasInput = path.at(-1) === 'flow';
        const input = hasInput ? valueAt(compiled.args, `${holder}/input`) : undefined;
        yield {
          ...{ flow, summary, pointer: path.reduce<string>(childPointer, argsPointer) },
          input: input === undefined ? {} : isObject(input) ? input : undefined,
          inputPointer: `${argsPointer}${holder}/input`,
        };
      }
    }
  }
}

const summaryOf = ({ root }: FlowDraft) => ({ input: inputsOf(root) });

/** A flow without declarations accepts no input. */
export function* calledInputs(draft: FlowDraft): Generator<CalledInput> {
  for (const { flow, summary, input = {}, inputPointer } of calledFlows(draft)) {
    const { input: declared, needs = [], hides = [] } = summary;
    if (declared === undefined) continue;
    for (const [name, value] of Object.entries(input)) {
      const pointer = childPointer(inputPointer, name);
      yield { name, pointer, value, flow, declared, isNeeded: needs.includes(name), isHidden: hides.includes(name) };
    }
  }
}
