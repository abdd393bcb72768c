import { argumentsOf, type VerbActions } from '../../proof/explore/actions/action.ts';
import { isMadeOnCall, withMocks } from '../../proof/explore/actions/setup.ts';

export const actions: VerbActions = {
  /** An agent is free, few or many callers wait, or the queue has no agents. */
  setups(step, _flow, setup) {
    const { name, agents } = argumentsOf(step);
    const looks = setup.mocks?.check_queue ?? {};
    if (typeof name !== 'string' || isMadeOnCall(name) || Object.hasOwn(looks, name)) return [];
    return [
      { agents: 2, free: 1 },
      { agents: 2, talking: 2, waiting: 1, longest_wait: 20, estimated_wait: 60 },
      { agents: 2, talking: 2, waiting: 60, longest_wait: 3000, estimated_wait: 3600 },
      ...(agents === undefined ? [{ agents: 0 }] : []),
    ].map((look) => withMocks(setup, { check_queue: { ...looks, [name]: look } }));
  },
};
