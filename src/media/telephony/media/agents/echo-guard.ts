/**
 * Detects whether the audio of a party is an echo of what was just played to it: a speakerphone returns the audio later
 * and quieter, with the same changes of level. The correlation of both levels gives the delay, which is constant on a
 * line; while both correlate, the guard learns how much quieter the echo is (the coupling). Audio that is not louder
 * than that is an echo.
 *
 * It only classifies: the audio itself is not changed. Levels are in dBov, one for each frame of 16 ms.
 */

/** 640 ms are compared, at delays of up to 640 ms: jitter buffers of both sides, and the network. */
const COMPARED = 40;
const MAX_DELAY = 40;
const LOWEST_DB = -65;
/** The echo of quieter audio is below the noise of the line. */
const AUDIBLE_DB = -35;
const ALIKE = 0.75;
/** Number of comparisons for which the levels count as alike after the last match. */
const ALIKE_LASTS = 8;
/** Coupling of usual speakerphones, assumed until it is learnt. */
const INITIAL_COUPLING_DB = -24;
const LOWEST_COUPLING_DB = -60;
const MARGIN_DB = 3;
const UNLIKE_MARGIN_DB = 0;
/** Change per frame. */
const LEARN_DB = 0.15;
const FORGET_DB = 0.003;
const LOWER_DB = 0.01;
const SUSPICION_DB = 6;
const MAX_SUSPECTED_DB = -12;
const VOTE_LASTS = 0.995;
/** Number of votes that establish a delay: an echo is then searched only around it. */
const ESTABLISHED = 12;
/** Frames around an established delay: jitter before it, reverberation after it. */
const EARLIER = 3;
const LATER = 9;

export class EchoGuard {
  readonly #heard = new Float64Array(COMPARED).fill(LOWEST_DB);
  readonly #played = new Float64Array(COMPARED + MAX_DELAY).fill(LOWEST_DB);
  /** Number of recent best matches of each delay, with decay. */
  readonly #votes = new Float64Array(MAX_DELAY + 1);
  #frames = 0;
  #alike = 0;
  #couplingDb = INITIAL_COUPLING_DB;

  /** Attenuation of the echo, as learnt so far. */
  get couplingDb(): number {
    return this.#couplingDb;
  }

  /** True if this frame of the party is an echo; `playedDb` is the level of the frame played at the same time. */
  isEcho(heardDb: number, playedDb: number): boolean {
    push(this.#heard, heardDb);
    push(this.#played, playedDb);
    const source = this.#loudestSource();
    if (source < AUDIBLE_DB) return false;
    if (this.#frames++ % 2 === 0) this.#alike = this.#isAlike() ? ALIKE_LASTS : Math.max(0, this.#alike - 2);
    const ratio = Math.max(LOWEST_DB, heardDb) - source;
    this.#learn(ratio);
    return ratio <= this.#couplingDb + this.#marginDb;
  }

  /** Audio that does not correlate on a line with a known echo probably contains speech. */
  get #marginDb(): number {
    return this.#isEstablished && this.#alike === 0 ? UNLIKE_MARGIN_DB : MARGIN_DB;
  }

  get #isEstablished(): boolean {
    return this.#votes[this.#usualDelay()]! >= ESTABLISHED;
  }

  /** A voice ended when the agent paused: before the delay is known, that indicates a loud echo. */
  suspect(): void {
    if (this.#isEstablished || this.#loudestSource() < AUDIBLE_DB) return;
    this.#couplingDb = Math.max(this.#couplingDb, Math.min(this.#couplingDb + SUSPICION_DB, MAX_SUSPECTED_DB));
  }

  #learn(ratio: number): void {
    if (this.#alike === 0) this.#couplingDb = Math.max(LOWEST_COUPLING_DB, this.#couplingDb - FORGET_DB);
    else if (ratio <= this.#couplingDb) this.#couplingDb -= LOWER_DB;
    else this.#couplingDb += Math.min(LEARN_DB, 0.3 * Math.max(0, Math.min(0, ratio) - this.#couplingDb));
  }

  /** Maximum level that was played at the time from which this frame could be an echo. */
  #loudestSource(): number {
    const delay = this.#usualDelay();
    const [least, most] = this.#isEstablished ? [delay - EARLIER, delay + LATER] : [0, MAX_DELAY];
    let loudest = LOWEST_DB;
    for (let late = Math.max(0, least); late <= Math.min(MAX_DELAY, most); late++)
      loudest = Math.max(loudest, this.#played[this.#played.length - 1 - late]!);
    return loudest;
  }

  #usualDelay(): number {
    let usual = 0;
    for (let delay = 1; delay <= MAX_DELAY; delay++) if (this.#votes[delay]! > this.#votes[usual]!) usual = delay;
    return usual;
  }

  #isAlike(): boolean {
    const { delay, likeness } = this.#bestDelay();
    if (likeness < ALIKE) return false;
    for (let index = 0; index <= MAX_DELAY; index++) this.#votes[index]! *= VOTE_LASTS;
    this.#votes[delay]! += likeness;
    return Math.abs(this.#usualDelay() - delay) <= 1;
  }

  /** Determines the delay with the highest correlation of the levels. */
  #bestDelay(): { delay: number; likeness: number } {
    const best = { delay: 0, likeness: 0 };
    for (let delay = 0; delay <= MAX_DELAY; delay++) {
      const likeness = correlation(this.#heard, this.#played, MAX_DELAY - delay);
      if (likeness > best.likeness) Object.assign(best, { delay, likeness });
    }
    return best;
  }
}

function push(levels: Float64Array, level: number): void {
  levels.copyWithin(0, 1);
  levels[levels.length - 1] = Math.max(LOWEST_DB, level);
}

/** Correlation of `levels` with as many of `others` from `start`; 0 if one of them hardly changes. */
function correlation(levels: Float64Array, others: Float64Array, start: number): number {
  const count = levels.length;
  let [sumX, sumY, sumXx, sumYy, sumXy] = [0, 0, 0, 0, 0];
  for (let index = 0; index < count; index++) {
    const x = levels[index]!;
    const y = others[start + index]!;
    sumX += x;
    sumY += y;
    sumXx += x * x;
    sumYy += y * y;
    sumXy += x * y;
  }
  const spread = Math.sqrt((sumXx - sumX ** 2 / count) * (sumYy - sumY ** 2 / count));
  return spread <= 1 ? 0 : (sumXy - (sumX * sumY) / count) / spread;
}
