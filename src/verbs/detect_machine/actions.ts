import type { VerbActions } from '../../proof/explore/actions/action.ts';
import { withCall } from '../../proof/explore/actions/setup.ts';
import type { Party } from '../../proof/testkit/scenario-form.ts';

/** The callee of the first setup is a human. */
const OTHERS: Party[] = ['silent', 'machine', { is: 'machine', beep_after: '1s' }, 'fax'];

export const actions: VerbActions = {
  setups: (_step, _flow, setup) =>
    setup.call?.callee === 'answer' ? OTHERS.map((callee) => withCall(setup, { callee })) : [],
};
