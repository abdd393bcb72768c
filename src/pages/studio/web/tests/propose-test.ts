/** Navigation between the tests and the simulator that proposes one of them. The URL contains the missing exit. */
import { addressOfFlow, location, navigate, setQuery } from '../shell/router.ts';

export interface MissingExit {
  step: string;
  outcome?: string | undefined;
}

/** Next to the editor, the simulator replaces the tests. */
export function proposeTest(flow: string, { step, outcome }: MissingExit): void {
  const query = { reach: step, by: outcome };
  if (location.value.query['beside'] !== undefined) setQuery({ ...query, beside: 'phone', test: undefined });
  else {
    navigate(`${addressOfFlow(flow)}/simulate`);
    setQuery(query);
  }
}

/** Returns to the tests, where the exit is now covered. */
export function leaveProposal(flow: string): void {
  const isBeside = location.value.query['beside'] !== undefined;
  if (isBeside) setQuery({ reach: undefined, by: undefined, beside: 'tests' });
  else navigate(`${addressOfFlow(flow)}/tests`);
}
