/** What happens in a conversation until one of the two leaves: holding, and transfers by REST or by a phone. */
import type { Conversation } from './conversation.ts';
import { onReferred, onTransferCommand } from './leg-transfer.ts';
import type { StepEvent, Waiting } from './step.ts';
import { until } from './waiting.ts';

export async function* untilOneLeaves(conversation: Conversation): Waiting<void> {
  const { context, dueMs } = conversation;
  for (const event of conversation.takeEarlyEvents()) yield* onEvent(conversation, event);
  while (conversation.peer) {
    const event = yield { signals: ['transfer'], ...until(context, dueMs) };
    if (conversation.peerLeaves(event)) continue;
    if (event.type === 'timeout') conversation.releasePeer();
    else if (event.type === 'signal') yield* onTransferCommand(conversation, event.data);
    else yield* onEvent(conversation, event);
  }
  conversation.end();
}

async function* onEvent(conversation: Conversation, event: StepEvent): Waiting<void> {
  const { context, peer } = conversation;
  conversation.onHoldEvent(event);
  if (event.type === 'referred') yield* onReferred(conversation, context.leg, event);
  else if (event.type === 'party' && event.party === peer?.id && event.event.type === 'referred') {
    yield* onReferred(conversation, peer, event.event);
  }
}
