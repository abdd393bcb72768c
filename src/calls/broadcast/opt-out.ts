/** Adds numbers to the do-not-call list of a project, for the verb `do_not_call`. */
import type { RuntimePorts } from '../../runtime/ports.ts';
import { destinationProblem } from '../address-syntax.ts';
import type { DoNotCall } from './do-not-call.ts';

export const optOut =
  (list: Pick<DoNotCall, 'add'>): NonNullable<RuntimePorts['doNotCall']> =>
  (projectId, number) => {
    const wrong = destinationProblem(number);
    return wrong === undefined ? { add: () => void list.add(projectId, [number]) } : { wrong };
  };

/** Without a list: checks the number all the same. */
export const optOutOfNothing = optOut({ add: () => 0 });
