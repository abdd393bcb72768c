/**
 * One channel of Asterisk as a leg: commands become requests, events of Asterisk become events of the leg. The id of the
 * channel is that of the leg.
 *
 * Invariants: E1–E4 of `../engine.ts`, and
 *  - requests that change the signalling are sent one after the other;
 *  - a leg that is hung up ends, also when Asterisk says nothing.
 */
import {
  type Cause,
  causeOf,
  causeOfSip,
  NO_ANSWER,
  NORMAL_CLEARING,
  sipStatusOf,
  TEMPORARY_FAILURE,
} from '../../core/causes.ts';
import { atMost, type Clock, type Timer } from '../../core/clock.ts';
import { defined, type JsonObject } from '../../core/json.ts';
import type { LegCommand, LegEvent, LegSip, MediaCommand } from '../../core/leg.ts';
import { requestKeyOf } from '../../core/leg-answers.ts';
import { DigitLimit } from '../digit-limit.ts';
import { type AriClient, ariPath, onceThere } from './ari-client.ts';
import type { OutboundChannel } from './channel-request.ts';
import { LegDigits } from './leg-digits.ts';
import { LegMix } from './leg-mix.ts';
import { LegPlayer } from './leg-player.ts';
import { LegRecorder } from './leg-recorder.ts';
import type { Mixes } from './mixes.ts';
import type { SoundFiles } from './sound-files.ts';
import { refusalOf } from './unsupported.ts';

export interface LegParts {
  ari: Pick<AriClient, 'request' | 'file'>;
  application: string;
  sounds: SoundFiles;
  mixes: Mixes;
  clock: Clock;
  recordDirectory: string;
  emit(legId: string, event: LegEvent): void;
  /** Playbacks and talks of this leg are found by their names. */
  claim(name: string, leg: Leg): void;
  release(name: string): void;
  gone(legId: string): void;
  log(message: string, fields: Readonly<Record<string, unknown>>): void;
}

type State = 'offered' | 'early' | 'answering' | 'dialling' | 'up' | 'ending' | 'over';

/** Asterisk hangs up at once; the last word of a channel may be lost with the connection. */
const HANGUP_MS = 3000;
const RECORDINGS_MS = 8000;

interface End {
  cause: Cause;
  by: 'far' | 'near' | 'network';
  sipStatus?: number;
}

/** Of Q.850, and the final status of SIP; 0: unknown. */
interface Causes {
  cause: number;
  techCause: number;
}

const causesOf = ({ cause, tech_cause: techCause }: JsonObject): Causes => ({
  cause: Number(cause ?? 0),
  techCause: Number(techCause ?? 0),
});

export class Leg {
  readonly legId: string;
  readonly #parts: LegParts;
  readonly #player: LegPlayer;
  readonly #recorder: LegRecorder;
  readonly #digits: LegDigits;
  readonly #digitLimit: DigitLimit;
  readonly #requests = new Set<string>();
  readonly #isInbound: boolean;
  #state: State;
  #signalling: Promise<unknown> = Promise.resolve();
  #end: End | undefined;
  #hangupTimer: Timer | undefined;
  #ringTimer: Timer | undefined;
  #hasRung = false;
  #hasEarlyMedia = false;
  #lastCauses: Causes = { cause: 0, techCause: 0 };
  #sipCallId: string | undefined;
  readonly #mix: LegMix;
  #farHold = false;

