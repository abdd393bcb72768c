/**
 * One channel of Asterisk as a leg: commands become requests, events of Asterisk become events of the leg. The channel
 * has the id of the leg.
 *
 * Invariants: E1–E4 of `../engine.ts`, and
 *  - requests that change the signalling are sent one after the other;
 *  - a leg that is hung up ends, even if Asterisk reports no event.
 */
import { type Cause, causeOf, causeOfSip, NO_ANSWER, TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import { atMost, type Timer } from '../../../base/core/clock.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { LegCommand, LegEvent, LegSip } from '../../../base/core/leg.ts';
import { requestKeyOf } from '../../../base/core/leg-answers.ts';
import { FIRST_FENCE } from '../../../base/core/ownership.ts';
import { DigitLimit } from '../digit-limit.ts';
import type { LegAtEngine, TakenLeg } from '../engine.ts';
import { type AriRequest, ariPath, onceThere } from './ari-client.ts';
import { readChannelEvent } from './channel-event.ts';
import type { OutboundChannel } from './channel-request.ts';
import { type Accept, CommandWatermark, type StoredWatermark, WATERMARK_VARIABLE } from './command-watermark.ts';
import { type Causes, endByFar, type LegEnd, LOST, NO_CAUSES, refusalToDial } from './leg-end.ts';
import { LegGuard } from './leg-guard.ts';
import { AsteriskLegMedia } from './leg-media.ts';
import type { LegParts } from './leg-parts.ts';
import { refusalOf } from './unsupported.ts';

/** State of a channel that another node created or received. */
export interface LegBefore {
  stored: StoredWatermark;
  fence: number;
}

export interface LegOptions {
  legId: string;
  /** `offered` for a caller, `dialling` for a party that is called. */
  state: 'offered' | 'dialling';
  before?: LegBefore;
}

/** `dialling` includes every state of a called party before its answer. */
type State = 'offered' | 'early' | 'answering' | 'dialling' | 'up' | 'ending' | 'over';

/** Asterisk hangs up at once, but its last event may be lost with the connection. */
const HANGUP_MS = 3000;
const RECORDINGS_MS = 8000;
/** For a party that another node was about to call. */
const RING_TIMEOUT_MS = 60_000;
const NO_WATERMARK: StoredWatermark = { fence: FIRST_FENCE, commands: 0 };

export class Leg {
  readonly legId: string;
  readonly #parts: LegParts;
  readonly #request: AriRequest;
  readonly #watermark: CommandWatermark;
  readonly #media: AsteriskLegMedia;
  readonly #digitLimit: DigitLimit;
  readonly #requests = new Set<string>();
  readonly #isInbound: boolean;
  /** Commands that Asterisk had when the leg was taken over. */
  readonly #stored: StoredWatermark;
  #state: State;
  #signalling: Promise<void> = Promise.resolve();
  #end: LegEnd | undefined;
  #hangupTimer: Timer | undefined;
  #ringTimer: Timer | undefined;
  #hasRung = false;
  #hasEarlyMedia = false;
  #lastCauses: Causes = NO_CAUSES;
  #sipCallId: string | undefined;
  #farHold = false;
  /** Maximum ringing time, until the party is dialled. */
  #ringTimeoutMs = RING_TIMEOUT_MS;
  #isDialled = false;
  /** Requests that were not answered when the leg was taken over. */
  #open: ReadonlySet<string> = new Set();

  constructor(parts: LegParts, { legId, state, before }: LegOptions) {
    this.legId = legId;
    this.#parts = parts;
    this.#state = state;
    this.#isInbound = state === 'offered';
    const { ari, lease, clock, ...others } = parts;
    const { stored = NO_WATERMARK, fence = FIRST_FENCE } = before ?? {};
    this.#stored = stored;
    this.#request = lease
      ? new LegGuard({ ...{ legId, clock, lease, request: ari.request, fence }, lost: () => parts.lost(legId) }).request
      : ari.request;
    this.#watermark = new CommandWatermark({ ...stored, fence }, lease && ((value) => this.#keep(value)));
    this.#media = new AsteriskLegMedia({
      ...{
        ...others,
        legId,
        clock,
        watermark: this.#watermark,
        ari: { request: this.#request, file: (path) => ari.file(path) },
      },
      emit: (event) => this.#emit(event),
      claim: (playbackId) => parts.claim(playbackId, legId),
      inOrder: (work) => this.#inOrder(async () => (this.#state === 'up' ? work() : undefined)),
    });
    this.#digitLimit = new DigitLimit(clock, () => parts.log('asterisk.digits_dropped', { legId }));
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Media in the leg, to which events are passed. */
  get media(): Pick<AsteriskLegMedia, 'player' | 'recorder'> {
    return this.#media;
  }

  /** Creates the channel, and calls the party; if another node may take it over, the call waits for `dial`. */
  dial({ body, ringTimeoutMs }: OutboundChannel): void {
    const { clock, lease } = this.#parts;
    this.#ringTimeoutMs = ringTimeoutMs;
    this.#ringTimer = clock.after(ringTimeoutMs, () => this.#hangUp(NO_ANSWER, 'near'));
    void this.#inOrder(async () => {
      if (this.#state !== 'dialling') return this.#finish(this.#end ?? { cause: TEMPORARY_FAILURE, by: 'near' });
      const made = await this.#request('POST', 'channels/create', { ...body, channelId: this.legId });
      if (made.status !== 200) return this.#finish(this.#end ?? refusalToDial(made.status));
      // Hung up meanwhile: the request for that follows.
      if (this.#state !== 'dialling') return;
      if (lease) this.#emit({ type: 'created' });
      else await this.#ringParty();
    });
  }

  /** Reports that the channel was created and waits for `dial`. */
  announce(): void {
    if (this.inspect().state === 'created') this.#emit({ type: 'created' });
  }

  /** Reads the state of the channel in Asterisk, before commands are sent to it. */
  async takeUp({ commands, isInbound }: TakenLeg, channel: JsonObject): Promise<void> {
    const arrived = commands.slice(0, this.#stored.commands);
    const has = (type: LegCommand['type']): boolean => arrived.some((command) => command.type === type);
    this.describe(channel);
    if (this.isOver) return;
    this.#isDialled = has('dial');
    this.#open = await this.#media.takeUp(commands, this.#stored);
    for (const key of this.#open) this.#requests.add(key);
    this.#watermark.claim();
    if (channel['state'] === 'Up') {
      this.#state = 'up';
      this.#media.open();
    } else if (isInbound && has('progress')) {
      this.#state = 'early';
      this.#media.player.open();
    } else if (channel['state'] === 'Ringing') this.#rings();
  }

  inspect(): LegAtEngine {
    const { commands } = this.#stored;
    const isOpen = (key: string): boolean => this.#open.has(key);
    if (this.#state === 'over' || this.#state === 'ending') {
      return { ...{ state: 'ended', commands, isOpen }, cause: this.#end?.cause ?? TEMPORARY_FAILURE };
    }
    if (this.#state === 'up') return { state: 'connected', commands, isOpen };
    return { state: this.#isInbound || this.#isDialled ? 'ringing' : 'created', commands, isOpen };
  }

  send(command: LegCommand): void {
    if (this.#state === 'over' || this.#state === 'ending') {
      this.#refuse(command);
      return;
    }
    const accept = this.#watermark.next();
    const key = requestKeyOf(command);
    if (key !== undefined) {
      if (this.#requests.has(key)) return void accept();
      this.#requests.add(key);
    }
    switch (command.type) {
      case 'ring':
      case 'progress':
        void this.#tellProgress(command.type).then(accept);
        return;
      case 'answer':
        void this.#answer().then(accept);
        return;
      case 'dial':
        void this.#inOrder(() => this.#ringParty(accept));
        return;
      case 'reject':
        if (this.#state !== 'offered' && this.#state !== 'early') return void accept();
        this.#hangUp(causeOfSip(command.sipStatus), 'near', command.sipStatus);
        return;
      case 'hangup':
        this.#hangUp(causeOf(command.cause), 'near');
        return;
      case 'refer':
      case 'refer_progress':
        this.#refuse(command);
        return void accept();
      default:
        if (this.#media.perform(command, accept)) return;
        this.#refuse(command);
        void accept();
    }
  }

  /** Handles an event of this channel. */
  receive(written: JsonObject): void {
    const event = readChannelEvent(written);
    if (this.#state === 'over' || event === undefined) return;
    switch (event.type) {
      case 'state':
        this.#stateChanged(event.channel);
        return;
      case 'dial':
        this.#dialStatus(event.status);
        return;
      case 'digit':
        this.#digit(event.digit, event.durationMs);
        return;
      case 'hold':
        this.#heldByFar(event.held);
        return;
      case 'hangup_requested':
        this.#lastCauses = event.causes;
        return;
      // No more events follow for a channel that has left the application.
      case 'left':
        this.#destroyed(this.#lastCauses);
        return;
      default:
        this.#destroyed(event.causes);
    }
  }

  describe(channel: JsonObject): void {
    const { protocol_id: callId } = channel;
    if (typeof callId === 'string' && callId !== '') this.#sipCallId = callId.slice(0, 256);
  }

  /** Checks the state after events were lost. */
  async check(): Promise<void> {
    const { status } = await this.#request('GET', ariPath('channels', this.legId));
    if (status === 404) return this.lose();
    await this.#media.check();
  }

  /** Ends the leg, because Asterisk is gone. */
  lose(): void {
    this.#finish(this.#end ?? LOST);
  }

  /** Another node has adopted the leg: no request is sent, and no event is emitted. */
  forget(): void {
    this.#state = 'over';
    this.#hangupTimer?.cancel();
    this.#ringTimer?.cancel();
    this.#media.forget();
  }

  #emit(event: LegEvent): void {
    this.#parts.emit(this.legId, event);
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    this.#signalling = this.#signalling.then(work).catch((error: unknown) => {
      this.#parts.log('asterisk.leg_failed', { legId: this.legId, error });
      this.#finish(LOST);
    });
    return this.#signalling;
  }

  /** Dials only once: a channel that is dialled again is destroyed. */
  async #ringParty(accept?: Accept): Promise<void> {
    const isFirst = !this.#isDialled && this.#state === 'dialling';
    this.#isDialled = true;
    await accept?.();
    if (!isFirst) return;
    const timeout = Math.ceil(this.#ringTimeoutMs / 1000) + 5;
    const dialled = await onceThere(this.#parts.clock, async () => {
      if (this.#state !== 'dialling') return { status: 204 };
      return this.#request('POST', ariPath('channels', this.legId, 'dial'), { timeout });
    });
    if (dialled.status !== 204) this.#finish(this.#end ?? LOST);
  }

  #keep(value: string): Promise<unknown> {
    return this.#request('POST', ariPath('channels', this.legId, 'variable'), { variable: WATERMARK_VARIABLE, value });
  }

  async #tellProgress(what: 'ring' | 'progress'): Promise<void> {
    if (this.#state !== 'offered' && this.#state !== 'early') return;
    if (what === 'progress') this.#state = 'early';
    await this.#inOrder(async () => {
      if (this.#state !== 'offered' && this.#state !== 'early') return;
      await this.#request('POST', ariPath('channels', this.legId, what));
      if (what === 'progress') this.#media.player.open();
    });
  }

  async #answer(): Promise<void> {
    if (this.#state !== 'offered' && this.#state !== 'early') return;
    this.#state = 'answering';
    await this.#inOrder(async () => {
      if (this.#state !== 'answering') return;
      // A channel that plays would answer only when the sound has ended.
      const takeUp = this.#media.player.pause();
      const { status } = await this.#request('POST', ariPath('channels', this.legId, 'answer'));
      if (this.#state !== 'answering') return;
      if (status !== 204) return this.#gone(status);
      this.#up();
      takeUp();
    });
  }

  #up(): void {
    this.#state = 'up';
    this.#ringTimer?.cancel();
    this.#emit(defined<LegEvent>({ type: 'answered', sip: this.#sip() }));
    this.#media.open();
  }

  #stateChanged(channel: JsonObject): void {
    this.describe(channel);
    if (this.#state !== 'dialling' || this.#isInbound) return;
    if (channel['state'] === 'Ringing') this.#rings();
    if (channel['state'] === 'Up') this.#up();
  }

  #dialStatus(status: string): void {
    if (this.#state !== 'dialling') return;
    if (status === 'RINGING') this.#rings();
    if (status === 'PROGRESS' && !this.#hasEarlyMedia) {
      this.#hasEarlyMedia = true;
      this.#emit({ type: 'early_media' });
    }
  }

  #rings(): void {
    if (this.#hasRung) return;
    this.#hasRung = true;
    this.#emit({ type: 'ringing' });
  }

  #digit(digit: string, durationMs: number): void {
    if (this.#state === 'ending' || !this.#digitLimit.take()) return;
    this.#emit({ type: 'digit', digit, durationMs });
    this.#media.recorder.digit(digit);
  }

  #heldByFar(held: boolean): void {
    if (this.#state !== 'up' || this.#farHold === held) return;
    this.#farHold = held;
    this.#emit({ type: 'far_hold', held });
  }

  #hangUp(cause: Cause, by: 'near', sipStatus?: number): void {
    if (this.#state === 'over' || this.#state === 'ending') return;
    this.#state = 'ending';
    this.#end = defined<LegEnd>({ cause, by, sipStatus });
    this.#ringTimer?.cancel();
    // Recordings end with their channel, so that their data is fetched first.
    this.#inOrder(async () => {
      if (this.#state === 'over') return;
      const { status } = await this.#request('DELETE', `${ariPath('channels', this.legId)}?reason_code=${cause.code}`);
      if (status !== 204) return this.#gone(status);
      this.#hangupTimer = this.#parts.clock.after(HANGUP_MS, () => this.#finish(this.#end!));
    });
  }

  /** Asterisk does not have the channel, or not any more, and its event is in flight; or there is no connection. */
  #gone(status: number): void {
    const { clock } = this.#parts;
    const end = (): void => this.#finish(this.#end ?? { cause: TEMPORARY_FAILURE, by: 'network' });
    this.#hangupTimer = clock.after(status === 404 ? 300 : HANGUP_MS, end);
  }

  #destroyed(causes: Causes): void {
    this.#finish(this.#end ?? endByFar(causes, !this.#isInbound && this.#state === 'dialling'));
  }

  #finish(end: LegEnd): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#hangupTimer?.cancel();
    this.#ringTimer?.cancel();
    void atMost(this.#parts.clock, RECORDINGS_MS, this.#media.end()).then(() => {
      const event = { type: 'ended', ...end, ...(this.#sip() ? { sip: this.#sip() } : {}) } as LegEvent;
      this.#emit(event);
      this.#parts.gone(this.legId);
    });
  }

  #sip(): LegSip | undefined {
    return this.#sipCallId === undefined ? undefined : { callId: this.#sipCallId };
  }

  #refuse(command: LegCommand): void {
    const answer = refusalOf(command, this.#state === 'over' || this.#state === 'ending');
    if (answer && this.#state !== 'over') this.#emit(answer);
  }
}
