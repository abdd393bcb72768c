import type { VerbActions } from '../../explore/actions/action.ts';

/** The subflow has its own frame in the state key. */
export const actions: VerbActions = { inside: () => [] };
