import { keysRequest } from '../../steps/keys-request.ts';
import { ensureAnswered } from '../../steps/playback.ts';
import { defineStep } from '../../steps/step.ts';
import type { SendDigitsArgs, SendDigitsOutcome } from '../../steps/verb-types.ts';
import { nextEvent } from '../../steps/waiting.ts';

export const step = defineStep<SendDigitsArgs, SendDigitsOutcome>({
  verb: 'send_digits',
  async *run(context) {
    yield* ensureAnswered(context);
    const sendId = context.leg.request(keysRequest(context.input));
    yield* nextEvent('digits_sent', (event) => event.sendId === sendId);
    return { outcome: 'done' };
  },
});
