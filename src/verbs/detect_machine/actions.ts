import type { VerbActions } from '../../explore/actions/action.ts';
import { withCall } from '../../explore/actions/setup.ts';
import type { Party } from '../../testkit/scenario-form.ts';

const ANSWERERS: Party[] = ['human', 'machine', { is: 'machine', beep_after: '1s' }, 'fax', 'silent'];

export const actions: VerbActions = {
  setups: (_step, _flow, setup) =>
    setup.call?.callee === 'answer' ? ANSWERERS.map((callee) => withCall(setup, { callee })) : [],
};
