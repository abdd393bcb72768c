import type { VerbActions } from '../../proof/explore/actions/action.ts';

/** The subflow has its own frame in the state key. */
export const actions: VerbActions = { inside: () => [] };
