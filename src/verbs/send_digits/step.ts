import { keysRequest } from '../../language/steps/keys-request.ts';
import { ensureAnswered } from '../../language/steps/playback.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { SendDigitsArgs, SendDigitsOutcome } from '../../language/steps/verb-types.ts';
import { nextEvent } from '../../language/steps/waiting.ts';

export const step = defineStep<SendDigitsArgs, SendDigitsOutcome>({
  verb: 'send_digits',
  async *run(context) {
    yield* ensureAnswered(context);
    const sendId = context.leg.request(keysRequest(context.input));
    yield* nextEvent('digits_sent', (event) => event.sendId === sendId);
    return { outcome: 'done' };
  },
});
