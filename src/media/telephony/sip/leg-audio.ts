/**
 * Audio of one leg: opens and closes its media port, applies offers and answers to it (RFC 3264), and reports its
 * events and digits to the host. `LegCommands` tracks the host's commands. No event is emitted after the end.
 */
import { defined } from '../../../base/core/json.ts';
import type { LegQuality, MediaCommand } from '../../../base/core/leg.ts';
import { newKey } from '../../toolbox/sdp/crypto.ts';
import type { MediaDirection } from '../../toolbox/sdp/lines.ts';
import { DigitLimit } from '../digit-limit.ts';
import { LegCommands, type SendDigits } from '../leg-commands.ts';
import type { MediaAddress, MediaEvent, MediaPortCommand } from '../media/media-port.ts';
import { canReach, isWildcard } from '../wildcard.ts';
import type { SipContext } from './context.ts';
import { isElsewhere, isTranslated, mediaHost, otherMediaHost, type SignalingSource } from './media-path.ts';
import { readDescription } from './plain-description.ts';
import {
  type LocalDescription,
  mayReceive,
  maySend,
  offerDirection,
  type RemoteAudio,
  writeAnswer,
  writeOffer,
} from './sdp.ts';
import type { SrtpPolicy } from './srtp-policy.ts';

export interface LegAudioUser {
  /** The media of a live leg failed. */
  mediaLost(): void;
  /** An unknown caller has sent no packets for too long. */
  silent(forMs: number): void;
  /** Sends digits to a far end without telephone-event; the user then calls `digitsSent`. */
  sendByInfo(command: SendDigits): void;
  mediaId: string;
  /** Leg to which this one will be connected. */
  near?: string | undefined;
  /** Set with the answer for outbound calls. */
  srtp: SrtpPolicy;
  /** True if the far end's description of its audio address is trusted. */
  isKnown: () => boolean;
}

