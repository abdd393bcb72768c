import { NORMAL_CLEARING } from '../core/causes.ts';
import { longForm } from './arguments.ts';
import { callAndTalk } from './bridge.ts';
import { Conversation, conversationOptions } from './conversation.ts';
import { handOver, handoverOrder, tellHandover } from './handover.ts';
import { openLine } from './line.ts';
import { Ringback } from './ringback.ts';
import { defineStep } from './step.ts';

const FAILURES = ['failed.no_answer', 'failed.busy', 'failed.declined', 'failed.unreachable'];

export const transfer = defineStep({
  verb: 'transfer',
  occupies: 'connecting',
  outcomes: () => ['transferred', 'returned', ...FAILURES, 'error'],
  success: 'transferred',
  setbacks: ['failed', 'returned'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/music'],
  async *run(context) {
    const args = longForm(context.input, 'to');
    const conversation = new Conversation(context, await conversationOptions(context, args));
    const order = await handoverOrder(conversation, args);
    const partner = context.takeHeldPeer();
    if (!partner && order.mode !== 'refer') {
      const ringback = new Ringback(context, conversation.mixId, undefined);
      return yield* callAndTalk(conversation, order.ring, ringback, 'transferred');
    }
    if (partner) conversation.hasBeenWith(partner);
    else yield* openLine(context);
    const handed = yield* handOver(conversation, order);
    tellHandover(conversation, args, handed);
    if (handed.how === 'alone' || handed.how === 'away') {
      if (partner) conversation.end();
      if (handed.how === 'alone') return { outcome: handed.outcome, result: { to: null, cause: handed.cause.code } };
      return {
        outcome: 'transferred',
        result: { to: order.ring.groups.flat().join(', '), cause: NORMAL_CLEARING.code },
      };
    }
    const isBack = handed.how === 'back' && conversation.party === partner;
    yield* conversation.talk();
    const result = { to: conversation.to, duration: conversation.durationS, cause: conversation.cause.code };
    return { outcome: isBack ? 'returned' : 'transferred', result };
  },
});
