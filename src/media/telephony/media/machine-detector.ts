/**
 * Answering machine detection: a human says a word or two and waits, a machine continues to talk, then beeps; a fax
 * sends a tone. Judged by energy and cadence in frames of 20 ms; time is counted in audio, including silence.
 *
 * Invariants
 *  - A1 exactly one result is reported, at the latest at the timeout;
 *  - a tone is never classified as speech.
 */

import { goertzelCoefficient, goertzelPower } from '../../toolbox/audio/goertzel.ts';
import { FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE_HZ } from '../audio.ts';

export type AnsweredBy = 'human' | 'machine' | 'beep' | 'fax' | 'unknown';

export interface MachineDetectorOptions {
  /** Maximum time to distinguish a human from a machine. */
  timeoutMs: number;
  /** Maximum wait for the beep of a machine; 0: no wait. */
  awaitBeepMs: number;
}

/** About −42 dBov: quiet speech is louder. */
const QUIETEST_SPEECH = 260;
/** Speech is louder than the noise of the line by this factor. */
const ABOVE_NOISE = 3;
/** The noise estimate follows a quieter line at once, a louder one slowly. */
const NOISE_RISE = 1.01;
/** A shorter sound is a click. */
const SHORTEST_WORD_MS = 80;
/** A human stops after a greeting and waits for an answer. */
const HUMAN_PAUSE_MS = 800;
/** Longer than a human's greeting. */
const MAX_HUMAN_GREETING_MS = 1900;
const MAX_HUMAN_WORDS = 5;
/** Share of a frame's energy that has to be in one frequency for a tone. */
const PURITY = 0.85;
const STEADY_HZ = 25;
/** Beeps of answering machines. */
const BEEP_HZ = { from: 350, to: 2300 };
const SHORTEST_BEEP_MS = 120;
const MAX_BEEP_MS = 4000;
/** ITU-T T.30 §4: the calling tone 1100 Hz ± 38 for half a second, the answering tone 2100 Hz ± 15 for 2.6 to 4. */
const FAX_TONES = [
  { hz: 1100, widthHz: 45, leastMs: 400 },
  { hz: 2100, widthHz: 25, leastMs: 900 },
];

export class MachineDetector {
  readonly #options: MachineDetectorOptions;
  readonly #report: (result: AnsweredBy, afterMs: number) => void;
  readonly #frame = new Float64Array(FRAME_SAMPLES);
  #filled = 0;
  #nowMs = 0;
  #noise = 100;
  /** Duration of the current word so far. */
  #wordMs = 0;
  #words = 0;
  #greetingMs = 0;
  #pauseMs = 0;
  #tone: { hz: number; forMs: number } | undefined;
  #machineAtMs: number | undefined;
  #done = false;

  constructor(options: MachineDetectorOptions, report: (result: AnsweredBy, afterMs: number) => void) {
    this.#options = options;
    this.#report = report;
  }

