/**
 * What the caller hears while somebody is rung for it: its own phone's ringing before its call is answered, else a
 * ringing tone or a prompt; and the far end itself where that has something to say before it answers.
 */

import { RINGING } from '../core/built-in-sounds.ts';
import type { AudioItem } from '../core/leg.ts';
import type { StepContext, StepParty } from './step.ts';

export class Ringback {
  readonly #context: StepContext;
  readonly #mixId: string;
  readonly #audio: readonly AudioItem[];
  /** The line was opened: the caller's phone rings no more by itself. */
  #isOpen: boolean;
  #playId: string | undefined;
  #early: StepParty | undefined;

  constructor(context: StepContext, mixId: string, audio: readonly AudioItem[] | undefined) {
    const { leg } = context;
    this.#context = context;
    this.#mixId = mixId;
    this.#audio = audio ?? RINGING;
    this.#isOpen = leg.state === 'connected' || leg.direction === 'outbound' || audio !== undefined;
  }

  start(): void {
    const { leg } = this.#context;
    if (leg.state === 'ringing' && leg.direction === 'inbound') {
      if (this.#isOpen) leg.send({ type: 'progress' });
      else leg.send({ type: 'ring' });
    }
    this.#play();
  }

  /** Lets this party be heard, or nobody any more. */
  hearEarlyMedia(party: StepParty | undefined): void {
    const { leg } = this.#context;
    if (party) {
      if (!this.#isOpen) leg.send({ type: 'progress' });
      this.#isOpen = true;
      this.stop();
      party.send({ type: 'join', mixId: this.#mixId });
      leg.send({ type: 'join', mixId: this.#mixId });
    } else if (this.#early) {
      if (this.#early.state !== 'ended') this.#early.send({ type: 'leave' });
      leg.send({ type: 'leave' });
      this.#play();
    }
    this.#early = party;
  }

  stop(): void {
    if (this.#playId !== undefined) this.#context.leg.stopPlay(this.#playId);
    this.#playId = undefined;
  }

  #play(): void {
    if (this.#isOpen) this.#playId = this.#context.leg.play([...this.#audio], { repeat: true });
  }
}
