/** Resolves a requested flow, and validates its input against its declaration. */
import type { Diagnostic } from '../../../base/core/diagnostic.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import { documentOf } from '../../../base/schema/document.ts';
import { didYouMean } from '../../../base/schema/suggest.ts';
import type { CompiledFlow } from '../../../language/flow/compiled-flow.ts';
import { CallError } from '../call-error.ts';
import type { ProvisionedNumber } from '../numbers/numbers.ts';

/** Available flows, and a compiler for documents in requests. */
export interface Flows {
  get(name: string): CompiledFlow | undefined;
  names(): readonly string[];
  compile(document: JsonObject): { flow?: CompiledFlow; diagnostics: Diagnostic[] };
}

/** Flow of this name, or compiled from this document. */
export function resolveFlow(flow: string | JsonObject, parts: { flows: Flows }): CompiledFlow {
  if (typeof flow === 'string') {
    const found = parts.flows.get(flow);
    if (found) return found;
    const hint = didYouMean(flow, parts.flows.names());
    throw new CallError('unknown_flow', `there is no flow ${flow}`, { hint });
  }
  const { flow: compiled, diagnostics } = parts.flows.compile(flow);
  if (compiled) return compiled;
  const first = diagnostics.find(({ severity }) => severity === 'error');
  throw new CallError('flow_invalid', first?.message ?? 'the flow does not compile', { diagnostics });
}

/** Returns the input; throws `input_invalid` with the first error. */
export function checkInput(flow: CompiledFlow, input: JsonObject): JsonObject {
  const wrong = inputProblem(flow, input);
  if (wrong !== undefined) throw new CallError('input_invalid', `flow ${flow.name}: ${wrong}`);
  return input;
}

/** Error message; undefined if the input is valid. */
export function inputProblem(flow: CompiledFlow, input: JsonObject): string | undefined {
  if (documentOf(input, 'input').diagnostics.length > 0) return 'the input is too large';
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(flow.input, name)) return `there is no input ${name.slice(0, 64)}${expectedInputs(flow)}`;
    const wrong = flow.checkInput(name, value);
    if (wrong !== undefined) return `input ${name}: ${wrong}`;
  }
  return undefined;
}

/**
 * Every number must provide the input that its flow requires, or its calls would fail: throws for the first that does
 * not.
 */
export function requireNumbersFit(
  flow: CompiledFlow,
  numbers: readonly Pick<ProvisionedNumber, 'number' | 'flow' | 'input'>[],
): void {
  for (const { number, flow: name, input } of numbers) {
    const wrong = name === flow.name ? inputProblem(flow, input ?? {}) : undefined;
    if (wrong === undefined) continue;
    const hint = 'change what the number gives first';
    throw new CallError('input_invalid', `the number ${number} leads to this flow: ${wrong}`, { hint });
  }
}

function expectedInputs(flow: CompiledFlow): string {
  const names = Object.keys(flow.input);
  return names.length === 0 ? '' : `; the flow takes ${names.join(', ')}`;
}
