/**
 * Webphone as a synthetic peer: one connection with PCMU audio and telephone events (RFC 4733) in both directions. It
 * sends continuously, with silence in between, as browsers do.
 */

import { encodeG711 } from '../../../src/media/telephony/media/g711.ts';
import { decodeTable } from '../../../src/media/toolbox/audio/g711.ts';
import { digitOfEvent, eventOfDigit } from '../../../src/media/toolbox/dtmf/dtmf-events.ts';
import { isRtcp, readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import { eventPayload, packetOf, tone } from '../../media/rig.ts';
import { phoneOffer, TELEPHONE_EVENT } from './browser-sdp.ts';
import { PeerConnection } from './connection.ts';
import type { PeerOrder, PhoneReception } from './peer-messages.ts';
import { every } from './ticks.ts';

const TICK_MS = 20;
const SAMPLES = 160;
const PCMU = 0;
const KEY_TICKS = 3;
const GAP_TICKS = 2;
/** The end of a key is sent that often (RFC 4733 §2.5.1.4). */
const ENDS = 3;
/** Threshold for a sample that is not silence. */
const LOUD = 1000;
/** 500 Hz: 10 whole waves in each packet. */
const SPEECH = encodeG711(tone(500, TICK_MS), 'PCMU');
const SILENCE = encodeG711(new Int16Array(SAMPLES), 'PCMU');

/** Content of one tick. */
type Frame = { sound: Uint8Array } | { event: number; tick: number };

export class PhonePeer {
  readonly #connection: PeerConnection;
  readonly #timer: NodeJS.Timeout;
  #frames: Frame[] = [];
  #sequence = 0;
  #timestamp = 0;
  #keyBegan = 0;
  #heardMs = 0;
  #digits = '';
  #lastKey: number | undefined;

  constructor(name: string, address: string) {
    this.#connection = new PeerConnection(name, address, (bytes) => this.#take(bytes));
    this.#timer = every(TICK_MS, () => this.#tick());
  }

  async do(order: PeerOrder): Promise<unknown> {
    switch (order.type) {
      case 'phone.call':
        return phoneOffer(await this.#connection.offer());
      case 'phone.answer':
        this.#connection.answered(order.sdp);
        return undefined;
      case 'phone.press':
        for (const digit of order.digits) this.#press(eventOfDigit(digit)!);
        return undefined;
      case 'phone.speak':
        this.#queue(order.durationMs / TICK_MS, { sound: SPEECH });
        return undefined;
      case 'phone.received':
        return { heardMs: this.#heardMs, digits: this.#digits } satisfies PhoneReception;
      default:
        return undefined;
    }
  }

  #queue(ticks: number, frame: Frame): void {
    for (let tick = 0; tick < ticks; tick++) this.#frames.push(frame);
  }

  #press(event: number): void {
    for (let tick = 1; tick <= KEY_TICKS; tick++) this.#frames.push({ event, tick });
    this.#queue(GAP_TICKS, { sound: SILENCE });
  }

  #tick(): void {
    if (!this.#connection.isOpen) return;
    const frame = this.#frames.shift() ?? { sound: SILENCE };
    if ('sound' in frame) this.#send({ payloadType: PCMU, timestamp: this.#timestamp }, frame.sound);
    else this.#sendKey(frame);
    this.#timestamp += SAMPLES;
  }

  #sendKey({ event, tick }: Extract<Frame, { event: number }>): void {
    if (tick === 1) this.#keyBegan = this.#timestamp;
    const isLast = tick === KEY_TICKS;
    const header = { payloadType: TELEPHONE_EVENT, marker: tick === 1, timestamp: this.#keyBegan };
    for (let sent = 0; sent < (isLast ? ENDS : 1); sent++) {
      this.#send(header, eventPayload(event, tick * SAMPLES, isLast));
    }
  }

  #send(header: Parameters<typeof packetOf>[0], payload: Uint8Array | number[]): void {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#connection.send(Buffer.from(packetOf({ ...header, sequence: this.#sequence }, payload)));
  }

  #take(bytes: Buffer): void {
    const packet = isRtcp(bytes) ? undefined : readRtp(bytes);
    if (!packet) return;
    const payload = bytes.subarray(packet.payloadStart, packet.payloadEnd);
    if (packet.payloadType === PCMU && payload.some(isLoud)) this.#heardMs += payload.length / 8;
    if (packet.payloadType !== TELEPHONE_EVENT || packet.timestamp === this.#lastKey) return;
    this.#lastKey = packet.timestamp;
    this.#digits += digitOfEvent(payload[0]!) ?? '?';
  }

  close(): void {
    clearInterval(this.#timer);
    this.#connection.close();
  }
}

const SAMPLE_OF = decodeTable('PCMU');
const isLoud = (byte: number): boolean => Math.abs(SAMPLE_OF[byte]!) > LOUD;
