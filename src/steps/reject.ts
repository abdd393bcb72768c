import { CALL_REJECTED, causeOf, NORMAL_CLEARING, sipStatusOf } from '../core/causes.ts';
import { causeWords } from './hangup.ts';
import { defineStep } from './step.ts';
import type { RejectArgs } from './step-arguments.ts';

export const reject = defineStep<RejectArgs>({
  verb: 'reject',
  outcomes: () => [],
  terminal: true,
  async run({ input: { status, reason = 'declined' }, leg }) {
    if (leg.state === 'ringing')
      leg.send({ type: 'reject', sipStatus: status ?? sipStatusOf(causeOf(causeWords[reason] ?? CALL_REJECTED.code)) });
    else leg.send({ type: 'hangup', cause: NORMAL_CLEARING.code });
    return { outcome: 'done', ends: 'call' };
  },
});
