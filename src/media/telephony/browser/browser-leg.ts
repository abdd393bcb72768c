/**
 * Leg whose far end is a browser: a media port like that of any leg, behind a gateway that speaks WebRTC with the page.
 *
 * Invariants: E1–E4 of `../engine.ts`, and
 *  - a call is answered when the flow has answered it and the browser is connected;
 *  - a browser that does not connect within `CONNECT_MS` is given up;
 *  - audio of the browser is not passed on before the flow wants it.
 */
import { type Cause, causeOf, causeOfSip, NORMAL_CLEARING, TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { defined } from '../../../base/core/json.ts';
import type { LegCommand, LegEvent, LegQuality } from '../../../base/core/leg.ts';
import type { BrowserPage } from '../browser-legs.ts';
import { DigitLimit } from '../digit-limit.ts';
import type { AttachedLeg } from '../engine.ts';
import { LegCommands, type SendDigits } from '../leg-commands.ts';
import type { MediaEvent, MediaPort, MediaRemote } from '../media/media-port.ts';
import { isWildcard } from '../wildcard.ts';
import type { LineEvent, LineGateway } from './line-gateway.ts';

/** Candidates are exchanged in the first messages, so that reachable browsers connect in less than a second. */
const CONNECT_MS = 15_000;
const PTIME_MS = 20;
/** RFC 3551 §6. */
const PCMU_PAYLOAD_TYPE = 0;
const CODEC = 'PCMU' as const;
const NO_CIRCUIT = causeOf(34);
const INCOMPATIBLE = causeOf(65);
const NOT_REACHED = causeOf(102);
/** RFC 3261 §21.5.2: not implemented. */
const NOT_IMPLEMENTED = 501;

export interface BrowserLegParts {
  media: MediaPort;
  gateway: LineGateway;
  clock: Clock;
  log(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface BrowserLegUser {
  legId: string;
  page: BrowserPage;
  emit(event: LegEvent): void;
  /** Called after `ended`. */
  gone(): void;
}

type Described = Extract<LineEvent, { type: 'described' }>;

export class BrowserLeg implements AttachedLeg {
  readonly legId: string;
  readonly #parts: BrowserLegParts;
  readonly #user: BrowserLegUser;
  readonly #commands: LegCommands;
  readonly #digitLimit: DigitLimit;
  readonly #limit: Timer;
  #media: 'opening' | 'open' | 'closed' = 'opening';
  #line: Described | undefined;
  #isReached = false;
  /** State that the flow wants: offered, early media, or answered. */
  #wanted: 'nothing' | 'early' | 'answer' = 'nothing';
  #isConnected = false;
  #waitingDigits: SendDigits[] = [];
  #isOver = false;
  #end: { cause: Cause; by: 'far' | 'near' | 'network'; sipStatus?: number } | undefined;

  constructor(parts: BrowserLegParts, user: BrowserLegUser) {
    this.#parts = parts;
    this.#user = user;
    this.legId = user.legId;
    const { media, clock } = parts;
    this.#digitLimit = new DigitLimit(clock, () => parts.log('webphone.digits_dropped', { legId: user.legId }));
    this.#commands = new LegCommands(
      user.legId,
      { media, clock },
      {
        event: (event) => user.emit(event),
        sendDigits: (command) => this.#sendDigits(command),
      },
    );
    this.#limit = clock.after(CONNECT_MS, () => this.#finish(NOT_REACHED, 'network', 'the browser cannot be reached'));
  }

  async open(sdp: string): Promise<void> {
    const { media, gateway } = this.#parts;
    const { legId } = this.#user;
    try {
      const { host, port } = await media.open({ mediaId: legId, onEvent: (event) => this.#mediaEvent(event) });
      this.#media = 'open';
      if (this.#isOver) return media.send(legId, { type: 'close' });
      const rtp = { host: isWildcard(host) ? (host === '::' ? '::1' : '127.0.0.1') : host, port };
      gateway.open(legId, { sdp, rtp }, (event) => this.#lineEvent(event));
    } catch {
      this.#media = 'closed';
      if (this.#isOver) this.#ended();
      else this.#finish(NO_CIRCUIT, 'network', 'no port for sound is free');
    }
  }

  send(command: LegCommand): void {
    if (this.#isOver) return;
    const { page, emit } = this.#user;
    switch (command.type) {
      case 'ring':
        if (!this.#isConnected) page({ type: 'ringing' });
        break;
      case 'progress':
        if (this.#wanted === 'nothing') this.#want('early');
        break;
      case 'answer':
        if (this.#wanted !== 'answer') this.#want('answer');
        break;
      case 'reject':
        if (!this.#isConnected) this.#finish(causeOfSip(command.sipStatus), 'near', undefined, command.sipStatus);
        break;
      case 'hangup':
        this.#finish(causeOf(command.cause), 'near');
        break;
      case 'refer':
        this.#parts.log('webphone.refer_refused', { legId: this.#user.legId, why: 'a browser cannot call others' });
        emit({ type: 'refer_ended', referId: command.referId, sipStatus: NOT_IMPLEMENTED });
        break;
      case 'refer_progress':
      case 'dial':
        break;
      case 'hold':
      case 'resume':
        this.#commands.execute(command);
        page({ type: 'held', held: command.type === 'hold' });
        break;
      default:
        this.#commands.execute(command);
    }
  }

  /** The person has hung up, or the page is closed. */
  hangUp(): void {
    this.#finish(NORMAL_CLEARING, 'far');
  }

  #want(wanted: 'early' | 'answer'): void {
    const isFirst = this.#wanted === 'nothing';
    this.#wanted = wanted;
    if (isFirst) this.#connectMedia();
    this.#checkAnswered();
  }

  #lineEvent(event: LineEvent): void {
    if (this.#isOver) return;
    switch (event.type) {
      case 'described':
        this.#line = event;
        this.#user.page({ type: 'answer', sdp: event.sdp });
        if (this.#wanted !== 'nothing') this.#connectMedia();
        break;
      case 'open':
        this.#isReached = true;
        this.#limit.cancel();
        this.#checkAnswered();
        break;
      case 'refused':
        this.#finish(INCOMPATIBLE, 'network', event.why);
        break;
      case 'lost':
        this.#finish(TEMPORARY_FAILURE, 'network', event.why);
        break;
    }
  }

  #connectMedia(): void {
    const line = this.#line;
    if (!line || this.#media !== 'open') return;
    const { rtp, telephoneEventPayloadType, audio } = line;
    const remote = {
      ...rtp,
      ...audio,
      ...{ codec: CODEC, payloadType: PCMU_PAYLOAD_TYPE, ptimeMs: PTIME_MS, rtcpPort: rtp.port },
      telephoneEventPayloadType,
    } as const;
    this.#parts.media.send(this.#user.legId, { type: 'connect', remote: defined<MediaRemote>(remote) });
    this.#commands.opened();
    for (const command of this.#waitingDigits.splice(0)) this.#sendDigits(command);
  }

  #checkAnswered(): void {
    if (this.#isConnected || this.#wanted !== 'answer' || !this.#isReached) return;
    this.#isConnected = true;
    this.#user.page({ type: 'connected' });
    this.#user.emit({ type: 'answered' });
  }

  #sendDigits(command: SendDigits): void {
    const { media } = this.#parts;
    if (!this.#line) this.#waitingDigits.push(command);
    else if (this.#line.telephoneEventPayloadType !== undefined) media.send(this.#user.legId, command);
    // Digits cannot be sent, because telephone-event was not negotiated.
    else this.#commands.answered({ type: 'digits_sent', sendId: command.sendId });
  }

  #mediaEvent(event: MediaEvent): void {
    if (this.#media === 'closed') return;
    if (event.type === 'closed') {
      this.#media = 'closed';
      if (this.#isOver) this.#ended(event.quality);
      else this.#finish(TEMPORARY_FAILURE, 'network', 'the sound of the call was lost');
    } else if (event.type === 'digit') {
      if (!this.#isOver && this.#digitLimit.take()) this.#user.emit(event);
    } else if (event.type !== 'silent') this.#commands.answered(event);
  }

  /** The only place where a leg ends. */
  #finish(cause: Cause, by: 'far' | 'near' | 'network', why?: string, sipStatus?: number): void {
    if (this.#isOver) return;
    const { legId, page } = this.#user;
    this.#isOver = true;
    this.#end = defined({ cause, by, sipStatus });
    this.#limit.cancel();
    this.#parts.gateway.close(legId);
    page(defined({ type: 'ended', cause, by, why }));
    if (this.#media === 'open') this.#parts.media.send(legId, { type: 'close' });
    else if (this.#media === 'closed') this.#ended();
  }

  #ended(quality?: LegQuality): void {
    const end = this.#end;
    if (!end) return;
    this.#end = undefined;
    this.#waitingDigits = [];
    this.#commands.end();
    // Encrypted by DTLS-SRTP; the media port sees only plain RTP.
    const secured = quality && { ...quality, encrypted: true };
    this.#user.emit(defined<Extract<LegEvent, { type: 'ended' }>>({ type: 'ended', ...end, quality: secured }));
    this.#user.gone();
  }
}
