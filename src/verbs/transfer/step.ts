import { NORMAL_CLEARING } from '../../base/core/causes.ts';
import { Conversation, conversationOptions } from '../../language/steps/conversation.ts';
import { reportTransfer, transferOptions, transferPeer } from '../../language/steps/leg-transfer.ts';
import { ensureAnswered } from '../../language/steps/playback.ts';
import { Ringback } from '../../language/steps/ringback.ts';
import { defineStep, type StepProgram } from '../../language/steps/step.ts';
import { ringAndTalk, untilOneLeaves } from '../../language/steps/talk.ts';
import type { TransferArgs, TransferOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<TransferArgs, TransferOutcome>({
  verb: 'transfer',
  async *run(context): StepProgram<TransferOutcome> {
    const { input } = context;
    const conversation = new Conversation(context, await conversationOptions(context, input));
    const options = await transferOptions(conversation, input);
    const peer = context.takeHeldPeer();
    if (!peer && options.mode !== 'refer') {
      const ringback = new Ringback(context, conversation.mixId, undefined);
      return yield* ringAndTalk(conversation, options.ring, ringback, 'transferred');
    }
    if (peer) conversation.resumeWith(peer);
    else yield* ensureAnswered(context);
    const transferred = yield* transferPeer(conversation, options);
    reportTransfer(conversation, input, transferred);
    const { how } = transferred;
    if (peer && (how === 'alone' || how === 'away')) conversation.end();
    if (how === 'alone') {
      return { outcome: transferred.outcome, result: { to: null, cause: transferred.cause.code } };
    }
    if (how === 'away') {
      const to = options.ring.groups.flat().join(', ');
      return { outcome: 'transferred', result: { to, cause: NORMAL_CLEARING.code } };
    }
    const isBack = how === 'back' && conversation.peer === peer;
    yield* untilOneLeaves(conversation);
    const { to, durationS: duration, cause } = conversation;
    return { outcome: isBack ? 'returned' : 'transferred', result: { to, duration, cause: cause.code } };
  },
});
