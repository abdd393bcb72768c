/**
 * Replaces the peer of a conversation: requested by REST (`transfer`), by the verb `transfer`, or by a phone (REFER).
 * `conversation.ts` has the conversation, `ring.ts` dials the new party.
 */
import {
  CALL_REJECTED,
  type Cause,
  causeOfSip,
  dialOutcome,
  NO_ROUTE,
  NORMAL_CLEARING,
  sipStatusOf,
} from '../../base/core/causes.ts';
import { faultIn } from '../../base/core/fault.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import type { AudioItem, LegEvent } from '../../base/core/leg.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import { completeArguments } from '../../base/schema/validate.ts';
import { RINGING } from '../flow/built-in-sounds.ts';
import { list } from './arguments.ts';
import { DECLINED } from './candidate.ts';
import { type Conversation, musicOf } from './conversation.ts';
import { Sound } from './playback.ts';
import { type DialFailure, type RingObserver, type RingOptions, type RingResult, ring, ringOptions } from './ring.ts';
import { Ringback } from './ringback.ts';
import type { StepContext, StepEvent, StepLegBase, StepParty, Waiting } from './step.ts';
import type { TransferArgs } from './verb-types.ts';

/** SIP statuses reported for a REFER: request pending (RFC 3261 §21.4.27), trying and success. */
const PENDING = 491;
const TRYING = 100;
const OK = 200;

/** Maximum length of the reported address, in characters; longer text is cut. */
const MAX_TO_LENGTH = 256;

type ReferredEvent = Extract<LegEvent, { type: 'referred' }>;

export type TransferResult =
  /** The caller is connected to the new party. */
  | { how: 'connected' }
  /** The transfer failed; the caller is connected to the previous peer again. */
  | { how: 'back'; cause: Cause }
  /** The transfer failed, and the previous peer has left. */
  | { how: 'alone'; outcome: DialFailure; cause: Cause }
  /** The caller's phone calls the target directly: the call on this service is over. */
  | { how: 'away' };

/** A transfer has neither call screening nor machine detection. */
type TransferRing = Omit<RingOptions, 'screen' | 'detect'>;

export interface TransferOptions {
  ring: TransferRing;
  mode: TransferArgs['mode'];
  music: readonly AudioItem[];
}

export async function transferOptions(conversation: Conversation, args: TransferArgs): Promise<TransferOptions> {
  const { context, from } = conversation;
  const { screen: _, detect: __, ...ring } = await ringOptions(context, args);
  return {
    ring: { ...(from !== undefined && { from }), ...ring },
    mode: args.mode,
    music: args.music === undefined ? conversation.music : await musicOf(context, args.music),
  };
}

/** Handles the REST command `transfer`. */
export async function* onTransferCommand(conversation: Conversation, data: Json): Waiting<void> {
  const { context } = conversation;
  const { args, problem } = readTransfer(isObject(data) ? data : { to: data });
  const refuse = (why: string) => {
    context.log('warn', 'the transfer is refused', { why });
    reportTransfer(conversation, args, { how: 'alone', outcome: 'failed.declined', cause: CALL_REJECTED });
  };
  if (problem !== undefined) return refuse(problem);
  if (!conversation.canTransfer) return refuse('there were too many');
  const options = await transferOptions(conversation, args).catch(
    (error: unknown) => faultIn(error) ?? Promise.reject(error),
  );
  if ('code' in options) return refuse(options.message);
  reportTransfer(conversation, args, yield* transferPeer(conversation, options));
}

const readTransfer = (args: Json) =>
  completeArguments({ verb: 'transfer' }, args) as { args: TransferArgs; problem?: string };

/** Reports the result of a transfer as an event: the response to the REST request only confirmed its start. */
export function reportTransfer({ context }: Conversation, args: TransferArgs, result: TransferResult): void {
  const { channel_id: channelId, from } = args;
  if (typeof channelId !== 'string' || channelId === '') return;
  const to = list<string | string[]>(args.to).flat().join(', ').slice(0, MAX_TO_LENGTH);
  const asked = { channelId, to, ...(from && { from: String(from) }) };
  if ('cause' in result) context.reportBridge({ state: 'untransferred', ...asked, cause: result.cause });
  else context.reportBridge({ state: 'transferred', ...asked });
}

/** Handles the REFER of a phone. */
export async function* onReferred(
  conversation: Conversation,
  by: StepLegBase,
  { referId, to, replacesLegId }: ReferredEvent,
): Waiting<void> {
  const { peer, context } = conversation;
  const refuse = () => by.send({ type: 'refer_progress', referId, sipStatus: DECLINED });
  const { args, problem } = readTransfer({ to });
  if (!peer || !conversation.canTransfer || problem !== undefined) return refuse();
  if (by === context.leg) {
    // The call ends with the caller's leg, so the peer's phone has to call the target itself. That is not possible for
    // an attended transfer (Replaces).
    if (replacesLegId !== undefined) return refuse();
    yield* referPeer(conversation, peer, { referId, to });
  } else if (replacesLegId !== undefined) yield* takeOverPeer(conversation, peer, { referId, replacesLegId });
  else yield* transferPeer(conversation, await transferOptions(conversation, args), { referId, by: peer });
}

/** Handles the other events during a transfer: hold, the end of the peer, and a second REFER (491). */
function onOtherEvent(conversation: Conversation, event: StepEvent): void {
  if (conversation.peerLeaves(event)) return;
  conversation.onHoldEvent(event);
  const { by, said } = conversation.speaker(event);
  if (said.type === 'referred') by?.send({ type: 'refer_progress', referId: said.referId, sipStatus: PENDING });
}

