import { musicOf } from '../../steps/conversation.ts';
import { ensureAnswered } from '../../steps/playback.ts';
import { defineStep } from '../../steps/step.ts';
import type { HoldArgs, HoldOutcome } from '../../steps/verb-types.ts';

export const step = defineStep<HoldArgs, HoldOutcome>({
  verb: 'hold',
  async *run(context) {
    yield* ensureAnswered(context);
    context.leg.send({ type: 'hold', music: [...(await musicOf(context, context.input.music))] });
    return { outcome: 'done' };
  },
});
