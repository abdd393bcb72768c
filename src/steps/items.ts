/** Lists of which a step takes each item: `each` of a menu, `list` of a loop. */
import { FaultError, fault } from '../core/fault.ts';
import type { Json } from '../core/json.ts';
import { list } from './arguments.ts';
import type { StepContext } from './step.ts';

const MAX_ITEMS = 200;

/** Throws where they are too many; `forWhat`: what the message names before their number. */
export async function itemsOf(context: StepContext, written: Json, forWhat: string): Promise<readonly Json[]> {
  const items = list<Json>(await context.render(written));
  if (items.length > MAX_ITEMS) {
    throw new FaultError(fault('too_many_items', `${forWhat} more than ${MAX_ITEMS} items`));
  }
  return items;
}
