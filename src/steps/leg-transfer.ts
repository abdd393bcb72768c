/**
 * Puts another party in the place of the one that the caller talks to: asked for by REST (`transfer`), by the verb, or by
 * a phone (REFER). Neighbours: `conversation.ts` is what goes on before and after, `ring.ts` calls the new party.
 */

import { RINGING } from '../core/built-in-sounds.ts';
import { type Cause, causeOf, causeOfSip, dialOutcome, NORMAL_CLEARING, sipStatusOf } from '../core/causes.ts';
import { type Fault, faultIn } from '../core/fault.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { AudioItem, LegEvent } from '../core/leg.ts';
import { checkArguments } from '../schema/validate.ts';
import { list, text } from './arguments.ts';
import { DECLINED } from './candidate.ts';
import type { Conversation } from './conversation.ts';
import { musicOf } from './conversation.ts';
import { type RingObserver, type RingOptions, type RingOutcome, type RingResult, ring, ringOptions } from './ring.ts';
import { Ringback } from './ringback.ts';
import type { StepContext, StepEvent, StepLegBase, StepParty, Wait } from './step.ts';

/** Request pending (RFC 3261 §21.4.27), trying, and what an attempt that never was is told. */
const PENDING = 491;
const TRYING = 100;
const OK = 200;

/** Call rejected (Q.850): what cannot be tried at all. */
const CALL_REFUSED = causeOf(21);
/** Of who was asked for; what is longer is no address. */
const MAX_TO_LENGTH = 256;

type ReferredEvent = Extract<LegEvent, { type: 'referred' }>;

export type TransferResult =
  /** The caller is with the new party, back with the old one, or with nobody. */
  | { how: 'connected' }
  | { how: 'back'; cause: Cause }
  | { how: 'alone'; outcome: RingOutcome; cause: Cause }
  /** The caller's own phone calls: the call is over for us. */
  | { how: 'away' };

export interface TransferOptions {
  ring: RingOptions;
  mode: 'attended' | 'blind' | 'refer';
  music: readonly AudioItem[];
}

export async function transferOptions(conversation: Conversation, args: JsonObject): Promise<TransferOptions> {
  const { context } = conversation;
  const mode = args['mode'];
  return {
    ring: {
      ...(conversation.from === undefined ? {} : { from: conversation.from }),
      ...(await ringOptions(context, args)),
    },
    mode: mode === 'blind' || mode === 'refer' ? mode : 'attended',
    music: args['music'] === undefined ? conversation.music : await musicOf(context, args['music']),
  };
}

/** REST asks for a transfer of the conversation. */
export async function* onTransferCommand(
  conversation: Conversation,
  data: Json,
): AsyncGenerator<Wait, void, StepEvent> {
  const { context } = conversation;
  const args = isObject(data) ? data : { to: data };
  const refuse = (why: string) => {
    context.log('warn', 'the transfer is refused', { why });
    reportFailure(conversation, args, CALL_REFUSED);
  };
  const wrong = checkArguments({ verb: 'transfer' }, args);
  if (wrong !== undefined || !conversation.canTransfer) return refuse(wrong ?? 'there were too many');
  const order = await transferOptions(conversation, args).catch(faultOf);
  if ('code' in order) return refuse(order.message);
  reportTransfer(conversation, args, yield* transferPeer(conversation, order));
}

/** The answer to who asked only said that it begins. */
export function reportTransfer(conversation: Conversation, args: JsonObject, transferred: TransferResult): void {
  if (transferred.how === 'back' || transferred.how === 'alone') reportFailure(conversation, args, transferred.cause);
  else if (text(args['channel_id']) !== '')
    conversation.context.reportBridge({ state: 'transferred', ...requestedTransfer(args) });
}

function reportFailure({ context }: Conversation, args: JsonObject, cause: Cause): void {
  if (text(args['channel_id']) !== '')
    context.reportBridge({ state: 'untransferred', ...requestedTransfer(args), cause });
}

