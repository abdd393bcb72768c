import { isObject } from '../core/json.ts';
import { musicOf } from './conversation.ts';
import { ensureAnswered } from './playback.ts';
import { defineStep } from './step.ts';

export const hold = defineStep({
  verb: 'hold',
  outcomes: () => ['done'],
  success: 'done',
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/music'],
  async *run(context) {
    yield* ensureAnswered(context);
    const args = isObject(context.input) ? context.input : {};
    context.leg.send({ type: 'hold', music: [...(await musicOf(context, args['music']))] });
    return { outcome: 'done' };
  },
});
