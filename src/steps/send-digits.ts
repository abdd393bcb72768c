import { durationMs, longForm, text } from './arguments.ts';
import { ensureAnswered } from './playback.ts';
import { defineStep } from './step.ts';
import { nextEvent } from './waiting.ts';

export const sendDigits = defineStep({
  verb: 'send_digits',
  outcomes: () => ['done', 'error'],
  success: 'done',
  waits: true,
  media: true,
  needsCall: true,
  async *run(context) {
    const args = longForm(context.input, 'digits');
    yield* ensureAnswered(context);
    const sendId = context.leg.request({
      type: 'send_digits',
      digits: text(args['digits']),
      toneMs: durationMs(args['tone'], 100),
      gapMs: durationMs(args['gap'], 100),
    });
    yield* nextEvent('digits_sent', (event) => event.sendId === sendId);
    return { outcome: 'done' };
  },
});
