import { FaultError, fault } from '../../base/core/fault.ts';
import { durationMs } from '../../language/steps/arguments.ts';
import { fetchReply, playMeanwhile } from '../../language/steps/http-request.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { MessageArgs, MessageOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<MessageArgs, MessageOutcome>({
  verb: 'message',
  async *run(context) {
    const { to, from, text, provider, timeout, meanwhile } = context.input;
    await playMeanwhile(context, meanwhile);
    const reply = yield* fetchReply(context, {
      name: context.step,
      method: 'POST',
      url: `message:${provider ?? ''}`,
      headers: {},
      body: { to, text, ...(from !== undefined && { from }) },
      timeoutMs: durationMs(timeout),
      // Idempotency key: equal after a crash, so that the provider can ignore a repeated request.
      message: { id: `${context.call['id']}:${context.runNumber}`, ...(provider !== undefined && { provider }) },
    });
    if (!reply.ok) throw new FaultError(fault('message_failed', `the message was not sent: ${reply.message}`));
    const { status, body } = reply;
    if (status >= 500) throw new FaultError(fault('message_failed', `the provider answered ${status}`));
    return { outcome: status < 300 ? 'sent' : 'refused', result: { status, body } };
  },
});
