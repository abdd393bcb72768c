/** Waiting as steps do it: for one event, or for a time. What else happens on the call meanwhile is not for the step. */
import type { StepContext, StepEvent, Wait } from './step.ts';

type EventOf<Type extends StepEvent['type']> = Extract<StepEvent, { type: Type }>;

/** The next event of this type that is ours. */
export async function* nextEvent<Type extends StepEvent['type']>(
  type: Type,
  isOurs: (event: EventOf<Type>) => boolean = () => true,
): AsyncGenerator<Wait, EventOf<Type>, StepEvent> {
  for (;;) {
    const event = yield {};
    if (event.type === type && isOurs(event as EventOf<Type>)) return event as EventOf<Type>;
  }
}

export async function* delay(context: StepContext, durationMs: number): AsyncGenerator<Wait, void, StepEvent> {
  const dueMs = context.now() + durationMs;
  for (let event = yield { withinMs: durationMs }; event.type !== 'timeout'; ) {
    event = yield { withinMs: Math.max(0, dueMs - context.now()) };
  }
}
