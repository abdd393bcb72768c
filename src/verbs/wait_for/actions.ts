import { type Action, outcomesNeeding, type VerbActions } from '../../proof/explore/actions/action.ts';
import { event, pass, silence } from '../../proof/explore/actions/caller-actions.ts';

export const actions: VerbActions = {
  caller: (moment): Action[] => [
    ...outcomesNeeding(moment, 'event').map((name) => event(name, [name])),
    moment.args['timeout'] === undefined ? pass(moment) : silence(moment, 'time'),
  ],
};
