import type { VerbActions } from '../../proof/explore/actions/action.ts';
import { withCall } from '../../proof/explore/actions/setup.ts';
import type { OnRefer } from '../../proof/testkit/scenario-form.ts';

/** Behaviours of the caller's phone on REFER (RFC 3515). */
const ON_REFER: OnRefer[] = ['ignore', 'hang_up', 486, 603];

export const actions: VerbActions = {
  setups: (_step, _flow, setup) =>
    setup.call?.on_refer === undefined ? ON_REFER.map((on_refer) => withCall(setup, { on_refer })) : [],
};
