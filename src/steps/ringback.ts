/**
 * What the caller hears while somebody is rung for it: its own phone's ringing before its call is answered, else a
 * ringing tone or a prompt; and the far end itself where that has something to say before it answers.
 */

import { RINGING } from '../core/built-in-sounds.ts';
import type { AudioItem } from '../core/leg.ts';
import { Sound } from './playback.ts';
import type { StepContext, StepParty } from './step.ts';

export class Ringback {
  readonly #leg: StepContext['leg'];
  readonly #mixId: string;
  readonly #sound: Sound;
  /** The caller hears us: its phone rings no more by itself. */
  #isOpen: boolean;
  #early: StepParty | undefined;

  constructor({ leg }: StepContext, mixId: string, audio: readonly AudioItem[] | undefined) {
    this.#leg = leg;
    this.#mixId = mixId;
    this.#sound = new Sound(leg, audio ?? RINGING);
    this.#isOpen = leg.state === 'connected' || leg.direction === 'outbound' || audio !== undefined;
  }

  start(): void {
    const leg = this.#leg;
    if (leg.state === 'ringing' && leg.direction === 'inbound') {
      if (this.#isOpen) leg.send({ type: 'progress' });
      else leg.send({ type: 'ring' });
    }
    if (this.#isOpen) this.#sound.start();
  }

  /** Lets this peer be heard before it answers, or nobody any more. */
  hearEarlyMedia(peer: StepParty | undefined): void {
    const leg = this.#leg;
    if (peer) {
      if (!this.#isOpen) leg.send({ type: 'progress' });
      this.#isOpen = true;
      this.stop();
      peer.send({ type: 'join', mixId: this.#mixId });
      leg.send({ type: 'join', mixId: this.#mixId });
    } else if (this.#early) {
      if (this.#early.state !== 'ended') this.#early.send({ type: 'leave' });
      leg.send({ type: 'leave' });
      this.#sound.start();
    }
    this.#early = peer;
  }

  stop(): void {
    this.#sound.stop();
  }
}
