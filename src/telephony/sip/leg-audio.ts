/**
 * The audio of one leg: the life of its media port, and what offers and answers make of it (RFC 3264).
 * Beside: `LegCommands`, which passes on what the host asks for. Invariant: after the end, nothing is told any more.
 */
import { isIP } from 'node:net';
import type { LegEvent, LegQuality } from '../../core/leg.ts';
import type { MediaAddress, MediaEvent, MediaPort } from '../media/media-port.ts';
import { type AudioCommand, LegCommands, type SendDigits } from './leg-commands.ts';
import { mediaHost, type Speaker } from './media-path.ts';
import {
  type LocalDescription,
  mayReceive,
  maySend,
  type RemoteAudio,
  readDescription,
  writeAnswer,
  writeOffer,
} from './sdp.ts';

export interface LegAudioUser {
  event(event: LegEvent): void;
  /** The media broke down under a leg that lives. */
  lost(): void;
  /** Digits for a far end without telephone-event; the user answers with `digits_sent`. */
  sendByInfo(command: SendDigits): void;
  now(): number;
}

export interface LegAudioOptions {
  mediaId: string;
  /** A leg that this one will talk to. */
  near?: string | undefined;
}

export class LegAudio {
  readonly #mediaId: string;
  readonly #near: string | undefined;
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
  #closed: ((quality?: LegQuality) => void) | undefined;

  constructor({ mediaId, near }: LegAudioOptions, media: MediaPort, user: LegAudioUser) {
    this.#mediaId = mediaId;
    this.#near = near;
    this.#media = media;
    this.#user = user;
    this.#commands = new LegCommands(mediaId, media, {
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

  /** Opens the media port on first use. Rejects when there is none free; the leg is of no use then. */
  open(sessionId: number): Promise<MediaAddress> {
    this.#opening ??= this.#open(sessionId);
    return this.#opening;
  }

  async #open(sessionId: number): Promise<MediaAddress> {
    this.#state = 'opening';
    try {
      const onEvent = (event: MediaEvent) => this.#mediaEvent(event);
      const near = this.#near === undefined ? {} : { near: this.#near };
      const address = await this.#media.open({ mediaId: this.#mediaId, onEvent, ...near });
      this.#local = { ...address, sessionId, version: 1 };
      if (this.#closed) this.#media.close(this.#mediaId);
      this.#state = 'open';
      this.#commands.opened();
      return address;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  /** Our offer, for an INVITE of ours or one of theirs that came without. */
  offer(): string {
    return this.#versioned((local) => writeOffer(local));
  }

  /** Our answer to an offer, which takes effect; otherwise the status to refuse it with. */
  answer(offerText: string, initial: boolean, speaker: Speaker): { sdp: string } | { status: 400 | 488 } {
    const offer = readDescription(offerText);
    if (!offer) return { status: 400 };
    const audio = offer.audio && located(offer.audio, speaker);
    if (offer.audio && !audio) return { status: 488 };
    const switchedOff = !offer.audio && offer.media[offer.audioIndex]?.port === 0;
    if ((!audio && (initial || !switchedOff)) || !this.#canReach(audio)) return { status: 488 };
    const sdp = this.#versioned((local) => writeAnswer(local, offer));
    this.#connect(audio);
    return { sdp };
  }

  /** Takes the answer to our offer; false when it cannot be used. */
  takeAnswer(answerText: string, speaker: Speaker): boolean {
    const described = readDescription(answerText)?.audio;
    const audio = described && located(described, speaker);
    if (!audio || !this.#canReach(audio)) return false;
    this.#connect(audio);
    return true;
  }

  command(command: AudioCommand): void {
    this.#commands.take(command);
  }

  /** Ends all that runs, with its events; then calls back, once. */
  close(closed: (quality?: LegQuality) => void): void {
    if (this.#state === 'closed') {
      closed();
      return;
    }
    this.#closed = closed;
    if (this.#state === 'open') this.#media.close(this.#mediaId);
    else if (this.#state === 'unopened') this.#end();
  }

  /** `digits_sent` of digits that went by INFO. */
  digitsSent(sendId: string): void {
    this.#commands.answered({ type: 'digits_sent', sendId });
  }

  #sendDigits(command: SendDigits): void {
    if (!this.#remote) this.#waitingDigits.push(command);
    else if (this.hasTelephoneEvent) this.#media.sendDigits(this.#mediaId, command);
    else this.#user.sendByInfo(command);
  }

  #connect(audio: RemoteAudio | undefined): void {
    if (audio) this.#remote = audio;
    const remote = this.#remote;
    if (!remote || this.#state !== 'open') return;
    const { host, port, codec, payloadType, ptimeMs, telephoneEventPayloadType } = remote;
    const send = audio !== undefined && maySend(audio.direction);
    const receive = audio !== undefined && mayReceive(audio.direction);
    const base = { host, port, codec, payloadType, ptimeMs, send, receive };
    this.#media.connect(
      this.#mediaId,
      telephoneEventPayloadType === undefined ? base : { ...base, telephoneEventPayloadType },
    );
    for (const command of this.#waitingDigits.splice(0)) this.#sendDigits(command);
  }

  #canReach(audio: RemoteAudio | undefined): boolean {
    return !audio || (this.#local !== undefined && isIP(audio.host) === isIP(this.#local.host));
  }

  /** RFC 3264 §8: the version grows when, and only when, the description changes. */
  #versioned(writeWith: (local: LocalDescription) => string): string {
    const local = this.#local;
    if (!local) throw new Error('the media port is not open');
    const text = writeWith(local);
    if (this.#lastText !== '' && text !== this.#lastText) {
      local.version++;
      this.#lastText = writeWith(local);
    } else this.#lastText = text;
    return this.#lastText;
  }

  #mediaEvent(event: MediaEvent): void {
    if (this.#state === 'closed') return;
    if (event.type === 'closed') {
      const wanted = this.#closed !== undefined;
      this.#end(event.quality);
      if (!wanted) this.#user.lost();
    } else if (event.type === 'digit') this.#user.event(event);
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
function located(audio: RemoteAudio, speaker: Speaker): RemoteAudio | undefined {
  const host = mediaHost(audio.host, speaker);
  return host === undefined ? undefined : { ...audio, host };
}
