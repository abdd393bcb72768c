/** Port: the sound of telephones, as what carries calls has it. Rooms take part in the mix of their telephones by it. */
import type { MixAddress } from '../core/mix-frame.ts';

export interface PhoneSound {
  /** Opens a mix to an engine of rooms. `opened` is called with its address, and again when that changes. */
  openMix(mixId: string, opened: (address: MixAddress) => void): { close(): void };
  watchTalker(legId: string, talking: (on: boolean) => void): Talker;
}

/** A telephone that is watched until it is closed. */
export interface Talker {
  setHeard(heard: boolean): void;
  close(): void;
}
