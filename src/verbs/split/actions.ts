import { argumentsOf, type VerbActions } from '../../proof/explore/actions/action.ts';
import { withCall } from '../../proof/explore/actions/setup.ts';

const SEEDS = [2, 3, 4, 5, 6, 7, 8, 9];
const CALLERS = Array.from({ length: 12 }, (_, index) => `+336123456${String(index).padStart(2, '0')}`);

export const actions: VerbActions = {
  setups(step, _flow, setup) {
    if (argumentsOf(step)['sticky'] === false)
      return setup.seed === undefined ? SEEDS.map((seed) => ({ ...setup, seed })) : [];
    return setup.call?.from === undefined ? CALLERS.map((from) => withCall(setup, { from })) : [];
  },
};
