/**
 * Port: the audio of phone calls, as provided by the engine of calls. Rooms join the mix of their phones through it.
 */
import type { MixAddress } from '../toolbox/audio/mix-frame.ts';

export interface PhoneSound {
  /**
   * Connects a mix to an engine of rooms. `opened` is called with the address of the mix, and again when the address
   * changes.
   */
  openMix(mixId: string, opened: (address: MixAddress) => void): { close(): void };
  watchTalker(legId: string, talking: (on: boolean) => void): PhoneTalker;
}

/** Phone whose speech is detected until it is closed. */
export interface PhoneTalker {
  setHeard(heard: boolean): void;
  close(): void;
}
