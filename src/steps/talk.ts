/** Handles hold, and transfers by REST or by a phone, until one side of a conversation leaves. */
import type { Conversation } from './conversation.ts';
import { onReferred, onTransferCommand } from './leg-transfer.ts';
import type { StepEvent, Wait, Waiting } from './step.ts';
import { until } from './waiting.ts';

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
