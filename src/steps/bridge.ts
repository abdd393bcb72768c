import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { longForm } from './arguments.ts';
import { Conversation, conversationOptions } from './conversation.ts';
import { type MemberResults, type RingOptions, type RingResult, ring, ringOptions } from './ring.ts';
import { Ringback } from './ringback.ts';
import { defineStep, type StepEvent, type StepResult, type Wait } from './step.ts';

export const bridge = defineStep({
  verb: 'bridge',
  activity: 'connecting',
  outcomes: (args) => ['completed', ...failureOutcomes(args), 'error'],
  success: 'completed',
  negativeOutcomes: ['failed', 'machine'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/ringback', '/whisper', '/screen/prompt', '/hold_music'],
  async *run(context) {
    const args = longForm(context.input, 'to');
    const order = await ringOptions(context, args);
    const conversation = new Conversation(context, await conversationOptions(context, args));
    const audio = args['ringback'] === undefined ? undefined : await context.prompt(args['ringback']);
    const ringback = new Ringback(context, conversation.mixId, audio);
    return yield* ringAndTalk(conversation, order, ringback, 'completed');
  },
});

/** Arguments that are one template may ask for anything. */
function failureOutcomes(args: Json): string[] {
  const isOpen = typeof args === 'string' && args.includes('${');
  const written = isObject(args) ? args : {};
  return [
    'failed.no_answer',
    'failed.busy',
    'failed.declined',
    'failed.unreachable',
    ...(isOpen || written['screen'] !== undefined ? ['failed.screened'] : []),
    ...(isOpen || (written['detect_machine'] ?? false) !== false ? ['machine'] : []),
  ];
}

/** Rings, and lets the caller talk with who answers. */
export async function* ringAndTalk(
  conversation: Conversation,
  order: RingOptions,
  ringback: Ringback,
  talked: string,
): AsyncGenerator<Wait, StepResult, StepEvent> {
  const { context } = conversation;
  conversation.reportInitiated(order.groups.flat().join(', '));
  ringback.start();
  let rang = false;
  const rung = yield* ring(context, order, {
    onRinging({ to }) {
      if (!rang) context.reportBridge({ state: 'bridging', to });
      rang = true;
    },
    onEarly: (party) => ringback.hearEarlyMedia(party),
  });
  ringback.stop();
  if (rung.how !== 'answered') return failureResult(conversation, rung);
  if (yield* conversation.answerCaller(rung.party)) {
    conversation.connect(rung.party);
    yield* conversation.untilOneLeaves();
  } else context.reportBridge({ state: 'failed', to: conversation.to, cause: conversation.cause });
  return { outcome: talked, result: talkedResult(conversation, rung.members) };
}

function failureResult(conversation: Conversation, rung: Exclude<RingResult, { how: 'answered' }>): StepResult {
  if (rung.how === 'given_up') return { outcome: 'failed.no_answer' };
  const { to, cause, outcome, members } = rung;
  conversation.context.reportBridge({ state: 'failed', to, cause });
  return { outcome, result: { to: null, answered: false, duration: 0, cause: cause.code, members } };
}

function talkedResult(conversation: Conversation, members: MemberResults): JsonObject {
  const { to, durationS, cause } = conversation;
  return { to, answered: true, duration: durationS, cause: cause.code, members };
}
