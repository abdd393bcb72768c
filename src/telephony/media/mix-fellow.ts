/** What a mix needs of the legs in it. */
import type { AudioPacket } from './audio-packet.ts';
import type { Mix, MixSeat } from './mix.ts';

export interface MixFellow {
  /** Where it sits from now on; undefined: not in a mix any more. */
  sit(company: Company | undefined): void;
  /** The other's sound, of a mix of two. */
  take(packet: AudioPacket, nowMs: number): void;
  /** A key that the other party of a mix of two pressed. */
  takeDigit(digit: string, durationMs: number): void;
}

export interface Company {
  mix: Mix;
  /** Of a mix of two in one thread: packets go straight there. */
  partner?: MixFellow;
  /** Of any other: absent while it is alone. */
  seat?: MixSeat;
}
