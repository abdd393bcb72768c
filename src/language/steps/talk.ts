/** The course of a conversation: from ringing the party until one side leaves. */
import type { Conversation } from './conversation.ts';
import { onReferred, onTransferCommand } from './leg-transfer.ts';
import { type RingFailure, type RingOptions, ring } from './ring.ts';
import type { Ringback } from './ringback.ts';
import type { ResultOf, StepEvent, Wait, Waiting } from './step.ts';
import { until } from './waiting.ts';

/** Rings, and connects the caller to the party that answers. `talked`: outcome after a conversation. */
export async function* ringAndTalk<Options extends RingOptions, Talked extends string>(
  conversation: Conversation,
  options: Options,
  ringback: Ringback,
  talked: Talked,
): Waiting<ResultOf<Talked | RingFailure<Options>>> {
  const { context } = conversation;
  conversation.reportInitiated(options.groups.flat().join(', '));
  ringback.start();
  const rung = yield* ring(context, options, {
    onRinging: ({ to }) => context.reportBridge({ state: 'bridging', to }),
    onEarly: (peer) => ringback.setEarlyMedia(peer),
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

/** Handles hold, and transfers by REST or by a phone, until one side of a conversation leaves. */
export async function* untilOneLeaves(conversation: Conversation): Waiting<void> {
  const { context, dueMs, endKey } = conversation;
  const keys: Wait = endKey === undefined ? {} : { digits: { claims: endKey } };
  for (const event of conversation.takeEarlyEvents()) yield* onEvent(conversation, event);
  while (conversation.peer) {
    const event = yield { signals: ['transfer'], ...keys, ...until(context, dueMs) };
    if (conversation.peerLeaves(event)) continue;
    if (event.type === 'timeout' || (event.type === 'digit' && event.digit === endKey)) conversation.releasePeer();
    else if (event.type === 'signal') yield* onTransferCommand(conversation, event.data);
    else yield* onEvent(conversation, event);
  }
  conversation.end();
}

async function* onEvent(conversation: Conversation, event: StepEvent): Waiting<void> {
  conversation.onHoldEvent(event);
  const { by, said } = conversation.speaker(event);
  if (by && said.type === 'referred') yield* onReferred(conversation, by, said);
}
