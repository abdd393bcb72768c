/**
 * A conversation: the caller and one party hear each other until one of them leaves. Shared by `bridge`, `transfer`,
 * `queue` and `resume`. Neighbours: `ring.ts` finds the party, `talk.ts` waits
 * for what the two do, `leg-transfer.ts` puts another party in its place.
 *
 * Invariants
 *  - there is one party at a time; events of other legs are ignored;
 *  - a phone that asks for a transfer (`referred`) gets a final answer in every case;
 *  - an interrupt that leaves the conversation leaves the party with the call (`keep`); any other way out hangs it up.
 */

import { HOLD_MUSIC } from '../core/built-in-sounds.ts';
import { type Cause, NORMAL_CLEARING } from '../core/causes.ts';
import type { Json } from '../core/json.ts';
import type { AudioItem, LegEvent } from '../core/leg.ts';
import { durationMs } from './arguments.ts';
import { hasEnded } from './playback.ts';
import type { StepContext, StepEvent, StepLegBase, StepParty, Waiting } from './step.ts';
import type { BridgeArgs, TransferArgs } from './step-arguments.ts';

/** Of one conversation: two phones that pass a call to and fro must come to an end. */
const MAX_TRANSFERS = 20;

export interface ConversationOptions {
  bridgeId: string;
  /** Shown to the called party, where the flow sets it. */
  from?: string;
  /** Heard by one side while the other holds it. */
  music: readonly AudioItem[];
  maxDurationMs?: number;
  record?: boolean;
  /** The key with which the caller ends it. */
  endKey?: string;
}

export class Conversation {
  readonly context: StepContext;
  readonly mixId: string;
  readonly from: string | undefined;
  readonly music: readonly AudioItem[];
  peer: StepParty | undefined;
  /** The last peer of the caller, and why that conversation ended. */
  to = '';
  cause: Cause = NORMAL_CLEARING;
  startedMs: number | undefined;
  transfers = 0;
  readonly #options: ConversationOptions;
  /** The music that each held leg hears. */
  readonly #holdPlays = new Map<StepLegBase, string>();
  /** Legs that hold the other one. */
  readonly #holding = new Set<StepLegBase>();
  /** What was heard before the two were connected. */
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

  /** Answers the caller if needed. False when the party was gone before that. */
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

  /** The caller hears this first, while the party waits. False when the party was gone before its end. */
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

  /** Reports that a party is called. */
  reportInitiated(to: string): void {
    const { leg, call } = this.context;
    const own = String(leg.direction === 'outbound' ? call['from'] : call['to']);
    this.context.reportBridge({ state: 'initiated', bridgeId: this.mixId, from: this.from ?? own, to });
  }

  /** Takes up a conversation that an interrupt had left; the two do not hear each other yet. */
  resumeWith(party: StepParty): void {
    this.peer = party;
    this.to = party.to;
    this.startedMs = this.context.now();
  }

  /** The two hear each other. */
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

  /** The two no longer hear each other, while another party is called. */
  disconnect(): void {
    this.#isConnected = false;
    for (const [line, playId] of this.#holdPlays) line.stopPlay(playId);
    this.#holdPlays.clear();
    this.context.leg.send({ type: 'leave' });
  }

  get endKey(): string | undefined {
    return this.#options.endKey;
  }

  /** When the conversation is to end. */
  get dueMs(): number | undefined {
    const { maxDurationMs } = this.#options;
    return maxDurationMs === undefined ? undefined : (this.startedMs ?? this.context.now()) + maxDurationMs;
  }

  /** Events from before the two were connected. */
  takeEarlyEvents(): StepEvent[] {
    return this.#heardEarly.splice(0);
  }

  /** Ends it for the party; the caller goes on. */
  releasePeer(cause: Cause = NORMAL_CLEARING): void {
    this.peer?.send({ type: 'hangup', cause: cause.code });
    this.#left(cause);
  }

  /** Whether the party has left with this event. */
  peerLeaves(event: StepEvent): boolean {
    const ended = this.#endOf(event);
    if (ended) this.#left(ended);
    return ended !== undefined;
  }

  /** The side whose leg says this, and what; nobody where it is another leg. */
  speaker(event: StepEvent): { by: StepLegBase | undefined; said: StepEvent | LegEvent } {
    if (event.type !== 'party') return { by: this.context.leg, said: event };
    return { by: event.party === this.peer?.id ? this.peer : undefined, said: event.event };
  }

  /** Notes which side holds the other, and plays music to the one that is held once the two are connected. */
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

  /** The caller is alone again. */
  end(): void {
    const { context } = this;
    this.disconnect();
    // What was pressed while they talked was for the other side.
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

/** What `bridge`, `transfer`, `queue` and `resume` say of a conversation. */
type ConversationArgs = Partial<
  Pick<BridgeArgs, 'bridge_id' | 'end_key' | 'from' | 'hold_music' | 'max_duration' | 'record'>
> &
  Pick<TransferArgs, 'music'>;

export async function conversationOptions(context: StepContext, args: ConversationArgs): Promise<ConversationOptions> {
  const { bridge_id = `${context.call['id']}:${context.runNumber}`, from, max_duration, record = false } = args;
  return {
    // It names the mix, as rooms are named with a space: no bridge opens into a room, past its PIN.
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
