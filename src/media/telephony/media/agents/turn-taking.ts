/**
 * Turn taking between the party and its agent: which of them speaks, and which audio of the agent the party hears. A
 * voice that begins pauses the agent's audio; if it is confirmed, the audio is cut, otherwise it resumes where it
 * paused. `caller-voice.ts` detects the voice, `playout.ts` tracks the agent's audio. Time is counted in the party's
 * frames.
 *
 * Invariants
 *  - audio that arrives while the party speaks is dropped, but for at most `MAX_DROPPED_MS` in one stretch of voice;
 *  - a pause ends: by the voice's confirmation, by doubt, or with the voice.
 */
import type { Talker } from '../../../../base/core/leg.ts';
import { SAMPLES_PER_MS } from '../../audio.ts';
import { CallerVoice, type VoiceChange } from './caller-voice.ts';
import { Playout } from './playout.ts';

export interface TurnTakingOptions {
  /** True if the party's voice cuts the agent's audio. */
  bargeIn: boolean;
  /** Sends the agent's audio in mu-law to the media thread. */
  play(bytes: Uint8Array): void;
  pause(isPaused: boolean): void;
  clear(): void;
  turn(who: Talker, speaks: boolean): void;
  /** The party interrupted the agent: the last `unheardMs` of its audio were not heard. */
  cut(unheardMs: number): void;
  /** A mark was reached, or the audio before it was cleared. */
  reached(name: string): void;
}

/** An agent that still speaks after this time is not finishing the response that was cut, and has to be heard. */
const MAX_DROPPED_MS = 3_000;

export class TurnTaking {
  readonly #options: TurnTakingOptions;
  readonly #playout: Playout;
  readonly #voice: CallerVoice;
  #isPaused = false;
  /** True if the agent was informed that the party speaks. */
  #isAnnounced = false;
  /** Time since the first audio was dropped in this stretch of voice. */
  #droppingMs: number | undefined;

  constructor(options: TurnTakingOptions) {
    this.#options = options;
    this.#playout = new Playout({
      reached: (name) => options.reached(name),
      speaks: (speaks) => options.turn('agent', speaks),
    });
    this.#voice = new CallerVoice(() => this.#playout.nextLevel());
  }

  /** Processes mu-law audio of the party. `isAlive`: the party has sent its first packet. */
  frame(bytes: Uint8Array, isAlive: boolean): void {
    // The media thread has played the same amount when this frame of the party arrives.
    this.#playout.advance(bytes.length);
    if (this.#droppingMs !== undefined) this.#droppingMs += bytes.length / SAMPLES_PER_MS;
    for (const change of this.#voice.frame(bytes, isAlive)) this.#voiceChanged(change);
    if (this.#voice.isLikely && !this.#isInterrupting) this.#announce(true);
  }

  /** Plays mu-law audio of the agent. */
  sound(bytes: Uint8Array): void {
    if (this.#isCovered) this.#droppingMs ??= 0;
    else if (this.#playout.add(bytes)) this.#options.play(bytes);
  }

  /** Discards audio of the agent that was not heard yet. */
  clear(): void {
    this.#options.clear();
    this.#playout.clear();
  }

  mark(name: string): void {
    this.#playout.mark(name);
  }

  /** The agent has detected the speech of the party, too. */
  confirm(): void {
    if (this.#voice.confirm()) this.#voiceChanged('confirmed');
  }

  /** Words of the party were recognised. */
  trust(): void {
    this.#voice.trust();
  }

  get #isCovered(): boolean {
    return this.#options.bargeIn && this.#voice.isConfirmed && (this.#droppingMs ?? 0) < MAX_DROPPED_MS;
  }

  /** True while a voice has to be confirmed first, because the agent is heard. */
  get #isInterrupting(): boolean {
    return this.#options.bargeIn && this.#playout.isAhead;
  }

  #voiceChanged(change: VoiceChange): void {
    const { bargeIn } = this.#options;
    switch (change) {
      case 'begins':
        this.#droppingMs = undefined;
        if (bargeIn) this.#pause(true);
        return;
      case 'confirmed':
        this.#announce(true);
        if (bargeIn) this.#cut();
        this.#pause(false);
        return;
      case 'doubtful':
        this.#pause(false);
        return;
      case 'ends':
        this.#pause(false);
        this.#announce(false);
    }
  }

  #cut(): void {
    if (!this.#playout.isAhead) return;
    this.#options.clear();
    this.#options.cut(this.#playout.clear());
    this.#playout.stopSpeaking();
  }

  #pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.#playout.pause(isPaused);
    this.#options.pause(isPaused);
  }

  #announce(speaks: boolean): void {
    if (speaks === this.#isAnnounced) return;
    this.#isAnnounced = speaks;
    this.#options.turn('caller', speaks);
  }
}
