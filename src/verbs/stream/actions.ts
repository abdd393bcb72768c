import { argumentsOf, type VerbActions } from '../../proof/explore/actions/action.ts';
import { withMocks } from '../../proof/explore/actions/setup.ts';

export const actions: VerbActions = {
  setups: (step, _flow, setup) =>
    argumentsOf(step)['wait'] === true && setup.mocks?.stream !== 'refuse'
      ? [withMocks(setup, { stream: 'refuse' })]
      : [],
  notTried: { failed: 'simulated streams do not fail' },
};
