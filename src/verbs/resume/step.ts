import { Conversation, conversationOptions } from '../../language/steps/conversation.ts';
import { defineStep } from '../../language/steps/step.ts';
import { untilOneLeaves } from '../../language/steps/talk.ts';
import type { ResumeOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<Record<string, never>, ResumeOutcome>({
  verb: 'resume',
  async *run(context) {
    context.leg.send({ type: 'resume' });
    const peer = context.takeHeldPeer();
    if (!peer) return { outcome: 'done' };
    const conversation = new Conversation(context, await conversationOptions(context, {}));
    conversation.connect(peer);
    yield* untilOneLeaves(conversation);
    return { outcome: 'done', result: { to: conversation.to, duration: conversation.durationS } };
  },
});