function requestedTransfer(args: JsonObject): { channelId: string; to: string; from?: string } {
  const from = text(args['from']);
  const to = list(args['to']).flatMap(list).map(String).join(', ').slice(0, MAX_TO_LENGTH);
  return { channelId: text(args['channel_id']), to, ...(from === '' ? {} : { from }) };
}

function faultOf(error: unknown): Fault {
  const carried = faultIn(error);
  if (carried) return carried;
  throw error;
}

/** A phone asks for one. */
export async function* onReferred(
  conversation: Conversation,
  by: StepLegBase,
  { referId, to, replacesLegId }: ReferredEvent,
): AsyncGenerator<Wait, void, StepEvent> {
  const { peer, context } = conversation;
  const refuse = () => by.send({ type: 'refer_progress', referId, sipStatus: DECLINED });
  if (!peer || !conversation.canTransfer || checkArguments({ verb: 'transfer' }, { to }) !== undefined) {
    return refuse();
  }
  if (by === context.leg) {
    // The call lives as long as the caller's line: the other side has to call by itself.
    if (replacesLegId !== undefined) return refuse();
    yield* referPeer(conversation, peer, { referId, to });
  } else if (replacesLegId !== undefined) yield* takeOverPeer(conversation, peer, { referId, replacesLegId });
  else {
    const order = await transferOptions(conversation, { to });
    yield* transferPeer(conversation, order, { referId, party: peer });
  }
}

/** What else happens while a transfer is under way. */
function handleOtherEvents(conversation: Conversation): (event: StepEvent) => void {
  const { context } = conversation;
  return (event) => {
    if (conversation.peerLeaves(event)) return;
    conversation.onHoldEvent(event);
    if (event.type === 'referred')
      context.leg.send({ type: 'refer_progress', referId: event.referId, sipStatus: PENDING });
    if (event.type === 'party' && event.party === conversation.peer?.id && event.event.type === 'referred') {
      conversation.peer.send({ type: 'refer_progress', referId: event.event.referId, sipStatus: PENDING });
    }
  };
}

export async function* transferPeer(
  conversation: Conversation,
  order: TransferOptions,
  asked?: { referId: string; party: StepParty },
): AsyncGenerator<Wait, TransferResult, StepEvent> {
  conversation.transfers += 1;
  if (order.mode === 'refer') return yield* referCaller(conversation, order);
  const { context } = conversation;
  const old = conversation.peer;
  const tell = (sipStatus: number) => {
    if (asked && conversation.peer === asked.party)
      asked.party.send({ type: 'refer_progress', referId: asked.referId, sipStatus });
  };
  tell(TRYING);
  conversation.disconnect();
  if (order.mode === 'blind') conversation.releasePeer();
  // Who transfers by REFER hears its own phone.
  const ringing = asked ? undefined : conversation.peer?.play([...RINGING], { repeat: true });
  const sound = playWhileTransferring(conversation, order);
  const told = handleOtherEvents(conversation);
  const rung = yield* tryRing(context, order.ring, {
    ...(sound.onEarly ? { onEarly: sound.onEarly } : {}),
    onEvent(event) {
      told(event);
      return false;
    },
  });
  sound.stop();
  if (rung.how === 'answered') {
    tell(OK);
    conversation.releasePeer();
    if (yield* conversation.answerCaller(rung.party)) {
      conversation.connect(rung.party);
      return { how: 'connected' };
    }
    return { how: 'alone', outcome: 'failed.declined', cause: conversation.cause };
  }
  tell(sipStatusOf(rung.cause));
  if (!old || conversation.peer !== old) return { how: 'alone', outcome: rung.outcome, cause: rung.cause };
  if (ringing !== undefined) old.stopPlay(ringing);
  conversation.connect(old);
  return { how: 'back', cause: rung.cause };
}

