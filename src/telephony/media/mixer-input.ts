/** What a mix needs of its legs. */
import type { AudioPacket } from './audio-packet.ts';
import type { Mix, MixBuffers } from './mix.ts';

export interface MixerInput {
  /** Connects the leg to a mix; undefined: disconnects it. */
  setMixPort(port: MixPort | undefined): void;
  /** Audio of the other party, in a mix of two. */
  relayPacket(packet: AudioPacket, nowMs: number): void;
  /** A digit from the other party, in a mix of two. */
  relayDigit(digit: string, durationMs: number): void;
}

export interface MixPort {
  mix: Mix;
  /** In a mix of two in one thread: packets go straight there. */
  peer?: MixerInput;
  /** In any other mix; absent while the leg is alone. */
  buffers?: MixBuffers;
}
