/** Lists that a step iterates over: `each` of a menu, `list` of a loop. */
import { FaultError, fault } from '../../base/core/fault.ts';
import type { Json } from '../../base/core/json.ts';
import { list } from './arguments.ts';
import type { StepContext } from './step.ts';

const MAX_ITEMS = 200;

/** Throws if the list is too long. `at`: pointer of the list below the arguments; `forWhat`: start of the message. */
export async function itemsOf(
  context: StepContext,
  written: Json,
  at: string,
  forWhat: string,
): Promise<readonly Json[]> {
  const items = list<Json>(await context.render(written, at));
  if (items.length > MAX_ITEMS) {
    throw new FaultError(fault('too_many_items', `${forWhat} more than ${MAX_ITEMS} items`));
  }
  return items;
}
