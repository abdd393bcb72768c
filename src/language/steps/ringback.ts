/**
 * Ringback for the caller while a party rings: the ringing of the caller's phone before the call is answered, else a
 * ringing tone or a prompt. Early media of the called party replace it.
 */
import type { AudioItem } from '../../base/core/leg.ts';
import { RINGING } from '../flow/built-in-sounds.ts';
import { Sound } from './playback.ts';
import type { StepContext, StepParty } from './step.ts';

export class Ringback {
  readonly #leg: StepContext['leg'];
  readonly #mixId: string;
  readonly #sound: Sound;
  /** True if the caller receives audio of this service (answered or 183), so that its phone plays no local ringing. */
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

  /** Connects the early media of this peer to the caller; undefined disconnects them. */
  setEarlyMedia(peer: StepParty | undefined): void {
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
