/**
 * The audio of one leg: the life of its media port, and what offers and answers make of it (RFC 3264).
 * Beside: `LegCommands`, which passes on what the host asks for. Invariant: after the end, nothing is told any more.
 */
import type { LegEvent, LegQuality, MediaCommand } from '../../core/leg.ts';
import type { MediaAddress, MediaEvent, MediaPort, MediaPortCommand } from '../media/media-port.ts';
import { canReach, isWildcard } from '../wildcard.ts';
import { LegCommands, type SendDigits } from './leg-commands.ts';
import { isElsewhere, isTranslated, mediaHost, otherMediaHost, type SignalingSource } from './media-path.ts';
import {
  type LocalDescription,
  mayReceive,
  maySend,
  offerDirection,
  type RemoteAudio,
  readDescription,
  type SdpDirection,
  writeAnswer,
  writeOffer,
} from './sdp.ts';
import { newKey, type SrtpPolicy } from './srtp-sdp.ts';

export interface LegAudioUser {
  event(event: LegEvent): void;
  /** The media broke down under a leg that lives. */
  mediaLost(): void;
  /** Nothing has come from a stranger for too long. */
  silent(forMs: number): void;
  /** Digits for a far end without telephone-event; the user answers with `digits_sent`. */
  sendByInfo(command: SendDigits): void;
  now(): number;
}

export interface LegAudioOptions {
  mediaId: string;
  /** A leg that this one will talk to. */
  near?: string | undefined;
  /** With who is called, it is told with the answer. */
  srtp: SrtpPolicy;
  random: () => number;
  /** Whether the far end is believed when it says where its sound is to go. */
  isKnown: () => boolean;
  /** How long a stranger may be silent; 0: for ever. */
  unknownCallerSilenceMs: number;
  /** The address that this peer sends sound to, which is received on `bound`. */
  addressFor: (bound: string, peer: string) => string;
}

/** RFC 3264 §8.4: what of a hold the far end knows. */
interface HoldState {
  /** By us, as the host wants it. */
  wanted: boolean;
  /** By us, in the last description that took effect. */
  signalled: boolean;
  /** By us, in our offer that has no answer yet. */
  offered: boolean;
  /** The far end does not take it: it is on hold for us alone. */
  refused: boolean;
  /** By the far end. */
  far: boolean;
  farReported: boolean;
}

