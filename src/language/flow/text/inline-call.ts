/** Verb of the steps that run one flow, whose steps can take their place (`inline-plan.ts`). */
export const RUNS_FLOW = 'subflow';
