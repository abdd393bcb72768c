/** Flows as a search plays them thousands of times. */
import { existsSync } from 'node:fs';
import type { CompiledFlow } from '../flow/compiled-flow.ts';

/** The same flow becomes the same one each time. */
export function quickFlows(): (flow: CompiledFlow) => CompiledFlow {
  const quick = new Map<CompiledFlow, CompiledFlow>();
  return (flow) => {
    const known = quick.get(flow) ?? withoutEmptyFolder(flow);
    quick.set(flow, known);
    return known;
  };
}

/** Prompts are not looked for in a folder that is not there: that would take most of the time. */
function withoutEmptyFolder(flow: CompiledFlow): CompiledFlow {
  const { directory, ...prompts } = flow.prompts;
  const written = JSON.stringify([prompts.entries, [...flow.steps.values()].map(({ args }) => args)]);
  return directory === undefined || existsSync(directory) || written.includes('"audio"') ? flow : { ...flow, prompts };
}