  /** Processes 8 kHz samples, in chunks of any length. */
  frame(pcm: Int16Array): void {
    for (let index = 0; index < pcm.length && !this.#done; index++) {
      this.#frame[this.#filled++] = pcm[index]!;
      if (this.#filled < FRAME_SAMPLES) continue;
      this.#filled = 0;
      this.#take();
    }
  }

  #take(): void {
    this.#nowMs += FRAME_MS;
    const level = levelOf(this.#frame);
    const loud = level > Math.max(QUIETEST_SPEECH, ABOVE_NOISE * this.#noise);
    const hz = loud ? toneIn(this.#frame) : undefined;
    if (!loud) this.#noise = Math.min(level, this.#noise * NOISE_RISE + 0.1);
    this.#onTone(hz);
    if (this.#done) return;
    if (this.#machineAtMs === undefined) this.#judge(loud && hz === undefined);
    else if (this.#nowMs - this.#machineAtMs >= this.#options.awaitBeepMs) this.#end('machine');
  }

  #onTone(hz: number | undefined): void {
    const tone = this.#tone;
    if (tone && hz !== undefined && Math.abs(hz - tone.hz) <= STEADY_HZ) {
      tone.forMs += FRAME_MS;
      const { forMs } = tone;
      if (FAX_TONES.some((fax) => Math.abs(tone.hz - fax.hz) <= fax.widthHz && forMs >= fax.leastMs)) this.#end('fax');
      return;
    }
    this.#tone = hz === undefined ? undefined : { hz, forMs: FRAME_MS };
    // Only machines beep, some before the first word.
    if (tone && hz === undefined && isBeep(tone)) this.#end(this.#options.awaitBeepMs > 0 ? 'beep' : 'machine');
  }

  #judge(speech: boolean): void {
    if (speech) {
      this.#wordMs += FRAME_MS;
      if (this.#wordMs === SHORTEST_WORD_MS) {
        this.#words++;
        // The pause before a word belongs to the greeting; the pause before the first word does not.
        this.#greetingMs += this.#words === 1 ? SHORTEST_WORD_MS : this.#pauseMs + SHORTEST_WORD_MS;
        this.#pauseMs = 0;
      } else if (this.#wordMs > SHORTEST_WORD_MS) this.#greetingMs += FRAME_MS;
      else this.#pauseMs += FRAME_MS;
      if (this.#greetingMs > MAX_HUMAN_GREETING_MS || this.#words > MAX_HUMAN_WORDS) this.#machine();
    } else {
      this.#wordMs = 0;
      this.#pauseMs += FRAME_MS;
      if (this.#words > 0 && this.#pauseMs >= HUMAN_PAUSE_MS && !this.#tone) this.#end('human');
    }
    if (this.#nowMs < this.#options.timeoutMs || this.#machineAtMs !== undefined) return;
    // A party that still talks, without the pause of a human, is a machine.
    if (this.#words === 0) this.#end('unknown');
    else this.#machine();
  }

  #machine(): void {
    if (this.#options.awaitBeepMs === 0) this.#end('machine');
    else this.#machineAtMs = this.#nowMs;
  }

  #end(result: AnsweredBy): void {
    if (this.#done) return;
    this.#done = true;
    this.#report(result, this.#nowMs);
  }
}

const isBeep = ({ hz, forMs }: { hz: number; forMs: number }): boolean =>
  hz >= BEEP_HZ.from && hz <= BEEP_HZ.to && forMs >= SHORTEST_BEEP_MS && forMs <= MAX_BEEP_MS;

function levelOf(frame: Float64Array): number {
  let energy = 0;
  for (let index = 0; index < FRAME_SAMPLES; index++) energy += frame[index]! * frame[index]!;
  return Math.sqrt(energy / FRAME_SAMPLES);
}

/**
 * Returns the frequency of a frame that is one steady tone. A sine obeys x[n] + x[n−2] = 2 cos ω · x[n−1]: least
 * squares give ω, and the Goertzel filter the share of the energy at it.
 */
function toneIn(frame: Float64Array): number | undefined {
  let cross = 0;
  let square = 0;
  let energy = frame[0]! * frame[0]! + frame[FRAME_SAMPLES - 1]! * frame[FRAME_SAMPLES - 1]!;
  for (let index = 1; index < FRAME_SAMPLES - 1; index++) {
    const here = frame[index]!;
    cross += here * (frame[index - 1]! + frame[index + 1]!);
    square += here * here;
  }
  energy += square;
  if (square === 0 || Math.abs(cross) >= 2 * square) return undefined;
  const hz = (Math.acos(cross / square / 2) * SAMPLE_RATE_HZ) / (2 * Math.PI);
  return goertzelPower(frame, goertzelCoefficient(hz)) >= (PURITY * energy * FRAME_SAMPLES) / 2 ? hz : undefined;
}