/** Music while somebody holds the caller, ringing where nobody is left who could. */
function playWhileTransferring(
  { context, mixId, peer }: Conversation,
  { music }: TransferOptions,
): Pick<RingObserver, 'onEarly'> & { stop(): void } {
  if (peer) {
    const playId = context.leg.play([...music], { repeat: true });
    return { stop: () => context.leg.stopPlay(playId) };
  }
  const ringback = new Ringback(context, mixId, undefined);
  ringback.start();
  return { onEarly: (early) => ringback.hearEarlyMedia(early), stop: () => ringback.stop() };
}

/** What keeps it from being called at all ends no conversation. */
async function* tryRing(
  context: StepContext,
  order: RingOptions,
  watch: RingObserver,
): AsyncGenerator<Wait, Exclude<RingResult, { how: 'given_up' }>, StepEvent> {
  const nobody = { how: 'failed', outcome: 'failed.unreachable', cause: causeOf(3), members: {} } as const;
  try {
    const rung = yield* ring(context, order, watch);
    return rung.how === 'given_up' ? { ...nobody, to: '' } : rung;
  } catch (error) {
    const carried = faultIn(error);
    if (!carried) throw error;
    context.log('warn', 'the transfer failed', { code: carried.code });
    return { ...nobody, to: order.groups[0]?.[0] ?? '' };
  }
}

/** The caller's own phone is asked to call. */
async function* referCaller(
  conversation: Conversation,
  order: TransferOptions,
): AsyncGenerator<Wait, TransferResult, StepEvent> {
  const { leg } = conversation.context;
  const to = order.ring.groups[0]?.[0] ?? '';
  const sipStatus = yield* sendRefer(conversation, leg, to);
  if (sipStatus < 300) {
    conversation.releasePeer();
    leg.send({ type: 'hangup', cause: NORMAL_CLEARING.code });
    return { how: 'away' };
  }
  const { peer } = conversation;
  if (peer && !conversation.isConnected) conversation.connect(peer);
  const cause = causeOfSip(sipStatus);
  if (peer) return { how: 'back', cause };
  return { how: 'alone', outcome: `failed.${dialOutcome(cause)}`, cause };
}

/** The caller's phone transfers who it talks to: that one's phone is asked to call. */
async function* referPeer(
  conversation: Conversation,
  party: StepParty,
  { referId, to }: { referId: string; to: string },
): AsyncGenerator<Wait, void, StepEvent> {
  const { leg } = conversation.context;
  conversation.transfers += 1;
  leg.send({ type: 'refer_progress', referId, sipStatus: TRYING });
  const sipStatus = yield* sendRefer(conversation, party, to);
  leg.send({ type: 'refer_progress', referId, sipStatus });
  if (sipStatus < 300) conversation.releasePeer();
}

/** The final status of a REFER that we sent. */
async function* sendRefer(
  conversation: Conversation,
  line: StepLegBase,
  to: string,
): AsyncGenerator<Wait, number, StepEvent> {
  const referId = line.request({ type: 'refer', to });
  const told = handleOtherEvents(conversation);
  for (;;) {
    const event = yield {};
    const ended = event.type === 'party' ? event.event : event;
    if (ended.type === 'refer_ended' && ended.referId === referId) return ended.sipStatus;
    told(event);
    if (line !== conversation.context.leg && !conversation.peer) return OK;
  }
}

/** A phone with two calls connects them: its other call's party comes to this caller. */
async function* takeOverPeer(
  conversation: Conversation,
  party: StepParty,
  { referId, replacesLegId }: { referId: string; replacesLegId: string },
): AsyncGenerator<Wait, void, StepEvent> {
  const { context } = conversation;
  conversation.transfers += 1;
  party.send({ type: 'refer_progress', referId, sipStatus: TRYING });
  context.requestPeer(replacesLegId);
  const told = handleOtherEvents(conversation);
  for (;;) {
    const event = yield {};
    if (event.type !== 'taken_over') {
      told(event);
      continue;
    }
    const found = context.parties.find(({ id }) => id === event.party);
    if (conversation.peer) party.send({ type: 'refer_progress', referId, sipStatus: found ? OK : DECLINED });
    if (!found) return;
    conversation.releasePeer();
    conversation.connect(found);
    return;
  }
}
