/**
 * Conversation between the caller and one party, until one of the two leaves. Shared by `bridge`, `transfer`, `queue`
 * and `resume`. `ring.ts` finds the party, `talk.ts` handles the events of both, `leg-transfer.ts` replaces the party.
 *
 * Invariants
 *  - there is one party at a time; events of other legs are ignored;
 *  - a phone that asks for a transfer (`referred`) gets a final answer in every case;
 *  - after an interrupt the party stays on the call (`keepOnInterrupt`); any other end of the step hangs it up.
 */
import { type Cause, NORMAL_CLEARING } from '../../base/core/causes.ts';
import type { Json } from '../../base/core/json.ts';
import type { AudioItem, LegEvent } from '../../base/core/leg.ts';
import { HOLD_MUSIC } from '../flow/built-in-sounds.ts';
import { durationMs } from './arguments.ts';
import { hasEnded } from './playback.ts';
import type { StepContext, StepEvent, StepLegBase, StepParty, Waiting } from './step.ts';
import type { BridgeArgs, TransferArgs } from './verb-types.ts';

/** Limit for one conversation, so that two phones cannot transfer a call to each other forever. */
const MAX_TRANSFERS = 20;

export interface ConversationOptions {
  bridgeId: string;
  /** Caller ID for the called party, if the flow sets one. */
  from?: string;
  /** Music for the side that the other one put on hold. */
  music: readonly AudioItem[];
  maxDurationMs?: number;
  record?: boolean;
  /** Key with which the caller ends the conversation. */
  endKey?: string;
}

export class Conversation {
  readonly context: StepContext;
  readonly mixId: string;
  readonly from: string | undefined;
  readonly music: readonly AudioItem[];
  peer: StepParty | undefined;
  /** Address of the caller's last peer, and why that conversation ended. */
  to = '';
  cause: Cause = NORMAL_CLEARING;
  startedMs: number | undefined;
  transfers = 0;
  readonly #options: ConversationOptions;
  /** Play ids of the hold music, by held leg. */
  readonly #holdPlays = new Map<StepLegBase, string>();
  /** Legs that have put the other side on hold. */
  readonly #holding = new Set<StepLegBase>();
  /** Events received before the two legs were connected; `talk.ts` handles them afterwards. */
  readonly #heardEarly: StepEvent[] = [];
  #isConnected = false;
  #records = false;

  constructor(context: StepContext, options: ConversationOptions) {
    this.context = context;
    this.mixId = options.bridgeId;
    this.from = options.from;
    this.music = options.music;
    this.#options = options;
  }

