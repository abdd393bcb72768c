/**
 * Port: links between mixes on several nodes. Each end of a link receives the audio of the other node's legs and of its
 * outside parties.
 */
import type { MixAddress, MixFarEnd } from '../toolbox/audio/mix-frame.ts';

export interface MixLinks {
  /**
   * Opens the local end. `opened` is called with its address, and again when the address changes, so that the other end
   * can accept it.
   */
  linkMix(mixId: string, far: MixFarEnd, opened: (address: MixAddress) => void): { close(): void };
  /** Accepts a link that was opened at `far`, whose port is known, with its key. */
  acceptMixLink(mixId: string, far: MixFarEnd, key: string): { close(): void };
}
