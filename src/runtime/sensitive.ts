/** Which flows take what must not be seen: a key that nobody asked for yet may be the first of a PIN. */
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { ANY_FLOW, type StepDefinition } from '../steps/step.ts';

export interface FlowSource {
  steps: ReadonlyMap<string, StepDefinition>;
  flow(flow: string | JsonObject): CompiledFlow | undefined;
}

/** Whether the flow, or one that it may call, has a step that takes sensitive input. */
export function collectsSensitive(flow: CompiledFlow, source: FlowSource, seen = new Set<CompiledFlow>()): boolean {
  if (seen.has(flow)) return false;
  seen.add(flow);
  return [...flow.steps.values()].some((step) => {
    if (step.sensitive) return true;
    const called = source.steps.get(step.verb)?.calls?.(step.args) ?? [];
    return called.some((name) => {
      const inner = name === ANY_FLOW ? undefined : source.flow(name);
      return name === ANY_FLOW || (inner !== undefined && collectsSensitive(inner, source, seen));
    });
  });
}
