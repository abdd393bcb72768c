/** Navigation between the tests and the simulator that proposes one of them. The URL contains the missing exit. */
import { addressOfFlow, choose, go, place } from '../shell/router.ts';

export interface MissingExit {
  step: string;
  outcome?: string | undefined;
}

/** Next to the editor, the simulator replaces the tests. */
export function proposeTest(flow: string, { step, outcome }: MissingExit): void {
  const query = { reach: step, by: outcome };
  if (place.value.query['beside'] !== undefined) choose({ ...query, beside: 'phone', test: undefined });
  else {
    go(`${addressOfFlow(flow)}/simulate`);
    choose(query);
  }
}

/** Returns to the tests, where the exit is now covered. */
export function leaveProposal(flow: string): void {
  const isBeside = place.value.query['beside'] !== undefined;
  if (isBeside) choose({ reach: undefined, by: undefined, beside: 'tests' });
  else go(`${addressOfFlow(flow)}/tests`);
}
