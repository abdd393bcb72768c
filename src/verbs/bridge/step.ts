import { Conversation, conversationOptions } from '../../language/steps/conversation.ts';
import { ringOptions } from '../../language/steps/ring.ts';
import { Ringback } from '../../language/steps/ringback.ts';
import { defineStep } from '../../language/steps/step.ts';
import { ringAndTalk } from '../../language/steps/talk.ts';
import type { BridgeArgs, BridgeOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<BridgeArgs, BridgeOutcome>({
  verb: 'bridge',
  async *run(context) {
    const { input } = context;
    const options = await ringOptions(context, input);
    const conversation = new Conversation(context, await conversationOptions(context, input));
    const audio = input.ringback === undefined ? undefined : await context.prompt(input.ringback);
    const ringback = new Ringback(context, conversation.mixId, audio);
    return yield* ringAndTalk(conversation, options, ringback, 'completed');
  },
});