/** Transfers the caller to another party. `asked`: the REFER of the peer's phone, if it requested the transfer. */
export async function* transferPeer(
  conversation: Conversation,
  options: TransferOptions,
  asked?: { referId: string; by: StepParty },
): Waiting<TransferResult> {
  conversation.transfers += 1;
  if (options.mode === 'refer') return yield* referCaller(conversation, options);
  const { context } = conversation;
  const old = conversation.peer;
  const progress = (sipStatus: number) => {
    if (asked && conversation.peer === asked.by)
      asked.by.send({ type: 'refer_progress', referId: asked.referId, sipStatus });
  };
  progress(TRYING);
  conversation.disconnect();
  if (options.mode === 'blind') conversation.releasePeer();
  const ringing = conversation.peer && new Sound(conversation.peer, RINGING);
  // A phone that transfers by REFER plays its own ringing.
  if (!asked) ringing?.start();
  const sound = playWhileTransferring(conversation, options);
  const rung = yield* tryRing(context, options.ring, {
    ...('setEarlyMedia' in sound && { onEarly: (early) => sound.setEarlyMedia(early) }),
    onEvent(event) {
      onOtherEvent(conversation, event);
      return false;
    },
  });
  sound.stop();
  if (rung.how === 'answered') {
    progress(OK);
    conversation.releasePeer();
    if (yield* conversation.answerCaller(rung.peer)) {
      conversation.connect(rung.peer);
      return { how: 'connected' };
    }
    return { how: 'alone', outcome: 'failed.declined', cause: conversation.cause };
  }
  const { cause, outcome } = rung;
  progress(sipStatusOf(cause));
  if (!old || conversation.peer !== old) return { how: 'alone', outcome, cause };
  ringing?.stop();
  conversation.connect(old);
  return { how: 'back', cause };
}

/** Plays music to the caller while the peer is on the call, else (blind transfer) a ringing tone. */
function playWhileTransferring({ context, mixId, peer }: Conversation, { music }: TransferOptions): Sound | Ringback {
  const sound = peer ? new Sound(context.leg, music) : new Ringback(context, mixId, undefined);
  sound.start();
  return sound;
}

/** Rings the new party. A target that cannot be dialled is a failed transfer and does not end the conversation. */
async function* tryRing(
  context: StepContext,
  options: TransferRing,
  observer: RingObserver,
): Waiting<Exclude<RingResult<TransferRing>, { how: 'cancelled' }>> {
  try {
    const rung = yield* ring(context, options, observer);
    if (rung.how !== 'cancelled') return rung;
  } catch (error) {
    const fault = faultIn(error);
    if (!fault) throw error;
    context.log('warn', 'the transfer failed', { code: fault.code });
  }
  const to = options.groups[0]?.[0] ?? '';
  return { how: 'failed', outcome: 'failed.unreachable', cause: NO_ROUTE, members: {}, to, headers: undefined };
}

/** Sends a REFER to the caller's phone. */
async function* referCaller(
  conversation: Conversation,
  { ring: { groups, headers } }: TransferOptions,
): Waiting<TransferResult> {
  const { leg } = conversation.context;
  const sipStatus = yield* sendRefer(conversation, leg, { to: groups[0]?.[0] ?? '', ...(headers && { headers }) });
  if (sipStatus < 300) {
    conversation.releasePeer();
    leg.send({ type: 'hangup', cause: NORMAL_CLEARING.code });
    return { how: 'away' };
  }
  const { peer } = conversation;
  const cause = causeOfSip(sipStatus);
  if (!peer) return { how: 'alone', outcome: `failed.${dialOutcome(cause)}`, cause };
  if (!conversation.isConnected) conversation.connect(peer);
  return { how: 'back', cause };
}

/** Handles a transfer by the caller's phone: sends a REFER to the phone of the peer. */
async function* referPeer(
  conversation: Conversation,
  peer: StepParty,
  { referId, to }: { referId: string; to: string },
): Waiting<void> {
  const { leg } = conversation.context;
  conversation.transfers += 1;
  leg.send({ type: 'refer_progress', referId, sipStatus: TRYING });
  const sipStatus = yield* sendRefer(conversation, peer, { to });
  leg.send({ type: 'refer_progress', referId, sipStatus });
  if (sipStatus < 300) conversation.releasePeer();
}

/** Sends a REFER and returns its final status. */
async function* sendRefer(
  conversation: Conversation,
  leg: StepLegBase,
  refer: { to: string; headers?: SipHeaders },
): Waiting<number> {
  const referId = leg.request({ type: 'refer', ...refer });
  for (;;) {
    const event = yield {};
    const ended = event.type === 'party' ? event.event : event;
    if (ended.type === 'refer_ended' && ended.referId === referId) return ended.sipStatus;
    onOtherEvent(conversation, event);
    if (leg !== conversation.context.leg && !conversation.peer) return OK;
  }
}

/** Attended transfer by a phone with two calls (REFER with Replaces): connects the other call's party to the caller. */
async function* takeOverPeer(
  conversation: Conversation,
  peer: StepParty,
  { referId, replacesLegId }: { referId: string; replacesLegId: string },
): Waiting<void> {
  const { context } = conversation;
  conversation.transfers += 1;
  peer.send({ type: 'refer_progress', referId, sipStatus: TRYING });
  context.requestPeer(replacesLegId);
  let event = yield {};
  while (event.type !== 'taken_over') {
    onOtherEvent(conversation, event);
    event = yield {};
  }
  const { party } = event;
  const found = context.parties.find(({ id }) => id === party);
  if (conversation.peer) peer.send({ type: 'refer_progress', referId, sipStatus: found ? OK : DECLINED });
  if (!found) return;
  conversation.releasePeer();
  conversation.connect(found);
}
