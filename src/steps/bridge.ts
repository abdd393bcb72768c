import { Conversation, conversationOptions } from './conversation.ts';
import { type RingOptions, ring, ringOptions } from './ring.ts';
import { Ringback } from './ringback.ts';
import { defineStep, type StepResult, type Waiting } from './step.ts';
import type { BridgeArgs } from './step-arguments.ts';
import { untilOneLeaves } from './talk.ts';

export const bridge = defineStep<BridgeArgs>({
  verb: 'bridge',
  activity: 'connecting',
  media: true,
  prompts: ['/ringback', '/whisper', '/screen/prompt', '/hold_music'],
  async *run(context) {
    const { input } = context;
    const options = await ringOptions(context, input);
    const conversation = new Conversation(context, await conversationOptions(context, input));
    const audio = input.ringback === undefined ? undefined : await context.prompt(input.ringback);
    const ringback = new Ringback(context, conversation.mixId, audio);
    return yield* ringAndTalk(conversation, options, ringback, 'completed');
  },
});

/** Rings, and connects the caller to the party that answers. `talked`: outcome after a conversation. */
export async function* ringAndTalk(
  conversation: Conversation,
  options: RingOptions,
  ringback: Ringback,
  talked: string,
): Waiting<StepResult> {
  const { context } = conversation;
  conversation.reportInitiated(options.groups.flat().join(', '));
  ringback.start();
  const rung = yield* ring(context, options, {
    onRinging: ({ to }) => context.reportBridge({ state: 'bridging', to }),
    onEarly: (peer) => ringback.hearEarlyMedia(peer),
  });
  ringback.stop();
  if (rung.how === 'cancelled') return { outcome: 'failed.no_answer' };
  const { members } = rung;
  const said = rung.headers && { headers: { ...rung.headers } };
  if (rung.how === 'failed') {
    const { to, cause, outcome } = rung;
    context.reportBridge({ state: 'failed', to, cause });
    return { outcome, result: { to: null, answered: false, duration: 0, cause: cause.code, members, ...said } };
  }
  if (yield* conversation.answerCaller(rung.peer)) {
    conversation.connect(rung.peer);
    yield* untilOneLeaves(conversation);
  } else context.reportBridge({ state: 'failed', to: conversation.to, cause: conversation.cause });
  const { to, durationS: duration, cause } = conversation;
  return { outcome: talked, result: { to, answered: true, duration, cause: cause.code, members, ...said } };
}
