/**
 * Detects the caller's own voice: a voice (`voice-detector.ts`) that is louder than the line and than the voices in its
 * background. People at the next desk, a television and an echo are voices, too; what tells the caller from them is the
 * level. Once somebody is heard, a stretch of voice lasts until the caller pauses.
 *
 * The level of the background is learnt while nobody near speaks, that of its voices from what stays below the gate. A
 * stretch that does not end by itself is background after a while: it is given up, and what it sounded like is learnt, if
 * it was steady. Speech is not steady: it falls to the level of the line several times a second.
 */
import { decibelsOf, SILENCE_DB } from './level.ts';
import { createVoiceDetector, FRAME_SAMPLES } from './voice-detector.ts';

export interface NearVoiceOptions {
  /** The quiet time that ends a stretch, in ms. */
  endMs: number;
  /** A longer stretch is given up, in ms. Infinite: never. */
  mostMs: number;
  /**
   * True where a short word must not be missed, rather than a noise not taken for one: for a recogniser, which knows
   * words from noise.
   */
  isKeen?: boolean;
}

export type NearVoice = ReturnType<typeof createNearVoice>;

export const FRAME_MS = FRAME_SAMPLES / 8;
/** Voice in a row, before somebody is heard. */
const LEAST_FRAMES = 4;
/** Above the background, to begin and to go on. */
const BEGIN_DB = 5;
const HOLD_DB = 4;
const KEEN_LEAST_FRAMES = 3;
const KEEN_BEGIN_DB = 4;
/** Above the voices in the background. */
const VOICES_DB = 3;
/** A voice that is there when the line comes alive belongs to the background, if it does not stop for `FIRST_MOST_MS`. */
const FIRST_WITHIN_MS = 1_000;
const FIRST_MOST_MS = 1_200;
const LOWEST_DB = -60;
const NO_VOICES_DB = -90;
const SETTLING_FRAMES = 8;
/** Shares of the distance by which the background follows the level, in a frame. */
const FALL = 0.05;
const RISE = 0.016;
/** A voice that begins is not background. */
const RISE_UNDER_VOICE = 0.002;
/** The voices of the background are forgotten by 2 dB in a second. */
const FORGET_DB = 0.03;
/** Words that are recognised so long after a stretch was given up may be of it. */
const WORDS_LATE_MS = 10_000;
const DIP_FRAMES = 31;
/** How far speech falls below its mean within half a second, at least. */
const STEADY_DB = 14;
/** Coefficient of a high pass at 150 Hz: rumble is not a voice. */
const HIGH_PASS = 0.89;

export function createNearVoice({ endMs, mostMs, isKeen = false }: NearVoiceOptions) {
  const beginDb = isKeen ? KEEN_BEGIN_DB : BEGIN_DB;
  const leastFrames = isKeen ? KEEN_LEAST_FRAMES : LEAST_FRAMES;
  const detector = createVoiceDetector();
  let background = LOWEST_DB;
  let voices = NO_VOICES_DB;
  let level = SILENCE_DB;
  let frames = 0;
  let aliveMs = 0;
  let nearFrames = 0;
  let previous = 0;
  let passed = 0;
  let stretch: Stretch | undefined;
  /** State before the last stretch that was given up. */
  let before: { background: number; voices: number; frames: number } | undefined;

  const levelOf = (pcm: Int16Array): number => {
    let energy = 0;
    for (let index = 0; index < pcm.length; index++) {
      const sample = pcm[index]!;
      passed = HIGH_PASS * (passed + sample - previous);
      previous = sample;
      energy += passed * passed;
    }
    return decibelsOf(energy, pcm.length);
  };

  const learnBackground = (isNear: boolean): void => {
    const rate = level <= background ? FALL : isNear ? RISE_UNDER_VOICE : RISE;
    background = Math.max(LOWEST_DB, background + rate * (level - background));
    voices -= FORGET_DB;
  };

  const giveUp = (given: Stretch): void => {
    given.isGivenUp = true;
    if (!given.isSteady) return;
    before = { background, voices, frames };
    background = Math.max(background, given.meanDb);
    voices = Math.max(voices, given.meanDb + 2);
    stretch = undefined;
  };

  const follow = (current: Stretch, isVoice: boolean): void => {
    current.take(level, isVoice && level >= background + HOLD_DB);
    background += current.backgroundDrift(background);
    const limitMs = current.isFirst && Number.isFinite(mostMs) ? FIRST_MOST_MS : mostMs;
    if (current.quietMs >= endMs) stretch = undefined;
    else if (current.heardMs >= limitMs && !current.isGivenUp && !current.isTrusted) giveUp(current);
  };

  return {
    /** Whether the caller speaks. */
    get isHeard(): boolean {
      return stretch !== undefined && !stretch.isGivenUp;
    },
    /** Voice in the stretch, in ms; 0 while nobody is heard. */
    get voiceMs(): number {
      return stretch?.voiceMs ?? 0;
    },
    /** Time since the caller was last active, in ms. */
    get quietMs(): number {
      return stretch?.quietMs ?? 0;
    },
    /** True while the stretch may still be what the line sounded like from the beginning. */
    get isDoubtful(): boolean {
      return stretch?.isDoubtful ?? false;
    },
    /** Words were recognised: this is the caller, however long it lasts. */
    trust(): void {
      if (stretch) {
        stretch.isTrusted = true;
        stretch.isGivenUp = false;
      }
      if (before && (frames - before.frames) * FRAME_MS <= WORDS_LATE_MS) {
        background = Math.min(background, before.background);
        voices = Math.min(voices, before.voices);
      }
      before = undefined;
    },
    /** Counts the voice of the stretch anew. */
    forgetVoice(): void {
      if (stretch) stretch.voiceMs = 0;
    },
    /** No words were recognised in what was heard: it is background. */
    distrust(): void {
      background = Math.max(background, level - 6);
      voices = Math.max(voices, level + 2);
      stretch = undefined;
      nearFrames = 0;
    },
    /** The next `FRAME_SAMPLES`. `isAlive`: packets come; `isEcho`: this is what the caller's phone gives back. */
    frame(pcm: Int16Array, { isAlive = true, isEcho = false } = {}): void {
      const { voiced, active } = detector.frame(pcm);
      const now = levelOf(pcm);
      level = frames === 0 ? now : 0.6 * level + 0.4 * now;
      if (isAlive) aliveMs += FRAME_MS;
      if (frames++ < SETTLING_FRAMES) background = Math.max(LOWEST_DB, level);
      const isNear = voiced && !isEcho && level >= Math.max(background + beginDb, voices + VOICES_DB);
      nearFrames = isNear ? nearFrames + 1 : Math.max(0, nearFrames - 1);
      if (stretch) {
        // Somebody speaks over what was there from the beginning.
        if (stretch.isDoubtful && voiced && stretch.isTalkedOver(level)) stretch.isTrusted = true;
        follow(stretch, active && !isEcho);
        if (!stretch) nearFrames = 0;
      } else if (nearFrames >= leastFrames) stretch = new Stretch(level, aliveMs < FIRST_WITHIN_MS);
      else if (!isEcho) {
        learnBackground(isNear);
        if (voiced && !isNear) voices = Math.max(voices, level);
      }
    },
  };
}

