import { NORMAL_CLEARING } from '../../core/causes.ts';
import { causeWords } from '../../steps/cause-words.ts';
import { sendableHeaders } from '../../steps/sip-headers.ts';
import { defineStep } from '../../steps/step.ts';
import type { HangupArgs, HangupOutcome } from '../../steps/verb-types.ts';

export const step = defineStep<HangupArgs, HangupOutcome>({
  verb: 'hangup',
  async run(context) {
    const { cause, headers } = context.input;
    context.leg.send({
      type: 'hangup',
      cause: typeof cause === 'number' ? cause : (causeWords[cause] ?? NORMAL_CLEARING.code),
      ...sendableHeaders(context, headers),
    });
    return { outcome: 'done', ends: 'call' };
  },
});