export class LegAudio {
  readonly #context: SipContext;
  readonly #user: LegAudioUser;
  readonly #commands: LegCommands;
  readonly #digitLimit: DigitLimit;
  #state: 'unopened' | 'opening' | 'open' | 'closed' = 'unopened';
  #opening: Promise<MediaAddress> | undefined;
  /** Digits that wait until the negotiation decides how they are sent. */
  #waitingDigits: SendDigits[] = [];
  #local: LocalDescription | undefined;
  #lastText = '';
  #remote: RemoteAudio | undefined;
  /** RFC 3264 §8.4: hold states, and which of them the far end knows. */
  readonly #hold = {
    /** Local hold, as the host wants it. */
    wanted: false,
    /** Local hold in the last description that took effect. */
    signalled: false,
    /** Local hold in an offer that is not answered yet. */
    offered: false,
    /** The far end refused the hold, which is local only. */
    refused: false,
    /** Hold by the far end. */
    far: false,
    farReported: false,
  };
  #established = false;
  /** SRTP policy for offers of the far end, and whether the last local offer had SRTP. */
  #srtp: SrtpPolicy;
  #offersSrtp = false;
  /** True until the far end has sent a session description. */
  #isNew = true;
  /** Address in the far end's last description. */
  #farHost: string | undefined;
  #closed: ((quality?: LegQuality) => void) | undefined;

  constructor(context: SipContext, user: LegAudioUser) {
    this.#context = context;
    this.#srtp = user.srtp;
    this.#user = user;
    const legId = user.mediaId;
    this.#digitLimit = new DigitLimit(context.clock, () => context.log('warn', 'sip.digits_dropped', { legId }));
    this.#commands = new LegCommands(legId, context, {
      event: (event) => context.emit(legId, event),
      sendDigits: (command) => this.#sendDigits(command),
    });
  }

  get hasTelephoneEvent(): boolean {
    return this.#remote?.telephoneEventPayloadType !== undefined;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** True once an offer was answered. */
  get isNegotiated(): boolean {
    return this.#state === 'open' && this.#remote !== undefined;
  }

  /** True if a hold, or its end, has to be signalled. */
  get mustOffer(): boolean {
    return this.isNegotiated && this.#heldInOffers !== this.#hold.signalled;
  }

  get #heldInOffers(): boolean {
    return this.#hold.refused ? this.#hold.signalled : this.#hold.wanted;
  }

  /** Opens the media port on first use. Rejects if no port is free; the leg cannot work then. */
  open(): Promise<MediaAddress> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<MediaAddress> {
    this.#state = 'opening';
    const { mediaId, near } = this.#user;
    const { media, random } = this.#context;
    try {
      const onEvent = (event: MediaEvent) => this.#mediaEvent(event);
      const address = await media.open(defined({ mediaId, onEvent, near }));
      this.#local = { ...address, sessionId: newSessionId(random), version: 1, key: newKey(random) };
      if (this.#closed) this.#send({ type: 'close' });
      this.#state = 'open';
      this.#commands.opened();
      return address;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  /** Writes an offer for the peer at this address: in an INVITE, or in the response to an INVITE without an offer. */
  offer(towards: string, secure = this.#mustBeSecure): string {
    this.#hold.offered = this.#heldInOffers;
    const direction = offerDirection(this.#hold.offered, this.#hold.far);
    this.#offersSrtp = secure;
    return this.#versioned(towards, (local) => writeOffer(local, direction, secure));
  }

  /** Encryption is kept once negotiated; before that, an offer is only encrypted if required. */
  get #mustBeSecure(): boolean {
    return this.#remote && !this.#isNew ? this.#remote.crypto !== undefined : this.#srtp === 'required';
  }

  /** Writes an offer to an established far end, whose messages come from `source`. */
  offerAgain(source: string): string {
    return this.offer(this.#farHost ?? source);
  }

  /** Another phone replaces the far end: negotiation starts again. */
  newFarEnd(srtp: SrtpPolicy): void {
    this.#srtp = srtp;
    this.#isNew = true;
    if (this.#local) this.#local.key = newKey(this.#context.random);
    this.#farHost = undefined;
  }

  /** The far end refused the offer of a hold, which is not offered again. */
  offerRefused(): void {
    this.#hold.refused = true;
  }

  /** Answers an offer, and applies it; or returns the status with which to refuse it. */
  answer(offerText: string, initial: boolean, signaling: SignalingSource): { sdp: string } | { status: 400 | 488 } {
    const offer = readDescription(offerText, this.#srtp);
    if (!offer) return { status: 400 };
    const audio = offer.audio && located(offer.audio, signaling);
    if (offer.audio && !audio) return { status: 488 };
    const switchedOff = !offer.audio && offer.media[offer.audioIndex]?.port === 0;
    if ((!audio && (initial || !switchedOff)) || !this.#canReach(audio)) return { status: 488 };
    const held = this.#hold.wanted;
    const towards = audio && !isWildcard(audio.host) ? audio.host : signaling.source;
    const sdp = this.#versioned(towards, (local) => writeAnswer(local, offer, held));
    this.#hold.signalled = held;
    this.#connect(audio);
    this.#farHold(!audio || holds(audio.direction));
    return { sdp };
  }

  /**
   * Applies the answer to the last offer or, if several targets were called at once, to the offer made to this one
   * (`to`). Returns false if it is unusable.
   */
  applyAnswer(answerText: string, signaling: SignalingSource, to?: { secure: boolean; srtp: SrtpPolicy }): boolean {
    // An encrypted offer must not get an answer without encryption.
    const { secure } = to ?? { secure: this.#offersSrtp };
    const described = readDescription(answerText, secure ? 'required' : 'off')?.audio;
    const audio = described && located(described, signaling);
    if (!audio || !this.#canReach(audio)) return false;
    if (to) this.#srtp = to.srtp;
    const { offered } = this.#hold;
    this.#hold.signalled = offered;
    this.#connect(audio);
    // If the local offer is on hold, the answer cannot tell whether the far end is, too (RFC 6337 §5.3).
    if (!offered || audio.direction !== 'inactive') this.#farHold(holds(audio.direction));
    return true;
  }

  /** Reports holds of the far end to the host after this call. */
  established(): void {
    this.#established = true;
    this.#farHold(this.#hold.far);
  }

  /** `mustOffer` signals the hold to the far end; the media port plays the music. */
  hold(held: boolean): void {
    this.#hold.wanted = held;
    this.#hold.refused = false;
  }

  #farHold(held: boolean): void {
    const hold = this.#hold;
    hold.far = held;
    if (!this.#established || hold.farReported === held) return;
    hold.farReported = held;
    this.#context.emit(this.#user.mediaId, { type: 'far_hold', held });
  }

  command(command: MediaCommand): void {
    this.#commands.execute(command);
  }

  /** Ends everything that runs, with its events; then calls back, once. */
  close(closed: (quality?: LegQuality) => void): void {
    if (this.#state === 'closed') {
      closed();
      return;
    }
    this.#closed = closed;
    if (this.#state === 'open') this.#send({ type: 'close' });
    else if (this.#state === 'unopened') this.#end();
  }

  /** A digit arrived by INFO; the media port knows whether it also arrived in the audio. */
  pressed(digit: string, durationMs: number): void {
    if (this.#state === 'open') this.#send({ type: 'signalled_digit', digit, durationMs });
    else this.#reportDigit(digit, durationMs);
  }

  /** Emits `digits_sent` for digits that were sent by INFO. */
  digitsSent(sendId: string): void {
    this.#commands.answered({ type: 'digits_sent', sendId });
  }

  #sendDigits(command: SendDigits): void {
    if (!this.#remote) this.#waitingDigits.push(command);
    else if (this.hasTelephoneEvent && !this.#hold.far) this.#send(command);
    else this.#user.sendByInfo(command);
  }

  #connect(audio: RemoteAudio | undefined): void {
    if (audio) {
      // The media port discards an unused key; with a new context it would reuse the key stream (RFC 3711 §9.1). Before
      // the answer, other forks may still answer to the present key.
      const isGivenUp = this.#established && this.#remote?.crypto !== undefined && !audio.crypto;
      if (isGivenUp && this.#local) this.#local.key = newKey(this.#context.random);
      this.#remote = audio;
      this.#isNew = false;
    }
    if (audio && !isWildcard(audio.host)) this.#farHost = audio.host;
    const remote = this.#remote;
    if (!remote || this.#state !== 'open') return;
    const { crypto, direction: _, isElsewhere: elsewhere, ...stream } = remote;
    const send = audio !== undefined && maySend(audio.direction);
    // A far end on local hold may still send digits.
    const receive = audio !== undefined && (mayReceive(audio.direction) || this.#hold.wanted);
    const srtp = crypto && this.#local ? { srtp: { local: this.#local.key, remote: crypto.key } } : {};
    const { unknownCallerSilenceMs } = this.#context;
    const isStranger = !this.#user.isKnown();
    const unproved = elsewhere && isStranger ? { isUnverified: true } : {};
    const missed = isStranger && unknownCallerSilenceMs > 0 ? { reportSilenceMs: unknownCallerSilenceMs } : {};
    this.#send({ type: 'connect', remote: { ...stream, send, receive, ...srtp, ...unproved, ...missed } });
    for (const command of this.#waitingDigits.splice(0)) this.#sendDigits(command);
  }

  #canReach(audio: RemoteAudio | undefined): boolean {
    return !audio || (this.#local !== undefined && canReach(this.#local.host, audio.host));
  }

  /** RFC 3264 §8: the version is incremented if and only if the description changes. */
  #versioned(towards: string, writeWith: (local: LocalDescription) => string): string {
    const local = this.#local;
    if (!local) throw new Error('the media port is not open');
    const host = this.#context.mediaAddress(local.host, towards);
    const text = writeWith({ ...local, host });
    if (this.#lastText !== '' && text !== this.#lastText) {
      local.version++;
      this.#lastText = writeWith({ ...local, host });
    } else this.#lastText = text;
    return this.#lastText;
  }

  #send(command: MediaPortCommand): void {
    this.#context.media.send(this.#user.mediaId, command);
  }

  #mediaEvent(event: MediaEvent): void {
    if (this.#state === 'closed') return;
    if (event.type === 'closed') {
      const wanted = this.#closed !== undefined;
      this.#end(event.quality);
      if (!wanted) this.#user.mediaLost();
    } else if (event.type === 'digit') this.#reportDigit(event.digit, event.durationMs);
    else if (event.type === 'silent') this.#user.silent(event.forMs);
    else this.#commands.answered(event);
  }

  #reportDigit(digit: string, durationMs: number): void {
    const isEnding = this.#state === 'closed' || this.#closed !== undefined;
    if (isEnding || !this.#digitLimit.take()) return;
    this.#context.emit(this.#user.mediaId, { type: 'digit', digit, durationMs });
  }

  #end(quality?: LegQuality): void {
    this.#state = 'closed';
    this.#waitingDigits = [];
    this.#commands.end();
    const closed = this.#closed;
    this.#closed = undefined;
    closed?.(quality);
  }
}

/** Returns the far end's stream with its actual address. */
function located(audio: RemoteAudio, signaling: SignalingSource): RemoteAudio | undefined {
  const host = mediaHost(audio.host, signaling);
  if (host === undefined) return undefined;
  const otherHost = otherMediaHost(host, signaling);
  return {
    ...audio,
    host,
    ...(otherHost === undefined ? {} : { otherHost }),
    ...(isTranslated(audio.host, host) ? { isTranslated: true } : {}),
    ...(isElsewhere(host, signaling) ? { isElsewhere: true } : {}),
  };
}

/** True if the far end's direction means that it does not want to receive audio. */
const holds = (direction: MediaDirection): boolean => direction === 'sendonly' || direction === 'inactive';

/** RFC 4566 §5.2: a number that is unique for its creator; 31 bits are enough. */
const newSessionId = (random: () => number): number => 1 + Math.floor(random() * (2 ** 31 - 2));
