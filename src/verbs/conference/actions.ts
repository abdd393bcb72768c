import { argumentsOf, type VerbActions } from '../../proof/explore/actions/action.ts';
import { AFTER, isMadeOnCall, MAX_OTHERS, withOthers } from '../../proof/explore/actions/setup.ts';

export const actions: VerbActions = {
  /** A conference that ends, that removes the caller, or that is full. */
  setups(step, _flow, setup) {
    const { name, max_members: most } = argumentsOf(step);
    if (typeof name !== 'string' || isMadeOnCall(name) || setup.others?.conferences?.[name] !== undefined) return [];
    const isFull = typeof most === 'number' && most <= MAX_OTHERS;
    return [{ ends_after: AFTER }, { removes_after: AFTER }, ...(isFull ? [{ members: most }] : [])].map((look) =>
      withOthers(setup, 'conferences', name, look),
    );
  },
  notTried: { full: `only with max_members of ${MAX_OTHERS} at most, and a name that is not made on the call` },
};
