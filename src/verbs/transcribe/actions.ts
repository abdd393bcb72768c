import type { VerbActions } from '../../proof/explore/actions/action.ts';

export const actions: VerbActions = { notTried: { failed: 'simulated transcripts do not fail' } };
