/** Keys of the telephone that mean something else in the graph. Neighbour: `graph/canvas-keys.ts`. */
import { handleKey } from '../shell/commands.ts';

/** In the graph, too, `0` is a key of the telephone, and Shift Enter plays on. */
export function keysOfPhoneFirst(event: KeyboardEvent): void {
  const isOurs = event.key === '0' || (event.key === 'Enter' && event.shiftKey);
  if (!isOurs || !(event.target as Element).closest('.canvas')) return;
  handleKey(event);
  event.stopPropagation();
}
