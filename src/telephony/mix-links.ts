/** Port: mixes that are at several nodes. Each end of a link hears the legs of the other, and whatever else is heard there. */
import type { MixAddress, MixFarEnd } from '../core/mix-frame.ts';

export interface MixLinks {
  /** Opens this end. `opened` is called with its address, and again when that changes: the other end is to accept it there. */
  linkMix(mixId: string, far: MixFarEnd, opened: (address: MixAddress) => void): { close(): void };
  /** Answers an end that was opened at `far`, whose port is known, with its key. */
  acceptMixLink(mixId: string, far: MixFarEnd, key: string): { close(): void };
}
