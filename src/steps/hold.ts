import { musicOf } from './conversation.ts';
import { ensureAnswered } from './playback.ts';
import { defineStep } from './step.ts';
import type { HoldArgs } from './step-arguments.ts';

export const hold = defineStep<HoldArgs>({
  verb: 'hold',
  media: true,
  prompts: ['/music'],
  async *run(context) {
    yield* ensureAnswered(context);
    context.leg.send({ type: 'hold', music: [...(await musicOf(context, context.input.music))] });
    return { outcome: 'done' };
  },
});