export class LegAudio {
  readonly #mediaId: string;
  readonly #options: LegAudioOptions;
  readonly #media: MediaPort;
  readonly #user: LegAudioUser;
  readonly #commands: LegCommands;
  #state: 'unopened' | 'opening' | 'open' | 'closed' = 'unopened';
  #opening: Promise<MediaAddress> | undefined;
  /** Digits that wait until it is known how the far end takes them. */
  #waitingDigits: SendDigits[] = [];
  #local: LocalDescription | undefined;
  #lastText = '';
  #remote: RemoteAudio | undefined;
  readonly #hold: HoldState = {
    wanted: false,
    signalled: false,
    offered: false,
    refused: false,
    far: false,
    farReported: false,
  };
  #established = false;
  /** What may be offered to us now, and was in our last offer. */
  #srtp: SrtpPolicy;
  #offersSrtp = false;
  /** The far end did not describe itself yet. */
  #isNew = true;
  /** Where the far end was when it described itself last. */
  #farHost: string | undefined;
  #closed: ((quality?: LegQuality) => void) | undefined;

  constructor(options: LegAudioOptions, media: MediaPort, user: LegAudioUser) {
    this.#mediaId = options.mediaId;
    this.#srtp = options.srtp;
    this.#options = options;
    this.#media = media;
    this.#user = user;
    this.#commands = new LegCommands(options.mediaId, media, {
      event: (event) => user.event(event),
      sendDigits: (command) => this.#sendDigits(command),
      now: () => user.now(),
    });
  }

  get hasTelephoneEvent(): boolean {
    return this.#remote?.telephoneEventPayloadType !== undefined;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** An offer was answered. */
  get isNegotiated(): boolean {
    return this.#state === 'open' && this.#remote !== undefined;
  }

  /** The far end has to be told of a hold, or of its end. */
  get mustOffer(): boolean {
    return this.isNegotiated && this.#heldInOffers !== this.#hold.signalled;
  }

  get #heldInOffers(): boolean {
    return this.#hold.refused ? this.#hold.signalled : this.#hold.wanted;
  }

  /** Opens the media port on first use. Rejects when there is none free; the leg is of no use then. */
  open(): Promise<MediaAddress> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<MediaAddress> {
    this.#state = 'opening';
    const { near: nearId, random } = this.#options;
    try {
      const onEvent = (event: MediaEvent) => this.#mediaEvent(event);
      const near = nearId === undefined ? {} : { near: nearId };
      const address = await this.#media.open({ mediaId: this.#mediaId, onEvent, ...near });
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

  /** Our offer to who has this address, for an INVITE of ours or one of theirs that came without. */
  offer(towards: string, secure = this.#mustBeSecure): string {
    this.#hold.offered = this.#heldInOffers;
    const direction = offerDirection(this.#hold.offered, this.#hold.far);
    this.#offersSrtp = secure;
    return this.#versioned(towards, (local) => writeOffer(local, direction, secure));
  }

  /** What is there stays as it is; where it may be done without, nobody could tell us to. */
  get #mustBeSecure(): boolean {
    return this.#remote && !this.#isNew ? this.#remote.crypto !== undefined : this.#srtp === 'required';
  }

  /** Our offer to a far end that is there; its messages come from this address. */
  offerAgain(source: string): string {
    return this.offer(this.#farHost ?? source);
  }

  /** Another takes the place of the far end: what is between us begins anew. */
  newFarEnd(srtp: SrtpPolicy): void {
    this.#srtp = srtp;
    this.#isNew = true;
    if (this.#local) this.#local.key = newKey(this.#options.random);
    this.#farHost = undefined;
  }

  /** The far end does not take our offer: what it refused is not asked of it again. */
  offerRefused(): void {
    this.#hold.refused = true;
  }

  /** Our answer to an offer, which takes effect; otherwise the status to refuse it with. */
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
   * Takes the answer to our last offer, or, where several were called at once, to the one that was made `to` this far end;
   * false when it cannot be used.
   */
  takeAnswer(answerText: string, signaling: SignalingSource, to?: { secure: boolean; srtp: SrtpPolicy }): boolean {
    // What was offered in secret is not answered in the open.
    const { secure } = to ?? { secure: this.#offersSrtp };
    const described = readDescription(answerText, secure ? 'required' : 'off')?.audio;
    const audio = described && located(described, signaling);
    if (!audio || !this.#canReach(audio)) return false;
    if (to) this.#srtp = to.srtp;
    const { offered } = this.#hold;
    this.#hold.signalled = offered;
    this.#connect(audio);
    // To an offer that holds, the answer cannot tell whether they hold, too (RFC 6337 §5.3).
    if (!offered || audio.direction !== 'inactive') this.#farHold(holds(audio.direction));
    return true;
  }

  /** The host is told from now on when the far end holds. */
  established(): void {
    this.#established = true;
    this.#farHold(this.#hold.far);
  }

  /** What is said of the hold to the far end is for `mustOffer`; what is heard, for the media port. */
  hold(held: boolean): void {
    this.#hold.wanted = held;
    this.#hold.refused = false;
  }

  #farHold(held: boolean): void {
    const hold = this.#hold;
    hold.far = held;
    if (!this.#established || hold.farReported === held) return;
    hold.farReported = held;
    this.#user.event({ type: 'far_hold', held });
  }

  command(command: MediaCommand): void {
    this.#commands.take(command);
  }

  /** Ends all that runs, with its events; then calls back, once. */
  close(closed: (quality?: LegQuality) => void): void {
    if (this.#state === 'closed') {
      closed();
      return;
    }
    this.#closed = closed;
    if (this.#state === 'open') this.#send({ type: 'close' });
    else if (this.#state === 'unopened') this.#end();
  }

  /** A key arrived by INFO; it may arrive with the sound as well, which the media port knows. */
  pressed(digit: string, durationMs: number): void {
    if (this.#state === 'open') this.#send({ type: 'signalled_digit', digit, durationMs });
    else if (this.#state !== 'closed') this.#user.event({ type: 'digit', digit, durationMs });
  }

  /** `digits_sent` of digits that went by INFO. */
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
      // The media forgets a key that is not used; with a new context it would make one key stream twice (RFC 3711 §9.1).
      // Before there is an answer, others may still answer to the present one.
      const isGivenUp = this.#established && this.#remote?.crypto !== undefined && !audio.crypto;
      if (isGivenUp && this.#local) this.#local.key = newKey(this.#options.random);
      this.#remote = audio;
      this.#isNew = false;
    }
    if (audio && !isWildcard(audio.host)) this.#farHost = audio.host;
    const remote = this.#remote;
    if (!remote || this.#state !== 'open') return;
    const { crypto, direction: _, isElsewhere: elsewhere, ...stream } = remote;
    const send = audio !== undefined && maySend(audio.direction);
    // Of a far end on hold, keys are still heard, where it sends them nevertheless.
    const receive = audio !== undefined && (mayReceive(audio.direction) || this.#hold.wanted);
    const srtp = crypto && this.#local ? { srtp: { local: this.#local.key, remote: crypto.key } } : {};
    const { isKnown, unknownCallerSilenceMs } = this.#options;
    const isStranger = !isKnown();
    const unproved = elsewhere && isStranger ? { isUnverified: true } : {};
    const missed = isStranger && unknownCallerSilenceMs > 0 ? { reportSilenceMs: unknownCallerSilenceMs } : {};
    this.#send({ type: 'connect', remote: { ...stream, send, receive, ...srtp, ...unproved, ...missed } });
    for (const command of this.#waitingDigits.splice(0)) this.#sendDigits(command);
  }

  #canReach(audio: RemoteAudio | undefined): boolean {
    return !audio || (this.#local !== undefined && canReach(this.#local.host, audio.host));
  }

  /** RFC 3264 §8: the version grows when, and only when, the description changes. */
  #versioned(towards: string, writeWith: (local: LocalDescription) => string): string {
    const local = this.#local;
    if (!local) throw new Error('the media port is not open');
    const host = this.#options.addressFor(local.host, towards);
    const text = writeWith({ ...local, host });
    if (this.#lastText !== '' && text !== this.#lastText) {
      local.version++;
      this.#lastText = writeWith({ ...local, host });
    } else this.#lastText = text;
    return this.#lastText;
  }

  #send(command: MediaPortCommand): void {
    this.#media.send(this.#mediaId, command);
  }

  #mediaEvent(event: MediaEvent): void {
    if (this.#state === 'closed') return;
    if (event.type === 'closed') {
      const wanted = this.#closed !== undefined;
      this.#end(event.quality);
      if (!wanted) this.#user.mediaLost();
    } else if (event.type === 'digit') this.#user.event(event);
    else if (event.type === 'silent') this.#user.silent(event.forMs);
    else this.#commands.answered(event);
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

/** Their stream, where it really is. */
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

/** The far end, which says this of itself, does not want to hear us. */
const holds = (direction: SdpDirection): boolean => direction === 'sendonly' || direction === 'inactive';

/** RFC 4566 §5.2: a number that is unique for the creator; 31 bits are plenty. */
const newSessionId = (random: () => number): number => 1 + Math.floor(random() * (2 ** 31 - 2));