/** Voice from its beginning until the caller pauses. */
class Stretch {
  /** It began when the line came alive. */
  readonly isFirst: boolean;
  isTrusted = false;
  /** Lasted too long: nobody is heard until it pauses. */
  isGivenUp = false;
  heardMs = 0;
  quietMs = 0;
  voiceMs = LEAST_FRAMES * FRAME_MS;
  #sumDb: number;
  #frames = 1;
  /** The quietest of the current half second. */
  #leastDb: number;
  #window = 0;
  #dipDb = 0;
  #drift: number | undefined;
  /** Its mean, once it was taken for the background of the line. */
  #backgroundDb: number | undefined;
  #isDecided = false;
  #louder = 0;

  constructor(level: number, isFirst: boolean) {
    this.isFirst = isFirst;
    this.#sumDb = level;
    this.#leastDb = level;
  }

  get meanDb(): number {
    return this.#sumDb / this.#frames;
  }

  /** It may be what the line sounded like from the beginning. After a while that is decided. */
  get isDoubtful(): boolean {
    return this.isFirst && !this.isTrusted && (this.#isDecided ? this.#backgroundDb !== undefined : this.isSteady);
  }

  /** Call for voice only: true once enough of it in a row is louder than the background that this was taken for. */
  isTalkedOver(level: number): boolean {
    const isLouder = this.#backgroundDb !== undefined && level >= this.#backgroundDb + BEGIN_DB;
    this.#louder = isLouder ? this.#louder + 1 : 0;
    return this.#louder >= LEAST_FRAMES;
  }

  /** Whether it never fell far below its mean. */
  get isSteady(): boolean {
    return Math.max(this.#dipDb, this.meanDb - this.#leastDb) < STEADY_DB;
  }

  take(level: number, isActive: boolean): void {
    this.heardMs += FRAME_MS;
    this.quietMs = isActive ? 0 : this.quietMs + FRAME_MS;
    if (isActive) this.voiceMs += FRAME_MS;
    this.#sumDb += level;
    this.#frames++;
    this.#leastDb = Math.min(this.#leastDb, level);
    if (!this.#isDecided && this.heardMs >= FIRST_MOST_MS) {
      this.#isDecided = true;
      if (this.isSteady) this.#backgroundDb = this.meanDb;
    }
    this.#drift = undefined;
    if (++this.#window < DIP_FRAMES) return;
    this.#drift = this.#leastDb;
    this.#dipDb = Math.max(this.#dipDb, this.meanDb - this.#leastDb);
    this.#leastDb = level;
    this.#window = 0;
  }

  /** Between words there are moments of the background: once in half a second it follows them. */
  backgroundDrift(background: number): number {
    if (this.#drift === undefined) return 0;
    return 0.1 * Math.max(-6, Math.min(6, this.#drift - background));
  }
}
