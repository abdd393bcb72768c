/** Which mix one channel is in, and whether it is heard there: the bridge follows what is wanted, one change after the other. */
import { type AriRequest, ariPath } from './ari-client.ts';
import type { Mixes } from './mixes.ts';

export interface LegMixParts {
  legId: string;
  request: AriRequest;
  mixes: Mixes;
  /** After what was asked of the channel before, while it is up. */
  inOrder(work: () => Promise<void>): void;
}

export class LegMix {
  readonly #parts: LegMixParts;
  #isOpen = false;
  #wanted: string | undefined;
  #actual: string | undefined;
  #isMuted = false;
  #isHeld = false;

  constructor(parts: LegMixParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#isOpen = true;
    this.#arrange();
    if (this.#isMuted) this.#applyMute();
  }

  join(mixId: string, isMuted: boolean): void {
    this.#wanted = mixId;
    this.#setMuted(isMuted);
    this.#arrange();
  }

  leave(): void {
    this.#wanted = undefined;
    this.#setMuted(false);
    this.#arrange();
  }

  mute(isMuted: boolean): void {
    if (this.#wanted !== undefined) this.#setMuted(isMuted);
  }

  /** A party on hold is out of its mix. Whether this changed. */
  hold(isHeld: boolean): boolean {
    if (this.#isHeld === isHeld) return false;
    this.#isHeld = isHeld;
    this.#arrange();
    return true;
  }

  end(): void {
    this.#isOpen = false;
    if (this.#actual !== undefined) void this.#parts.mixes.leave(this.#actual, this.#parts.legId);
    this.#actual = undefined;
  }

  #arrange(): void {
    if (!this.#isOpen) return;
    this.#parts.inOrder(async () => {
      const { mixes, legId } = this.#parts;
      const wanted = this.#isHeld ? undefined : this.#wanted;
      const actual = this.#actual;
      if (wanted === actual) return;
      this.#actual = wanted;
      if (actual !== undefined) await mixes.leave(actual, legId);
      if (wanted !== undefined) await mixes.join(wanted, legId);
    });
  }

  #setMuted(isMuted: boolean): void {
    if (this.#isMuted === isMuted) return;
    this.#isMuted = isMuted;
    this.#applyMute();
  }

  #applyMute(): void {
    if (!this.#isOpen) return;
    this.#parts.inOrder(async () => {
      const { legId, request } = this.#parts;
      const path = `${ariPath('channels', legId, 'mute')}?direction=in`;
      await request(this.#isMuted ? 'POST' : 'DELETE', path);
    });
  }
}
