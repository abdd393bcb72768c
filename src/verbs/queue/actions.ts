import { type Action, argumentsOf, type VerbActions } from '../../proof/explore/actions/action.ts';
import { behave, defaultParties } from '../../proof/explore/actions/outside-actions.ts';
import { isMadeOnCall, MAX_OTHERS, withOthers } from '../../proof/explore/actions/setup.ts';

export const actions: VerbActions = {
  /** The queue dials its agents again until its time-out. */
  party(moment): Action[] {
    const [answers, noAnswer, ...others] = defaultParties(moment);
    if (!moment.isFirst) return [answers!, noAnswer!];
    return [answers!, noAnswer!, { ...behave(moment, 'never answers', 'no_answer'), isAlways: true }, ...others];
  },
  /** Attempts to reach agents and announcements repeat without a limit, so only permanent actions count. */
  inside: (made) => made.flatMap(({ isAlways, label }) => (isAlways ? [label] : [])).toSorted(),
  /** Other callers wait, or the queue is full. */
  setups(step, _flow, setup) {
    const { name, max_size: most } = argumentsOf(step);
    if (typeof name !== 'string' || isMadeOnCall(name) || setup.others?.queues?.[name] !== undefined) return [];
    const isFull = typeof most === 'number' && most <= MAX_OTHERS;
    return [...(isFull && most === 1 ? [] : [1]), ...(isFull ? [most] : [])].map((look) =>
      withOthers(setup, 'queues', name, look),
    );
  },
  notTried: { full: `only with max_size of ${MAX_OTHERS} at most, and a name that is not made on the call` },
};
