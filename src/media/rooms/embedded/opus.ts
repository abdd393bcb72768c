/** Opus at 8 kHz for phones, by libopus. It is loaded when the first phone joins. */
import { SAMPLE_RATE_HZ } from '../../toolbox/audio/sample-rate.ts';

export interface Opus {
  decoder(): Promise<OpusDecoder>;
  encoder(): Promise<OpusEncoder>;
}

/** 8 kHz, mono. Throws on invalid Opus. Returned arrays belong to the caller. */
export interface OpusDecoder {
  decode(packet: Uint8Array): Int16Array;
  /** Recovers the lost packet before `next` from its FEC. */
  recover(next: Uint8Array, samples: number): Int16Array;
  /** Conceals a lost packet (PLC). */
  conceal(samples: number): Int16Array;
  free(): void;
}

export interface OpusEncoder {
  /** Encodes 20 ms. */
  encode(pcm: Int16Array): Uint8Array;
  free(): void;
}

/** Enough for narrow band. */
const BITS_PER_SECOND = 20_000;
/** 0 to 10: takes less than half of the CPU of 10, with hardly a difference in narrow band. */
const COMPLEXITY = 3;
/** Enables FEC, so that a subscriber recovers a lost packet from the next one. */
const EXPECTED_LOSS_PERCENT = 5;

export const libopus: Opus = {
  async decoder() {
    const { createDecoder } = await import('libopus-wasm');
    const decoder = await createDecoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
    return {
      decode: (packet) => decoder.decode(packet),
      recover: (next, frameSize) => decoder.decode(next, { decodeFec: true, frameSize }),
      conceal: (samples) => decoder.decodePacketLoss(samples),
      free: () => decoder.free(),
    };
  },
  async encoder() {
    const { Application, createEncoder } = await import('libopus-wasm');
    const encoder = await createEncoder({
      ...{ sampleRate: SAMPLE_RATE_HZ, channels: 1, application: Application.Voip, bitrate: BITS_PER_SECOND },
      ...{ complexity: COMPLEXITY, fec: true, packetLossPercent: EXPECTED_LOSS_PERCENT },
    });
    return { encode: (pcm) => encoder.encode(pcm), free: () => encoder.free() };
  },
};
