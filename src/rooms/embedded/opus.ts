/** Opus at the rate of telephones, by libopus. It is loaded when the first telephone comes. */

export interface Opus {
  decoder(): Promise<OpusDecoder>;
  encoder(): Promise<OpusEncoder>;
}

/** 8 kHz, mono. Throws for what is not Opus. The arrays are the caller's. */
export interface OpusDecoder {
  decode(packet: Uint8Array): Int16Array;
  /** Of the packet before this one, which is lost. */
  recover(next: Uint8Array, samples: number): Int16Array;
  /** Of a lost packet about which nothing is known. */
  conceal(samples: number): Int16Array;
  free(): void;
}

export interface OpusEncoder {
  /** Of 20 ms. */
  encode(pcm: Int16Array): Uint8Array;
  free(): void;
}

const RATE_HZ = 8000;
/** What narrow band needs: more is not heard. */
const BITS_PER_SECOND = 20_000;
/** 0 to 10: less than half of the work of 10, and in narrow band hardly a difference. */
const COMPLEXITY = 3;
/** So that a viewer who loses a packet hears its sound from the next one. */
const EXPECTED_LOSS_PERCENT = 5;

export const libopus: Opus = {
  async decoder() {
    const { createDecoder } = await import('libopus-wasm');
    const decoder = await createDecoder({ sampleRate: RATE_HZ, channels: 1 });
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
      ...{ sampleRate: RATE_HZ, channels: 1, application: Application.Voip, bitrate: BITS_PER_SECOND },
      ...{ complexity: COMPLEXITY, fec: true, packetLossPercent: EXPECTED_LOSS_PERCENT },
    });
    return { encode: (pcm) => encoder.encode(pcm), free: () => encoder.free() };
  },
};
