/** One flow being carried out on a call: what it was given, what it remembers, how often it was where. */
import { type Fault, fault } from '../core/fault.ts';
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { MASK } from './journal.ts';
import type { StepRun } from './step-run.ts';

export interface FlowFrame {
  flow: CompiledFlow;
  input: JsonObject;
  vars: JsonObject;
  /** Last results by step. */
  results: JsonObject;
  /** How often each step was entered. */
  counts: Map<string, number>;
  stepRun: StepRun | undefined;
  /** Of its steps, and of those of the flows that it calls and starts: its limit counts them. */
  stepCount: number;
  /** The flow has been told of the hang-up, or began after it. */
  isHangupRouted: boolean;
}

export function createFrame(flow: CompiledFlow, input: JsonObject): FlowFrame {
  return {
    flow,
    input: { ...defaultsOf(flow.input), ...input },
    vars: defaultsOf(flow.vars),
    results: {},
    counts: new Map(),
    stepRun: undefined,
    stepCount: 0,
    isHangupRouted: false,
  };
}

function defaultsOf(specs: CompiledFlow['vars']): JsonObject {
  const defaults: JsonObject = {};
  for (const [name, spec] of Object.entries(specs)) if (spec.default !== undefined) defaults[name] = spec.default;
  return defaults;
}

/** Why the flow cannot be given this input. */
export function inputFault(flow: CompiledFlow, input: JsonObject): Fault | undefined {
  for (const [name, value] of Object.entries(input)) {
    // In a replay a sensitive value is its mask, which fits no schema.
    if (Object.hasOwn(flow.input, name) && JSON.stringify(value).includes(MASK)) continue;
    const wrong = flow.checkInput(name, value);
    if (wrong !== undefined) return fault('invalid_input', `input ${name.slice(0, 64)} of ${flow.name}: ${wrong}`);
  }
  return undefined;
}
