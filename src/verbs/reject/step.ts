import { CALL_REJECTED, causeOf, NORMAL_CLEARING, sipStatusOf } from '../../base/core/causes.ts';
import { causeWords } from '../../language/steps/cause-words.ts';
import { sendableHeaders } from '../../language/steps/sip-headers.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { RejectArgs, RejectOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<RejectArgs, RejectOutcome>({
  verb: 'reject',
  async run(context) {
    const { input, leg } = context;
    const { status, reason = 'declined' } = input;
    const said = sendableHeaders(context, input.headers);
    if (leg.state === 'ringing') {
      const sipStatus = status ?? sipStatusOf(causeOf(causeWords[reason] ?? CALL_REJECTED.code));
      leg.send({ type: 'reject', sipStatus, ...said });
    } else leg.send({ type: 'hangup', cause: NORMAL_CLEARING.code, ...said });
    return { outcome: 'done', ends: 'call' };
  },
});
