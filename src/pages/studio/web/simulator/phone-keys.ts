/** Phone keys that have another meaning in the graph. See `graph/canvas-keys.ts`. */
import { handleKey } from '../shell/commands.ts';

/** In the graph, too, `0` is a phone key, and Shift + Enter runs to the selected step. */
export function keysOfPhoneFirst(event: KeyboardEvent): void {
  const isOurs = event.key === '0' || (event.key === 'Enter' && event.shiftKey);
  if (!isOurs || !(event.target as Element).closest('.canvas')) return;
  handleKey(event);
  event.stopPropagation();
}
