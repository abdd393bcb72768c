import type { VerbActions } from '../../proof/explore/actions/action.ts';
import { reply } from '../../proof/explore/actions/outside-actions.ts';

export const actions: VerbActions = {
  outside: (moment) => [
    reply(moment, 'placed', { status: 201 }, ['placed']),
    reply(moment, 'refused', { status: 409, body: { reason: 'not_callable' } }, ['refused']),
    reply(moment, 'no answer', { network: true }, ['error']),
  ],
};
