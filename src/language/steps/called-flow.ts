import { ANY_FLOW, type Written } from './step.ts';
import type { SubflowArgs } from './verb-types.ts';

/** Returns the name of the flow to run, or `ANY_FLOW` if it is a template or inline. */
export function namedFlow({ flow }: Written<Pick<SubflowArgs, 'flow'>>): string[] {
  return [typeof flow === 'string' && !flow.includes('${') ? flow : ANY_FLOW];
}
