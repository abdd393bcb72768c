import { type Action, outcomesNeeding, type VerbActions } from '../../proof/explore/actions/action.ts';
import { pass, press } from '../../proof/explore/actions/caller-actions.ts';

const LEAVE_KEY = '#';

export const actions: VerbActions = {
  caller(moment): Action[] {
    const { args, claims = '' } = moment;
    const leaveKey = String(args['leave_key'] ?? LEAVE_KEY);
    return [
      ...[...claims].map((key) => press(key, key === leaveKey ? outcomesNeeding(moment, 'key') : [])),
      pass(moment),
    ];
  },
  /** A key pauses the agent, and the same key ends the pause. */
  inside: (made) => made.filter(({ kind, leadsTo }) => kind === 'key' && leadsTo === undefined).length % 2,
};
