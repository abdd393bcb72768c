/**
 * Voice detection for the caller of an agent, in two stages: a voice begins (`near-voice.ts`), and is confirmed once it
 * is long enough to be a word, which excludes a cough, a click or an "uh-huh". An echo of the agent does not count as
 * voice (`echo-guard.ts`). Time is counted in frames.
 */
import { decodeTable } from '../../../toolbox/audio/g711.ts';
import { levelOf } from '../../../toolbox/voice/level.ts';
import { createNearVoice, FRAME_MS } from '../../../toolbox/voice/near-voice.ts';
import { FRAME_SAMPLES } from '../../../toolbox/voice/voice-detector.ts';
import { EchoGuard } from './echo-guard.ts';

type VoiceState = 'silent' | 'begun' | 'doubtful' | 'confirmed';

/** `begins`, then `confirmed` or `doubtful`, then `ends`. A doubtful voice may begin again. */
export type VoiceChange = 'begins' | 'confirmed' | 'doubtful' | 'ends';

/** Silence that ends a voice; pauses between words are shorter. */
const END_MS = 600;
/** Maximum duration of a voice without recognised words; a longer one is not a single person. */
const MAX_MS = 8_000;
const CONFIRMED_MS = 300;
/** A voice that is not confirmed within this time does not stop the agent. */
const DOUBTFUL_MS = 400;
/** Duration of voice after a doubt that starts it again. */
const AGAIN_MS = 64;

const LEVELS = decodeTable('PCMU');

export class CallerVoice {
  readonly #voice = createNearVoice({ endMs: END_MS, mostMs: MAX_MS });
  readonly #guard = new EchoGuard();
  readonly #nextPlayed: () => number;
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  #state: VoiceState = 'silent';
  #begunMs = 0;

  /** `nextPlayed` returns the level of the next frame that the party hears, in dBov. */
  constructor(nextPlayed: () => number) {
    this.#nextPlayed = nextPlayed;
  }

  /** True if the caller probably speaks, judged by the audio so far. */
  get isLikely(): boolean {
    return this.#state === 'confirmed' || (this.#state === 'begun' && !this.#voice.isDoubtful);
  }

  get isConfirmed(): boolean {
    return this.#state === 'confirmed';
  }

  /** Confirms the voice, because the agent detects it, too. True if that changed the state. */
  confirm(): boolean {
    if (this.#state !== 'begun' && this.#state !== 'doubtful') return false;
    this.#state = 'confirmed';
    return true;
  }

  /** Words of the caller were recognised. */
  trust(): void {
    this.#voice.trust();
  }

  /** Processes mu-law audio of the party. `isAlive`: its packets arrive. */
  frame(bytes: Uint8Array, isAlive: boolean): VoiceChange[] {
    const changes: VoiceChange[] = [];
    for (let index = 0; index < bytes.length; index++) {
      this.#frame[this.#filled++] = LEVELS[bytes[index]!]!;
      if (this.#filled < FRAME_SAMPLES) continue;
      this.#filled = 0;
      const isEcho = this.#guard.isEcho(levelOf(this.#frame), this.#nextPlayed());
      this.#voice.frame(this.#frame, { isAlive, isEcho });
      const change = this.#advance();
      if (change) changes.push(change);
    }
    return changes;
  }

  #advance(): VoiceChange | undefined {
    const { isHeard, isDoubtful, voiceMs } = this.#voice;
    if (!isHeard) return this.#state !== 'silent' ? this.#enter('silent', 'ends') : undefined;
    this.#begunMs += FRAME_MS;
    switch (this.#state) {
      case 'silent':
        return this.#start();
      case 'doubtful':
        return voiceMs >= AGAIN_MS ? this.#start() : undefined;
      case 'begun':
        // A voice that may be background noise is not decided yet; it becomes clear within a second.
        if (isDoubtful) return undefined;
        if (voiceMs >= CONFIRMED_MS) return this.#enter('confirmed', 'confirmed');
        return this.#begunMs >= DOUBTFUL_MS ? this.#doubt() : undefined;
      default:
        return undefined;
    }
  }

  #start(): VoiceChange {
    this.#begunMs = 0;
    return this.#enter('begun', 'begins');
  }

  #doubt(): VoiceChange {
    this.#voice.forgetVoice();
    this.#guard.suspect();
    return this.#enter('doubtful', 'doubtful');
  }

  #enter(state: VoiceState, change: VoiceChange): VoiceChange {
    this.#state = state;
    return change;
  }
}