  get durationS(): number {
    return this.startedMs === undefined ? 0 : Math.round((this.context.now() - this.startedMs) / 1000);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get canTransfer(): boolean {
    return this.transfers < MAX_TRANSFERS;
  }

  /** Answers the caller's leg if needed. False if the party left before the answer. */
  async *answerCaller(party: StepParty): Waiting<boolean> {
    const { leg } = this.context;
    this.peer = party;
    this.to = party.to;
    if (leg.state !== 'ringing' || leg.direction === 'outbound') return true;
    leg.send({ type: 'answer' });
    for (;;) {
      const event = yield {};
      if (event.type === 'answered') return true;
      const ended = this.#endOf(event);
      if (!ended) {
        this.#heardEarly.push(event);
        continue;
      }
      this.#left(ended);
      return false;
    }
  }

  /** Plays audio to the caller while the party waits. False if the party left before its end. */
  async *playToCaller(party: StepParty, audio: AudioItem[]): Waiting<boolean> {
    if (audio.length === 0) return true;
    const { leg } = this.context;
    this.peer = party;
    this.to = party.to;
    const playId = leg.play(audio);
    for (;;) {
      const event = yield {};
      if (hasEnded(event, playId)) return true;
      const ended = this.#endOf(event);
      if (!ended) {
        this.#heardEarly.push(event);
        continue;
      }
      leg.stopPlay(playId);
      this.#left(ended);
      return false;
    }
  }

  /** Reports that a party is being dialled. */
  reportInitiated(to: string): void {
    const { leg, call } = this.context;
    const own = String(leg.direction === 'outbound' ? call['from'] : call['to']);
    this.context.reportBridge({ state: 'initiated', bridgeId: this.mixId, from: this.from ?? own, to });
  }

  /** Resumes a conversation after an interrupt; the media of the two legs are not connected yet. */
  resumeWith(party: StepParty): void {
    this.peer = party;
    this.to = party.to;
    this.startedMs = this.context.now();
  }

  /** Connects the media of the two legs. */
  connect(party: StepParty): void {
    const { context } = this;
    this.peer = party;
    this.to = party.to;
    this.startedMs ??= context.now();
    party.send({ type: 'join', mixId: this.mixId });
    context.leg.send({ type: 'join', mixId: this.mixId });
    context.keepOnInterrupt(party, this.music);
    context.reportBridge({ state: 'bridged', to: party.to });
    if (this.#options.record && !this.#records) this.#record();
    this.#isConnected = true;
    this.#playToHeld();
  }

  /** Disconnects the media of the two legs, while another party is dialled. */
  disconnect(): void {
    this.#isConnected = false;
    for (const [line, playId] of this.#holdPlays) line.stopPlay(playId);
    this.#holdPlays.clear();
    this.context.leg.send({ type: 'leave' });
  }

  get endKey(): string | undefined {
    return this.#options.endKey;
  }

  /** Deadline of the conversation. */
  get dueMs(): number | undefined {
    const { maxDurationMs } = this.#options;
    return maxDurationMs === undefined ? undefined : (this.startedMs ?? this.context.now()) + maxDurationMs;
  }

  /** Returns the events received before the two legs were connected, and forgets them. */
  takeEarlyEvents(): StepEvent[] {
    return this.#heardEarly.splice(0);
  }

  /** Hangs up the party; the caller's leg stays. */
  releasePeer(cause: Cause = NORMAL_CLEARING): void {
    this.peer?.send({ type: 'hangup', cause: cause.code });
    this.#left(cause);
  }

  /** Handles the end of the party's leg. True if this event is that end. */
  peerLeaves(event: StepEvent): boolean {
    const ended = this.#endOf(event);
    if (ended) this.#left(ended);
    return ended !== undefined;
  }

  /** Returns the leg that sent the event, and its event; `by` is undefined for a leg outside the conversation. */
  speaker(event: StepEvent): { by: StepLegBase | undefined; said: StepEvent | LegEvent } {
    if (event.type !== 'party') return { by: this.context.leg, said: event };
    return { by: event.party === this.peer?.id ? this.peer : undefined, said: event.event };
  }

  /** Records which side holds the other, and plays music to the held one if the two are connected. */
  onHoldEvent(event: StepEvent): void {
    const { by, said } = this.speaker(event);
    if (said.type !== 'far_hold' || !by) return;
    if (said.held) this.#holding.add(by);
    else this.#holding.delete(by);
    if (this.#isConnected) this.#playToHeld();
  }

  #playToHeld(): void {
    const { leg } = this.context;
    for (const [line, other] of [
      [leg, this.peer],
      [this.peer, leg],
    ] as const) {
      if (!line || !other) continue;
      const playId = this.#holdPlays.get(line);
      const isHeld = this.#holding.has(other);
      if (isHeld && playId === undefined) this.#holdPlays.set(line, line.play([...this.music], { repeat: true }));
      if (isHeld || playId === undefined) continue;
      line.stopPlay(playId);
      this.#holdPlays.delete(line);
    }
  }

  #endOf(event: StepEvent): Cause | undefined {
    const { peer } = this;
    if (!peer) return undefined;
    if (event.type === 'given_up' && event.party === peer.id) return NORMAL_CLEARING;
    return event.type === 'party' && event.party === peer.id && event.event.type === 'ended'
      ? event.event.cause
      : undefined;
  }

  #left(cause: Cause): void {
    const { peer } = this;
    if (!peer) return;
    this.cause = cause;
    this.peer = undefined;
    this.#holding.delete(peer);
    this.#holdPlays.delete(peer);
  }

  /** Ends the conversation for the caller's leg. */
  end(): void {
    const { context } = this;
    this.disconnect();
    // Digits pressed during the conversation were meant for the peer, not for the next step.
    context.leg.takeTypedAhead();
    if (this.#records) context.background({ type: 'recording', action: 'stop' });
    context.reportBridge({ state: 'bridge_disconnected', to: this.to, cause: this.cause });
  }

  #record(): void {
    const { context } = this;
    const started = context.background({ type: 'recording', action: 'start' });
    if ('id' in started) this.#records = true;
    else context.log('warn', 'the conversation is not recorded', { code: started.fault.code });
  }
}

/** Arguments of `bridge`, `transfer`, `queue` and `resume` that configure a conversation. */
type ConversationArgs = Partial<
  Pick<BridgeArgs, 'bridge_id' | 'end_key' | 'from' | 'hold_music' | 'max_duration' | 'record'>
> &
  Pick<TransferArgs, 'music'>;

export async function conversationOptions(context: StepContext, args: ConversationArgs): Promise<ConversationOptions> {
  const { bridge_id = `${context.call['id']}:${context.runNumber}`, from, max_duration, record = false } = args;
  return {
    // The id names the mix. Mixes of rooms contain a space, so that a bridge id can never join a room without its PIN.
    bridgeId: bridge_id.replaceAll(' ', '_'),
    music: await musicOf(context, args.hold_music ?? args.music),
    ...(from !== undefined && { from }),
    ...(max_duration !== undefined && { maxDurationMs: durationMs(max_duration) }),
    ...(args.end_key !== undefined && { endKey: args.end_key }),
    record: record !== false,
  };
}

export async function musicOf(context: StepContext, written: Json | undefined): Promise<readonly AudioItem[]> {
  const music = written === undefined ? [] : await context.prompt(written);
  return music.length > 0 ? music : HOLD_MUSIC;
}
