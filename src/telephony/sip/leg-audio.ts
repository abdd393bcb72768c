/**
 * The audio of one leg: between the commands of the host and the media port, and between offer/answer and its `connect`.
 * Invariant: each play, record and send_digits is answered by one event (E2), also when no media port was ever opened or
 * its thread died; what the media port answered is not answered again.
 */
import { isIP } from 'node:net';
import type { LegCommand, LegEvent } from '../../core/leg.ts';
import type { MediaAddress, MediaEvent, MediaPort } from '../media/media-port.ts';
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

export type AudioCommand = Extract<
  LegCommand,
  { type: 'play' | 'stop_play' | 'record' | 'stop_record' | 'send_digits' }
>;
export type SendDigits = Extract<LegCommand, { type: 'send_digits' }>;

export interface LegAudioUser {
  event(event: LegEvent): void;
  /** The media broke down under a leg that lives. */
  lost(): void;
  /** Digits for a far end without telephone-event; the user answers with `digits_sent`. */
  sendByInfo(command: SendDigits): void;
}

type Answer = Extract<LegEvent, { type: 'play_ended' | 'record_ended' | 'digits_sent' }>;

export class LegAudio {
  readonly #mediaId: string;
  readonly #media: MediaPort;
  readonly #user: LegAudioUser;
  #state: 'unopened' | 'opening' | 'open' | 'closed' = 'unopened';
  #opening: Promise<MediaAddress> | undefined;
  /** Commands given before the port is open: they wait for the answer to the call. */
  #waiting: AudioCommand[] = [];
  /** Digits that wait until it is known how the far end takes them. */
  #waitingDigits: SendDigits[] = [];
  /** Commands without answer yet, by id, with the one they get at the end if nobody else gives one. */
  readonly #unanswered = new Map<string, Answer>();
  #local: LocalDescription | undefined;
  #lastText = '';
  #remote: RemoteAudio | undefined;
  #closed: (() => void) | undefined;

  constructor(mediaId: string, media: MediaPort, user: LegAudioUser) {
    this.#mediaId = mediaId;
    this.#media = media;
    this.#user = user;
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
      const address = await this.#media.open({ mediaId: this.#mediaId, onEvent });
      this.#local = { ...address, sessionId, version: 1 };
      if (this.#closed) this.#media.close(this.#mediaId);
      this.#state = 'open';
      for (const command of this.#waiting.splice(0)) this.#pass(command);
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
    if (this.#state === 'closed') return;
    if (command.type === 'play' || command.type === 'record' || command.type === 'send_digits') {
      const answer = answerAtTheEnd(command);
      if (this.#unanswered.has(idOf(answer))) return;
      this.#unanswered.set(idOf(answer), answer);
    }
    if (this.#state === 'open') this.#pass(command);
    else if (command.type === 'stop_play') this.#unplay(command.playId);
    else this.#waiting.push(command);
  }

  /** Ends all that runs, with its events; then calls back, once. */
  close(closed: () => void): void {
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
    this.#answer({ type: 'digits_sent', sendId });
  }

  /** A play that has not begun is stopped by not beginning. */
  #unplay(playId: string): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.type !== 'play' || waiting.playId !== playId);
    this.#answer({ type: 'play_ended', playId, reason: 'stopped', playedMs: 0 });
  }

  #pass(command: AudioCommand): void {
    const id = this.#mediaId;
    if (command.type === 'play') {
      this.#media.play(id, { playId: command.playId, audio: command.audio, repeat: command.repeat ?? false });
    } else if (command.type === 'stop_play') this.#media.stopPlay(id, command.playId);
    else if (command.type === 'record') this.#media.record(id, command);
    else if (command.type === 'stop_record') this.#media.stopRecord(id, command.recordId);
    else if (!this.#remote) this.#waitingDigits.push(command);
    else if (this.hasTelephoneEvent) this.#media.sendDigits(id, command);
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
    for (const command of this.#waitingDigits.splice(0)) this.#pass(command);
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
      this.#end();
      if (!wanted) this.#user.lost();
    } else if (event.type === 'digit') this.#user.event(event);
    else this.#answer(event);
  }

  #answer(answer: Answer): void {
    if (this.#unanswered.delete(idOf(answer))) this.#user.event(answer);
  }

  #end(): void {
    this.#state = 'closed';
    this.#waiting = [];
    this.#waitingDigits = [];
    for (const answer of [...this.#unanswered.values()]) this.#answer(answer);
    const closed = this.#closed;
    this.#closed = undefined;
    closed?.();
  }
}

/** Their stream, where it really is. */
function located(audio: RemoteAudio, speaker: Speaker): RemoteAudio | undefined {
  const host = mediaHost(audio.host, speaker);
  return host === undefined ? undefined : { ...audio, host };
}

function idOf(answer: Answer): string {
  if (answer.type === 'play_ended') return `play ${answer.playId}`;
  return answer.type === 'record_ended' ? `record ${answer.recordId}` : `digits ${answer.sendId}`;
}

function answerAtTheEnd(command: Extract<AudioCommand, { type: 'play' | 'record' | 'send_digits' }>): Answer {
  if (command.type === 'play') return { type: 'play_ended', playId: command.playId, reason: 'stopped', playedMs: 0 };
  if (command.type === 'send_digits') return { type: 'digits_sent', sendId: command.sendId };
  const { recordId, file } = command;
  return { type: 'record_ended', recordId, reason: 'hangup', file, durationMs: 0, speechMs: 0 };
}
