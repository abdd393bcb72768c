/**
 * Mix of one channel, and whether it is audible there: the bridge in Asterisk is adapted to the wanted state, one
 * change at a time.
 */
import { type AriRequest, ariPath } from './ari-client.ts';
import type { Mixes } from './mixes.ts';

export interface LegMixParts {
  legId: string;
  request: AriRequest;
  mixes: Mixes;
  /** Runs `work` after earlier requests to the channel, while it is up. */
  inOrder(work: () => Promise<void>): Promise<void>;
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
    void this.#arrange();
    if (this.#isMuted) void this.#applyMute();
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  // Each resolves when Asterisk has done it.

  join(mixId: string, isMuted: boolean): Promise<void> {
    this.#wanted = mixId;
    void this.#setMuted(isMuted);
    return this.#arrange();
  }

  leave(): Promise<void> {
    this.#wanted = undefined;
    void this.#setMuted(false);
    return this.#arrange();
  }

  mute(isMuted: boolean): Promise<void> {
    return this.#wanted === undefined ? Promise.resolve() : this.#setMuted(isMuted);
  }

  /** A party on hold is removed from its mix. */
  hold(isHeld: boolean): Promise<void> {
    this.#isHeld = isHeld;
    return this.#arrange();
  }

  /** The state that another node requested is already effective; called before `open`. */
  takeUp(): void {
    this.#actual = this.#isHeld ? undefined : this.#wanted;
    if (this.#actual !== undefined) this.#parts.mixes.add(this.#actual, this.#parts.legId);
  }

  end(): void {
    this.#isOpen = false;
    if (this.#actual !== undefined) void this.#parts.mixes.leave(this.#actual, this.#parts.legId, this.#parts.request);
    this.#actual = undefined;
  }

  /** Another node has adopted the leg. */
  forget(): void {
    this.#isOpen = false;
    if (this.#actual !== undefined) this.#parts.mixes.remove(this.#actual, this.#parts.legId);
  }

  #arrange(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    return this.#parts.inOrder(async () => {
      const { mixes, legId, request } = this.#parts;
      const wanted = this.#isHeld ? undefined : this.#wanted;
      const actual = this.#actual;
      if (wanted === actual) return;
      this.#actual = wanted;
      if (actual !== undefined) await mixes.leave(actual, legId, request);
      if (wanted !== undefined) await mixes.join(wanted, legId, request);
    });
  }

  #setMuted(isMuted: boolean): Promise<void> {
    if (this.#isMuted === isMuted) return Promise.resolve();
    this.#isMuted = isMuted;
    return this.#applyMute();
  }

  #applyMute(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    return this.#parts.inOrder(async () => {
      const { legId, request } = this.#parts;
      const path = `${ariPath('channels', legId, 'mute')}?direction=in`;
      await request(this.#isMuted ? 'POST' : 'DELETE', path);
    });
  }
}
