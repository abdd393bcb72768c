/** Browsers that send audio, in virtual time. Opus is simulated by numbers: a packet is the value of its samples. */
import type { Opus } from '../../../src/media/rooms/embedded/opus.ts';
import { PublishedSource } from '../../../src/media/rooms/embedded/published-source.ts';
import { FRAME_SAMPLES } from '../../../src/media/toolbox/audio/sample-rate.ts';
import { readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import type { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';

/** Sample value of concealed packets. */
export const CONCEALED = 1;
export const MADE_OF_NEXT = 1000;
export const MEDIA = {
  kind: 'audio',
  mid: '0',
  payloadType: 111,
  extensions: {},
  rids: [],
  ssrcs: [5],
  takesLoneFeedback: true,
  isOff: false,
  codec: undefined,
};

export function countedOpus() {
  const count = { decoders: 0, encoders: 0, decoded: 0, encoded: 0 };
  const filled = (value: number, samples = FRAME_SAMPLES) => new Int16Array(samples).fill(value);
  const sampleIn = (packet: Uint8Array) => Buffer.from(packet).readInt16BE();
  const opus: Opus = {
    async decoder() {
      count.decoders++;
      return {
        decode(packet) {
          if (packet.length !== 2) throw new Error('not Opus');
          count.decoded++;
          return filled(sampleIn(packet));
        },
        recover: (next, samples) => filled(sampleIn(next) + MADE_OF_NEXT, samples),
        conceal: (samples) => filled(CONCEALED, samples),
        free: () => void count.decoders--,
      };
    },
    async encoder() {
      count.encoders++;
      return {
        encode([value = 0]) {
          count.encoded++;
          const packet = Buffer.alloc(2);
          packet.writeInt16BE(value);
          return packet;
        },
        free: () => void count.encoders--,
      };
    },
  };
  return { opus, count };
}

export function packetOf(sequence: number, payload: Uint8Array) {
  const bytes = Buffer.alloc(12 + payload.length);
  bytes[0] = 0x80;
  bytes[1] = 111;
  bytes.writeUInt16BE(sequence & 0xffff, 2);
  bytes.writeUInt32BE(sequence * 960, 4);
  bytes.writeUInt32BE(5, 8);
  bytes.set(payload, 12);
  return readRtp(bytes)!;
}

export function browser(clock: VirtualClock, owner: string) {
  const source = new PublishedSource({
    ...{ owner, name: 'audio', media: MEDIA, clock, quality: 'HD', send: () => undefined },
  });
  let sequence = 65_530;
  return {
    source,
    give(payload: Uint8Array): void {
      const packet = packetOf(sequence++, payload);
      source.onRtp(packet, source.streams[0] ?? source.open(packet)!);
    },
    say(value: number): void {
      const payload = Buffer.alloc(2);
      payload.writeInt16BE(value);
      this.give(payload);
    },
    lose(packets = 1): void {
      sequence += packets;
    },
  };
}
