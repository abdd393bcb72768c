/** Waits of steps: for a deadline or for one event. Other events are discarded. */
import type { StepContext, StepEvent, Wait, Waiting } from './step.ts';

type EventOf<Type extends StepEvent['type']> = Extract<StepEvent, { type: Type }>;
type Clock = Pick<StepContext, 'now'>;

/** Wait until `dueMs`; without a deadline if it is undefined. */
export const until = (clock: Clock, dueMs: number | undefined): Wait =>
  dueMs === undefined ? {} : { withinMs: Math.max(0, dueMs - clock.now()) };

/** Waits for the next event of this type that passes the filter. */
export async function* nextEvent<Type extends StepEvent['type']>(
  type: Type,
  isOurs: (event: EventOf<Type>) => boolean = () => true,
): Waiting<EventOf<Type>> {
  for (;;) {
    const event = yield {};
    if (event.type === type && isOurs(event as EventOf<Type>)) return event as EventOf<Type>;
  }
}

export async function* delay(clock: Clock, durationMs: number): Waiting<void> {
  const dueMs = clock.now() + durationMs;
  for (let event = yield { withinMs: durationMs }; event.type !== 'timeout'; ) event = yield until(clock, dueMs);
}
