/** Request to the simulator to call again, and to play on to a step. */
import { signal } from '@preact/signals';
import { setQuery } from '../shell/router.ts';

/** The step, until the simulator has taken it. */
export const playTarget = signal<string | undefined>(undefined);

/** Opens the simulator beside the flow. It plays to the step. */
export function simulateFrom(step: string): void {
  playTarget.value = step;
  setQuery({ beside: 'phone' });
}