  constructor(legId: string, parts: LegParts, state: 'offered' | 'dialling' | 'up', isInbound = state === 'offered') {
    this.legId = legId;
    this.#parts = parts;
    this.#state = state;
    this.#isInbound = isInbound;
    const { ari, sounds, clock, application, recordDirectory } = parts;
    const emit = (event: LegEvent): void => this.#emit(event);
    this.#player = new LegPlayer({
      ...{ legId, request: ari.request, sounds, clock, emit },
      claim: (playbackId) => parts.claim(playbackId, this),
      release: (playbackId) => parts.release(playbackId),
    });
    this.#recorder = new LegRecorder({ ...{ legId, application, ari, clock, recordDirectory, emit } });
    this.#digits = new LegDigits({
      ...{ legId, request: ari.request, clock, emit },
      whenIdle: () => this.#player.whenIdle(),
    });
    this.#digitLimit = new DigitLimit(clock, () => parts.log('asterisk.digits_dropped', { legId }));
    this.#mix = new LegMix({
      ...{ legId, request: ari.request, mixes: parts.mixes },
      inOrder: (work) => this.#inOrder(async () => (this.#state === 'up' ? work() : undefined)),
    });
    if (state === 'up') this.#openAudio();
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  dial({ body, ringTimeoutMs }: OutboundChannel): void {
    const { ari, clock } = this.#parts;
    this.#ringTimer = clock.after(ringTimeoutMs, () => this.#hangUp(NO_ANSWER, 'near'));
    this.#inOrder(async () => {
      if (this.#state !== 'dialling') return this.#finish(this.#end ?? { cause: TEMPORARY_FAILURE, by: 'near' });
      const made = await ari.request('POST', 'channels/create', { ...body, channelId: this.legId });
      if (made.status !== 200) return this.#finish(this.#end ?? refusalToDial(made.status));
      // Hung up meanwhile: the request for that follows.
      if (this.#state !== 'dialling') return;
      const dialled = await onceThere(clock, async () => {
        if (this.#state !== 'dialling') return { status: 204 };
        return ari.request('POST', ariPath('channels', this.legId, 'dial'), {
          timeout: Math.ceil(ringTimeoutMs / 1000) + 5,
        });
      });
      if (dialled.status !== 204) this.#finish(this.#end ?? { cause: TEMPORARY_FAILURE, by: 'network' });
    });
  }

  send(command: LegCommand): void {
    if (this.#state === 'over' || this.#state === 'ending') {
      this.#refuse(command);
      return;
    }
    const key = requestKeyOf(command);
    if (key !== undefined) {
      if (this.#requests.has(key)) return;
      this.#requests.add(key);
    }
    switch (command.type) {
      case 'ring':
      case 'progress':
        this.#tellProgress(command.type);
        return;
      case 'answer':
        this.#answer();
        return;
      case 'reject':
        if (this.#state === 'offered' || this.#state === 'early') {
          this.#hangUp(causeOfSip(command.sipStatus), 'near', command.sipStatus);
        }
        return;
      case 'hangup':
        this.#hangUp(causeOf(command.cause), 'near');
        return;
      case 'refer':
      case 'refer_progress':
        this.#refuse(command);
        return;
      default:
        this.#media(command);
        return;
    }
  }

  /** What Asterisk says of this channel, or of what goes on in it. */
  receive(event: JsonObject): void {
    if (this.#state === 'over') return;
    switch (event['type']) {
      case 'ChannelStateChange':
        this.#stateChanged(event['channel'] as JsonObject);
        return;
      case 'Dial':
        this.#dialStatus(String(event['dialstatus']));
        return;
      case 'ChannelDtmfReceived':
        this.#digit(String(event['digit']), Number(event['duration_ms']));
        return;
      case 'ChannelHold':
        this.#heldByFar(true);
        return;
      case 'ChannelUnhold':
        this.#heldByFar(false);
        return;
      case 'ChannelHangupRequest':
        this.#lastCauses = causesOf(event);
        return;
      // Of a channel that left us we hear nothing more.
      case 'StasisEnd':
        this.#destroyed(this.#lastCauses);
        return;
      case 'ChannelDestroyed':
        this.#destroyed(causesOf(event));
        return;
      default:
    }
  }

  describe(channel: JsonObject): void {
    const { protocol_id: callId } = channel;
    if (typeof callId === 'string' && callId !== '') this.#sipCallId = callId.slice(0, 256);
  }

  playbackStarted(playbackId: string): void {
    this.#player.started(playbackId);
  }

  playbackFinished(playbackId: string, isFailed: boolean): void {
    this.#player.finished(playbackId, isFailed);
  }

  silence(snoopId: string): void {
    this.#recorder.silence(snoopId);
  }

  recordingFinished(name: string): void {
    this.#recorder.finished(name);
  }

  /** After events were lost. */
  async check(): Promise<void> {
    const { status } = await this.#parts.ari.request('GET', ariPath('channels', this.legId));
    if (status === 404) return this.#finish(this.#end ?? { cause: TEMPORARY_FAILURE, by: 'network' });
    await this.#player.check();
  }

  /** The leg is given up: Asterisk is gone. */
  lose(): void {
    this.#finish(this.#end ?? { cause: TEMPORARY_FAILURE, by: 'network' });
  }

  #emit(event: LegEvent): void {
    this.#parts.emit(this.legId, event);
  }

  #inOrder(work: () => Promise<void>): void {
    this.#signalling = this.#signalling.then(work).catch((error: unknown) => {
      this.#parts.log('asterisk.leg_failed', { legId: this.legId, error });
      this.#finish({ cause: TEMPORARY_FAILURE, by: 'network' });
    });
  }

  #tellProgress(what: 'ring' | 'progress'): void {
    if (this.#state !== 'offered' && this.#state !== 'early') return;
    if (what === 'progress') this.#state = 'early';
    this.#inOrder(async () => {
      if (this.#state !== 'offered' && this.#state !== 'early') return;
      await this.#parts.ari.request('POST', ariPath('channels', this.legId, what));
      if (what === 'progress') this.#player.open();
    });
  }

  #answer(): void {
    if (this.#state !== 'offered' && this.#state !== 'early') return;
    this.#state = 'answering';
    this.#inOrder(async () => {
      if (this.#state !== 'answering') return;
      // A channel that plays answers when the sound is over.
      const takeUp = this.#player.pause();
      const { status } = await this.#parts.ari.request('POST', ariPath('channels', this.legId, 'answer'));
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
    this.#openAudio();
  }

  #openAudio(): void {
    this.#player.open();
    this.#recorder.open();
    this.#digits.open();
    this.#mix.open();
  }

  #media(command: MediaCommand): void {
    switch (command.type) {
      case 'play':
        this.#player.play(command);
        return;
      case 'stop_play':
        this.#player.stop(command.playId);
        return;
      case 'record':
        this.#recorder.record(command);
        return;
      case 'pause_record':
        this.#recorder.pause(command.recordId, command.paused);
        return;
      case 'stop_record':
        this.#recorder.stop(command.recordId);
        return;
      case 'withhold':
        this.#recorder.withhold(command.on);
        return;
      case 'send_digits':
        this.#digits.send(command);
        return;
      case 'hold':
        this.#player.setMusic(command.music);
        this.#mix.hold(true);
        return;
      case 'resume':
        if (this.#mix.hold(false)) this.#player.setMusic(undefined);
        return;
      case 'join':
        this.#mix.join(command.mixId, command.muted ?? false);
        return;
      case 'leave':
        this.#mix.leave();
        return;
      case 'mute':
        this.#mix.mute(command.muted);
        return;
      default:
        this.#refuse(command);
        return;
    }
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
    if (!/^[0-9*#A-D]$/.test(digit) || this.#state === 'ending' || !this.#digitLimit.take()) return;
    this.#emit({ type: 'digit', digit, durationMs: Math.max(1, Math.min(60_000, durationMs || 1)) });
    this.#recorder.digit(digit);
  }

  #heldByFar(held: boolean): void {
    if (this.#state !== 'up' || this.#farHold === held) return;
    this.#farHold = held;
    this.#emit({ type: 'far_hold', held });
  }

  #hangUp(cause: Cause, by: 'near', sipStatus?: number): void {
    if (this.#state === 'over' || this.#state === 'ending') return;
    this.#state = 'ending';
    this.#end = defined<End>({ cause, by, sipStatus });
    this.#ringTimer?.cancel();
    // Recordings end with their channel: what is in them is fetched first.
    this.#inOrder(async () => {
      if (this.#state === 'over') return;
      const { status } = await this.#parts.ari.request(
        'DELETE',
        `${ariPath('channels', this.legId)}?reason_code=${cause.code}`,
      );
      if (status !== 204) return this.#gone(status);
      this.#hangupTimer = this.#parts.clock.after(HANGUP_MS, () => this.#finish(this.#end!));
    });
  }

  /** Asterisk does not have the channel, or not any more; its event is on the way. Or there is no connection. */
  #gone(status: number): void {
    const { clock } = this.#parts;
    const end = (): void => this.#finish(this.#end ?? { cause: TEMPORARY_FAILURE, by: 'network' });
    this.#hangupTimer = clock.after(status === 404 ? 300 : HANGUP_MS, end);
  }

  #destroyed({ cause, techCause }: Causes): void {
    if (this.#end) {
      this.#finish(this.#end);
      return;
    }
    const wasRefused = !this.#isInbound && this.#state === 'dialling' && techCause >= 300 && techCause < 700;
    if (wasRefused) {
      this.#finish({ cause: causeOfSip(techCause), by: 'far', sipStatus: techCause });
      return;
    }
    this.#finish({ cause: cause === 0 ? NORMAL_CLEARING : causeOf(cause), by: 'far' });
  }

  #finish(end: End): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#hangupTimer?.cancel();
    this.#ringTimer?.cancel();
    this.#player.end();
    this.#digits.end();
    this.#mix.end();
    const { clock } = this.#parts;
    void atMost(clock, RECORDINGS_MS, this.#recorder.end()).then(() => {
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

/** Asterisk cannot make such a channel, or cannot be reached. */
function refusalToDial(status: number): End {
  const cause = status === 0 || status >= 500 ? TEMPORARY_FAILURE : causeOf(3);
  return { cause, by: 'network', sipStatus: sipStatusOf(cause) };
}
