import { NORMAL_CLEARING } from '../../base/core/causes.ts';
import { causeWords } from '../../language/steps/cause-words.ts';
import { sendableHeaders } from '../../language/steps/sip-headers.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { HangupArgs, HangupOutcome } from '../../language/steps/verb-types.ts';

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
