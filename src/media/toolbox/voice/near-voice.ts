/**
 * Detects the caller's own voice: a voice (`voice-detector.ts`) that is louder than the line and than the voices in its
 * background. Colleagues at the next desk, a television and an echo are voices as well; the level distinguishes the
 * caller from them. After detection, a stretch of voice lasts until the caller pauses.
 * The level of the background is learnt while the near voice is silent, the level of its voices from voices below the
 * threshold. A stretch that does not end is treated as background after a while: it is given up, and its level is
 * learnt if it was steady. Speech is not steady: it falls to the level of the line several times a second.
 */
import { decibelsOf, SILENCE_DB } from './level.ts';
import { createVoiceDetector, FRAME_SAMPLES } from './voice-detector.ts';

export interface NearVoiceOptions {
  /** Quiet time that ends a stretch, in ms. */
  endMs: number;
  /** Longest stretch before it is given up, in ms. Infinite: never. */
  mostMs: number;
  /**
   * True if missing a short word is worse than taking noise for a word: for a recogniser, which distinguishes words
   * from noise.
   */
  isKeen?: boolean;
}

export type NearVoice = ReturnType<typeof createNearVoice>;

export const FRAME_MS = FRAME_SAMPLES / 8;
/** Consecutive frames of voice before detection. */
const LEAST_FRAMES = 4;
/** Threshold above the background, to begin and to continue a stretch. */
const BEGIN_DB = 5;
const HOLD_DB = 4;
const KEEN_LEAST_FRAMES = 3;
const KEEN_BEGIN_DB = 4;
/** Threshold above the voices in the background. */
const VOICES_DB = 3;
/**
 * A voice that is present when the line becomes active belongs to the background if it does not stop within
 * `FIRST_MOST_MS`.
 */
const FIRST_WITHIN_MS = 1_000;
const FIRST_MOST_MS = 1_200;
const LOWEST_DB = -60;
const NO_VOICES_DB = -90;
const SETTLING_FRAMES = 8;
/** Smoothing factors per frame with which the background follows the level. */
const FALL = 0.05;
const RISE = 0.016;
/** Slower, because the start of a voice is not background. */
const RISE_UNDER_VOICE = 0.002;
/** The learnt level of background voices falls by 2 dB per second. */
const FORGET_DB = 0.03;
/** Words recognised within this time after a stretch was given up may belong to it. */
const WORDS_LATE_MS = 10_000;
const DIP_FRAMES = 31;
/** Minimum fall of speech below its mean within half a second. */
const STEADY_DB = 14;
/** Coefficient of a high-pass filter at 150 Hz, which removes rumble. */
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
    current.add(level, isVoice && level >= background + HOLD_DB);
    background += current.backgroundDrift(background);
    const limitMs = current.isFirst && Number.isFinite(mostMs) ? FIRST_MOST_MS : mostMs;
    if (current.quietMs >= endMs) stretch = undefined;
    else if (current.heardMs >= limitMs && !current.isGivenUp && !current.isTrusted) giveUp(current);
  };

  return {
    /** True while the caller speaks. */
    get isHeard(): boolean {
      return stretch !== undefined && !stretch.isGivenUp;
    },
    /** Voice in the stretch, in ms; 0 without a stretch. */
    get voiceMs(): number {
      return stretch?.voiceMs ?? 0;
    },
    /** Time since the last activity of the caller, in ms. */
    get quietMs(): number {
      return stretch?.quietMs ?? 0;
    },
    /** True while the stretch may still be background that was present from the start. */
    get isDoubtful(): boolean {
      return stretch?.isDoubtful ?? false;
    },
    /** Confirms the stretch as the caller's voice, whatever its length, because words were recognised. */
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
    /** Restarts the count of voice in the stretch. */
    forgetVoice(): void {
      if (stretch) stretch.voiceMs = 0;
    },
    /** Marks the stretch as background, because no words were recognised in it. */
    distrust(): void {
      background = Math.max(background, level - 6);
      voices = Math.max(voices, level + 2);
      stretch = undefined;
      nearFrames = 0;
    },
    /**
     * Processes the next `FRAME_SAMPLES`. `isAlive`: packets arrive. `isEcho`: the audio is an echo from the caller's
     * phone.
     */
    frame(pcm: Int16Array, { isAlive = true, isEcho = false } = {}): void {
      const { voiced, active } = detector.frame(pcm);
      const now = levelOf(pcm);
      level = frames === 0 ? now : 0.6 * level + 0.4 * now;
      if (isAlive) aliveMs += FRAME_MS;
      if (frames++ < SETTLING_FRAMES) background = Math.max(LOWEST_DB, level);
      const isNear = voiced && !isEcho && level >= Math.max(background + beginDb, voices + VOICES_DB);
      nearFrames = isNear ? nearFrames + 1 : Math.max(0, nearFrames - 1);
      if (stretch) {
        // A voice is louder than the background that was present from the start.
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

/** Stretch of voice, from its beginning until the caller pauses. */
class Stretch {
  /** True if it began when the line became active. */
  readonly isFirst: boolean;
  isTrusted = false;
  /** True if it lasted too long: no voice is reported until it pauses. */
  isGivenUp = false;
  heardMs = 0;
  quietMs = 0;
  voiceMs = LEAST_FRAMES * FRAME_MS;
  #sumDb: number;
  #frames = 1;
  /** Lowest level of the current half second. */
  #leastDb: number;
  #window = 0;
  #dipDb = 0;
  #drift: number | undefined;
  /** Mean level of the stretch, once it was classified as background of the line. */
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

  /** True while it may be background that was present from the start. Decided after `FIRST_MOST_MS`. */
  get isDoubtful(): boolean {
    return this.isFirst && !this.isTrusted && (this.#isDecided ? this.#backgroundDb !== undefined : this.isSteady);
  }

  /**
   * To be called for voice frames only. True after enough consecutive frames that are louder than the background as
   * which this stretch was classified.
   */
  isTalkedOver(level: number): boolean {
    const isLouder = this.#backgroundDb !== undefined && level >= this.#backgroundDb + BEGIN_DB;
    this.#louder = isLouder ? this.#louder + 1 : 0;
    return this.#louder >= LEAST_FRAMES;
  }

  /** True if the level never fell far below the mean. */
  get isSteady(): boolean {
    return Math.max(this.#dipDb, this.meanDb - this.#leastDb) < STEADY_DB;
  }

  add(level: number, isActive: boolean): void {
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

  /** The quietest moment of each half second, between words, is background: the learnt background follows it. */
  backgroundDrift(background: number): number {
    if (this.#drift === undefined) return 0;
    return 0.1 * Math.max(-6, Math.min(6, this.#drift - background));
  }
}
