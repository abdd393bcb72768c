import { NORMAL_CLEARING } from '../core/causes.ts';
import { longForm } from './arguments.ts';
import { ringAndTalk } from './bridge.ts';
import { Conversation, conversationOptions } from './conversation.ts';
import { reportTransfer, transferOptions, transferPeer } from './leg-transfer.ts';
import { ensureAnswered } from './playback.ts';
import { Ringback } from './ringback.ts';
import { defineStep } from './step.ts';

const FAILURES = ['failed.no_answer', 'failed.busy', 'failed.declined', 'failed.unreachable'];

export const transfer = defineStep({
  verb: 'transfer',
  activity: 'connecting',
  outcomes: () => ['transferred', 'returned', ...FAILURES, 'error'],
  success: 'transferred',
  negativeOutcomes: ['failed', 'returned'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/music'],
  async *run(context) {
    const args = longForm(context.input, 'to');
    const conversation = new Conversation(context, await conversationOptions(context, args));
    const order = await transferOptions(conversation, args);
    const partner = context.takeHeldPeer();
    if (!partner && order.mode !== 'refer') {
      const ringback = new Ringback(context, conversation.mixId, undefined);
      return yield* ringAndTalk(conversation, order.ring, ringback, 'transferred');
    }
    if (partner) conversation.resumeWith(partner);
    else yield* ensureAnswered(context);
    const transferred = yield* transferPeer(conversation, order);
    reportTransfer(conversation, args, transferred);
    if (transferred.how === 'alone' || transferred.how === 'away') {
      if (partner) conversation.end();
      if (transferred.how === 'alone')
        return { outcome: transferred.outcome, result: { to: null, cause: transferred.cause.code } };
      return {
        outcome: 'transferred',
        result: { to: order.ring.groups.flat().join(', '), cause: NORMAL_CLEARING.code },
      };
    }
    const isBack = transferred.how === 'back' && conversation.peer === partner;
    yield* conversation.untilOneLeaves();
    const result = { to: conversation.to, duration: conversation.durationS, cause: conversation.cause.code };
    return { outcome: isBack ? 'returned' : 'transferred', result };
  },
});
