import type { VerbActions } from '../../explore/actions/action.ts';

export const actions: VerbActions = { notTried: { failed: 'simulated recordings do not fail' } };
