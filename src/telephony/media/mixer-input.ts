/** What a mix needs of the legs in it. */
import type { AudioPacket } from './audio-packet.ts';
import type { Mix, MixBuffers } from './mix.ts';

export interface MixerInput {
  /** Where it sits from now on; undefined: not in a mix any more. */
  setMixPort(port: MixPort | undefined): void;
  /** The other's sound, of a mix of two. */
  relayPacket(packet: AudioPacket, nowMs: number): void;
  /** A key that the other party of a mix of two pressed. */
  relayDigit(digit: string, durationMs: number): void;
}

export interface MixPort {
  mix: Mix;
  /** Of a mix of two in one thread: packets go straight there. */
  peer?: MixerInput;
  /** Of any other: absent while it is alone. */
  buffers?: MixBuffers;
}
