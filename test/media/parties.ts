/**
 * Several legs in one or two threads without sockets and clocks: each party sends audio and records what it receives.
 */
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { LegMedia, type LegMediaEvent } from '../../src/media/telephony/media/leg-media.ts';
import type { G711Codec, MediaRemote } from '../../src/media/telephony/media/media-port.ts';
import { Mix, type MixMessage } from '../../src/media/telephony/media/mix.ts';
import { decodeTable } from '../../src/media/toolbox/audio/g711.ts';
import { type RtpPacket, readRtp } from '../../src/media/toolbox/rtp/packet.ts';
import { concat, packetOf, REMOTE } from './rig.ts';

export class Party {
  readonly leg: LegMedia;
  readonly sent: (RtpPacket & { payload: Uint8Array; atMs: number })[] = [];
  /** Encoded packets, as sent. */
  readonly raw: Uint8Array[] = [];
  readonly events: LegMediaEvent[] = [];
  readonly codec: G711Codec;
  readonly #number: number;
  #speech: Uint8Array = new Uint8Array(0);
  #spokenMs = 0;
  #sequence = 0;
  nowMs = 0;

  constructor(number: number, remote: Partial<MediaRemote> = {}) {
    this.#number = number;
    this.codec = remote.codec ?? 'PCMU';
    this.leg = new LegMedia({
      ssrc: 1000 + number,
      sequence: 65_500,
      timestamp: 0xffff_0000,
      emit: (event) => this.events.push(event),
      send: (packet) => {
        this.raw.push(packet.slice());
        const rtp = readRtp(packet)!;
        this.sent.push({ ...rtp, payload: packet.slice(rtp.payloadStart, rtp.payloadEnd), atMs: this.nowMs });
      },
    });
    this.leg.connect(
      { ...REMOTE, host: `192.0.2.${number}`, payloadType: this.codec === 'PCMU' ? 0 : 8, ...remote },
      0,
    );
  }

  /** Sends this audio from now on, then nothing. */
  say(pcm: Int16Array): void {
    this.#speech = encodeG711(pcm, this.codec);
    this.#spokenMs = 0;
  }

  press(event: number, samples: number, end: boolean): void {
    const payload = [event, (end ? 0x80 : 0) | 10, samples >>> 8, samples & 0xff];
    this.receive(packetOf({ payloadType: 101, timestamp: 5, sequence: this.#sequence++, ssrc: this.#number }, payload));
  }

  receive(packet: Uint8Array): void {
    this.leg.receive(packet, `192.0.2.${this.#number}`, 4000, this.nowMs);
  }

  /** The next packet of its audio. */
  speak(): void {
    const payload = this.#speech.subarray(this.#spokenMs * 8, this.#spokenMs * 8 + 160);
    this.#spokenMs += 20;
    if (payload.length < 160) return;
    const timestamp = 7_000 * this.#number + this.nowMs * 8;
    const payloadType = this.codec === 'PCMU' ? 0 : 8;
    this.receive(packetOf({ payloadType, sequence: this.#sequence++, timestamp, ssrc: this.#number }, payload));
  }

  heard(): Int16Array {
    const table = decodeTable(this.codec);
    const audio = this.sent.filter(({ payloadType }) => payloadType === 0 || payloadType === 8);
    return concat(audio.map(({ payload }) => Int16Array.from(payload, (byte) => table[byte]!)));
  }
}

/** One mix in as many threads as there are lists of parties. */
export class Meeting {
  readonly threads: { mix: Mix; parties: Party[] }[];
  nowMs = 0;

  constructor(threads: Party[][]) {
    this.threads = threads.map((parties, index) => ({
      mix: new Mix('m', (peer, message: MixMessage) => this.threads[peer]!.mix.receiveFromPeer(index, message)),
      parties,
    }));
    for (const [index, { mix, parties }] of this.threads.entries()) {
      for (const party of parties) mix.add(party.leg);
      const others = threads.map((each, peer) => ({ peer, legs: each.length }));
      mix.setPeers(others.filter(({ peer }) => peer !== index));
    }
  }

  get parties(): Party[] {
    return this.threads.flatMap(({ parties }) => parties);
  }

  /** Packets arrive, then legs and mixes turn, every 20 ms. */
  run(ms: number): void {
    for (const untilMs = this.nowMs + ms; this.nowMs < untilMs; this.nowMs += 20) {
      for (const party of this.parties) party.nowMs = this.nowMs;
      for (const party of this.parties) party.speak();
      for (const party of this.parties) party.leg.tick(this.nowMs);
      for (const { mix } of this.threads) mix.tick();
    }
  }
}
