import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { longForm } from './arguments.ts';
import { Conversation, conversationOptions } from './conversation.ts';
import { type Members, type RingOrder, type Rung, ring, ringOrder } from './ring.ts';
import { Ringback } from './ringback.ts';
import { defineStep, type StepEvent, type StepResult, type Wait } from './step.ts';

export const bridge = defineStep({
  verb: 'bridge',
  occupies: 'connecting',
  outcomes: (args) => ['completed', ...failuresOf(args), 'error'],
  success: 'completed',
  setbacks: ['failed', 'machine'],
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['/ringback', '/whisper', '/screen/prompt', '/hold_music'],
  async *run(context) {
    const args = longForm(context.input, 'to');
    const order = await ringOrder(context, args);
    const conversation = new Conversation(context, await conversationOptions(context, args));
    const audio = args['ringback'] === undefined ? undefined : await context.prompt(args['ringback']);
    const ringback = new Ringback(context, conversation.mixId, audio);
    return yield* callAndTalk(conversation, order, ringback, 'completed');
  },
});

/** Arguments that are one template may ask for anything. */
function failuresOf(args: Json): string[] {
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
export async function* callAndTalk(
  conversation: Conversation,
  order: RingOrder,
  ringback: Ringback,
  talked: string,
): AsyncGenerator<Wait, StepResult, StepEvent> {
  const { context } = conversation;
  conversation.begin(order.groups.flat().join(', '));
  ringback.start();
  let rang = false;
  const rung = yield* ring(context, order, {
    onRinging({ to }) {
      if (!rang) context.reportBridge({ state: 'bridging', to });
      rang = true;
    },
    onEarly: (party) => ringback.early(party),
  });
  ringback.stop();
  if (rung.how !== 'answered') return failure(conversation, rung);
  if (yield* conversation.open(rung.party)) {
    conversation.connect(rung.party);
    yield* conversation.talk();
  } else context.reportBridge({ state: 'failed', to: conversation.to, cause: conversation.cause });
  return { outcome: talked, result: talkedResult(conversation, rung.members) };
}

function failure(conversation: Conversation, rung: Exclude<Rung, { how: 'answered' }>): StepResult {
  if (rung.how === 'given_up') return { outcome: 'failed.no_answer' };
  const { to, cause, outcome, members } = rung;
  conversation.context.reportBridge({ state: 'failed', to, cause });
  return { outcome, result: { to: null, answered: false, duration: 0, cause: cause.code, members } };
}

function talkedResult(conversation: Conversation, members: Members): JsonObject {
  const { to, durationS, cause } = conversation;
  return { to, answered: true, duration: durationS, cause: cause.code, members };
}
