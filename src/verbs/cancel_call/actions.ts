import type { VerbActions } from '../../proof/explore/actions/action.ts';
import { reply } from '../../proof/explore/actions/outside-actions.ts';

export const actions: VerbActions = {
  outside: (moment) => [
    reply(moment, 'cancelled', { status: 200 }, ['cancelled']),
    reply(moment, 'nothing to cancel', { status: 404 }, ['not_found']),
    reply(moment, 'no answer', { network: true }, ['error']),
  ],
};
