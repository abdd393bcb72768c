/** What the verb `do_not_call` asks for: the project's list, which is looked at before each call of a broadcast. */
import type { RuntimePorts } from '../../runtime/ports.ts';
import { destinationProblem } from '../address-syntax.ts';
import type { DoNotCall } from './broadcasts.ts';

export const optOut =
  (list: Pick<DoNotCall, 'add'>): NonNullable<RuntimePorts['doNotCall']> =>
  (projectId, number) => {
    const wrong = destinationProblem(number);
    return wrong === undefined ? { add: () => void list.add(projectId, [number]) } : { wrong };
  };

/** Where nobody keeps a list: whoever asks is told the same. */
export const optOutOfNothing = optOut({ add: () => 0 });
