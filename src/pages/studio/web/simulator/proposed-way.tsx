/**
 * "Write a test for what is missing": searches acts that lead through an exit that no test covers, and plays them. The
 * author edits the expected prompts and saves the test. `tests/propose-test.ts` opens the proposal; `call-session.ts`
 * runs the search.
 */
import { useEffect } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { location } from '../shell/router.ts';
import type { CallSession } from './call-session.ts';
import type { Gap } from './simulation.ts';

export function useProposal(session: CallSession, graph: FlowGraph): void {
  const { reach, by } = location.value.query;
  useEffect(() => {
    if (reach === undefined) session.proposed.value = undefined;
    else void session.propose(gapIn(graph, reach, by));
  }, [session, reach, by]);
}

function gapIn({ steps }: FlowGraph, step: string, outcome: string | undefined): Gap {
  const exit = steps.find(({ name }) => name === step)?.exits.find((each) => each.outcome === outcome);
  return outcome === undefined ? { step } : { step, outcomes: [...new Set([outcome, ...(exit?.covers ?? [])])] };
}

export const wordsOfGap = ({ step, outcomes }: Gap): string =>
  outcomes === undefined ? step : `${step}: ${outcomes[0]}`;

export function ProposedWay({ session }: { session: CallSession }) {
  const proposal = session.proposed.value;
  if (proposal === undefined) return null;
  const { gap, state, tried } = proposal;
  const target = (
    <>
      {gap.outcomes === undefined ? (
        <b>{gap.step}</b>
      ) : (
        tNodes('{step} by {outcome}', { step: <b>{gap.step}</b>, outcome: <b>{gap.outcomes[0]}</b> })
      )}
    </>
  );
  const { at } = session.call.value.given;
  return (
    <p class={`phone-note${state === 'none' ? ' bad' : ''}`} role="status" aria-busy={state === 'searching'}>
      {state === 'searching' && tNodes('Looking for a route to {target} …', { target })}
      {state === 'found' && (
        <>
          {tNodes('Suggested call that reaches {target}. Review it, then save it as a test.', { target })}
          {typeof at === 'string' && <> {t('The call is at {at}.', { at })}</>}
        </>
      )}
      {state === 'none' &&
        (tried !== undefined && tried > 0
          ? tNodes(
              'No route to {target} was found in {tried, plural, one {# simulated call} other {# simulated calls}}. Play it by hand.',
              { target, tried },
            )
          : tNodes('No route to {target} was found. Play it by hand.', { target }))}
    </p>
  );
}
