import { musicOf } from '../../language/steps/conversation.ts';
import { ensureAnswered } from '../../language/steps/playback.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { HoldArgs, HoldOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<HoldArgs, HoldOutcome>({
  verb: 'hold',
  async *run(context) {
    yield* ensureAnswered(context);
    context.leg.send({ type: 'hold', music: [...(await musicOf(context, context.input.music))] });
    return { outcome: 'done' };
  },
});
