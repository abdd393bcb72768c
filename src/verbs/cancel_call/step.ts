import { FaultError, fault } from '../../base/core/fault.ts';
import { fetchReply } from '../../language/steps/http-request.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { CancelCallArgs, CancelCallOutcome } from '../../language/steps/verb-types.ts';

/** Timeout for the answer of the service, which normally comes at once. */
const ANSWER_MS = 5000;
const NOT_FOUND = 404;

export const step = defineStep<CancelCallArgs, CancelCallOutcome>({
  verb: 'cancel_call',
  async *run(context) {
    const { key } = context.input;
    const reply = yield* fetchReply(context, {
      name: context.step,
      method: 'POST',
      url: 'call:cancel',
      headers: {},
      body: { key },
      timeoutMs: ANSWER_MS,
      call: { id: `${context.call['id']}-${context.runNumber}`, cancel: key },
    });
    if (reply.ok && reply.status < 300) return { outcome: 'cancelled' };
    if (reply.ok && reply.status === NOT_FOUND) return { outcome: 'not_found' };
    const why = reply.ok ? `the service answered ${reply.status}` : reply.message;
    throw new FaultError(fault('call_failed', `the call was not cancelled: ${why}`));
  },
});
