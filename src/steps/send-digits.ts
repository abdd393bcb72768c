import { durationMs } from './arguments.ts';
import { ensureAnswered } from './playback.ts';
import { defineStep } from './step.ts';
import type { SendDigitsArgs } from './step-arguments.ts';
import { nextEvent } from './waiting.ts';

export const sendDigits = defineStep<SendDigitsArgs>({
  verb: 'send_digits',
  outcomes: () => ['done', 'error'],
  success: 'done',
  media: true,
  async *run(context) {
    const { digits, tone, gap } = context.input;
    yield* ensureAnswered(context);
    const sendId = context.leg.request({
      type: 'send_digits',
      digits,
      toneMs: durationMs(tone),
      gapMs: durationMs(gap),
    });
    yield* nextEvent('digits_sent', (event) => event.sendId === sendId);
    return { outcome: 'done' };
  },
});
