/** Prepares flows for a search, which plays them thousands of times. */
import { existsSync } from 'node:fs';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';

/** Returns a cached converter: the same flow always gives the same object. */
export function quickFlows(): (flow: CompiledFlow) => CompiledFlow {
  const quick = new Map<CompiledFlow, CompiledFlow>();
  return (flow) => {
    const known = quick.get(flow) ?? withoutEmptyFolder(flow);
    quick.set(flow, known);
    return known;
  };
}

/** Removes a prompt folder that does not exist, because the look-ups in it would take most of the time. */
function withoutEmptyFolder(flow: CompiledFlow): CompiledFlow {
  const { directory, ...prompts } = flow.prompts;
  const written = JSON.stringify([prompts.entries, [...flow.steps.values()].map(({ args }) => args)]);
  return directory === undefined || existsSync(directory) || written.includes('"audio"') ? flow : { ...flow, prompts };
}
