import type { Action, VerbActions } from '../../proof/explore/actions/action.ts';
import { failures, reply } from '../../proof/explore/actions/outside-actions.ts';

export const actions: VerbActions = {
  outside: (moment): Action[] => [
    ...[moment.args['outcomes'] ?? []]
      .flat()
      .map((outcome) => reply(moment, String(outcome), { body: { outcome } }, [String(outcome)])),
    ...failures(moment),
  ],
};
