/** The compiler knows the outcomes that the schema of a verb declares. */
import { describe, expect, it } from 'vitest';
import { defineStep, namedOutcome } from '../../src/language/steps/step.ts';
import type { MenuArgs, MenuOutcome, PauseArgs, PauseOutcome } from '../../src/language/steps/verb-types.ts';

describe('defineStep', () => {
  it('accepts the outcomes of the schema, and what every verb may return', () => {
    const steps = [
      defineStep<PauseArgs, PauseOutcome>({ verb: 'pause', run: async () => ({ outcome: 'done' }) }),
      defineStep<PauseArgs, PauseOutcome>({ verb: 'pause', run: async () => ({ outcome: 'closed', ends: 'flow' }) }),
      defineStep<PauseArgs, PauseOutcome>({ verb: 'pause', run: async () => ({ outcome: 'goto', goto: 'bye' }) }),
      defineStep<MenuArgs, MenuOutcome>({ verb: 'menu', run: async () => ({ outcome: namedOutcome('sales') }) }),
      defineStep({ verb: 'of_an_embedder', run: async () => ({ outcome: 'anything' }) }),
    ];
    expect(steps.map(({ verb }) => verb)).toEqual(['pause', 'pause', 'pause', 'menu', 'of_an_embedder']);
  });

  it('refuses an outcome that the schema lacks', () => {
    // @ts-expect-error the schema of `pause` has no outcome `over`
    defineStep<PauseArgs, PauseOutcome>({ verb: 'pause', run: async () => ({ outcome: 'over' }) });
    defineStep<PauseArgs, PauseOutcome>({
      verb: 'pause',
      // @ts-expect-error a step that waits is checked as well
      async *run() {
        yield {};
        return { outcome: 'over' };
      },
    });
    // @ts-expect-error a name of the arguments has to be marked as such
    defineStep<MenuArgs, MenuOutcome>({ verb: 'menu', run: async ({ input }) => ({ outcome: String(input.more) }) });
    // @ts-expect-error the schema of `pause` takes no names from the arguments
    defineStep<PauseArgs, PauseOutcome>({ verb: 'pause', run: async () => ({ outcome: namedOutcome('sales') }) });
  });
});
