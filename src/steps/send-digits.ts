import { durationMs } from './arguments.ts';
import { ensureAnswered } from './playback.ts';
import { defineStep } from './step.ts';
import type { SendDigitsArgs } from './step-arguments.ts';
import { nextEvent } from './waiting.ts';

export const sendDigits = defineStep<SendDigitsArgs>({
  verb: 'send_digits',
  media: true,
  async *run(context) {
    yield* ensureAnswered(context);
    const sendId = context.leg.request(keysRequest(context.input));
    yield* nextEvent('digits_sent', (event) => event.sendId === sendId);
    return { outcome: 'done' };
  },
});

export const keysRequest = ({
  digits,
  tone = '100ms',
  gap = '100ms',
}: Partial<SendDigitsArgs> & { digits: string }) => ({
  type: 'send_digits' as const,
  digits,
  toneMs: durationMs(tone),
  gapMs: durationMs(gap),
});
