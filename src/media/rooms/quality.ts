/**
 * Grades the links of a participant, from samples that the engine takes every 5 s, and from the reports of the browser.
 * `docs/rooms.md` lists the thresholds: a sample is graded by its loss, a video sample also by its bit rate relative to
 * that of the layer that the subscriber requests. A low bit rate alone means a small tile or a still picture.
 */
import type { JsonObject } from '../../base/core/json.ts';
import type { ClientMessages } from '../../base/core/room-messages.ts';
import type { QualitySample, TrackSource } from './sfu.ts';

type Grade = 'Good' | 'Moderate' | 'Bad';
/** `Unknown` if there are no samples. */
type Verdict = 'Good' | 'Bad' | 'Unknown';

/** Share of lost packets above which a sample is moderate, and bad. */
const MAX_LOST = [0.02, 0.05] as const;
/** Share of the bit rate of the requested layer below which a video sample is moderate, and bad. */
const LEAST_RECEIVED = [0.7, 0.25] as const;
/** Maximum share of a browser report in which video may be frozen, or audio concealed. */
const MAX_MISSED = 0.05;

class Series {
  #count = 0;
  #sum = 0;
  #least = Number.POSITIVE_INFINITY;
  #most = 0;

  add(value: number): void {
    this.#count++;
    this.#sum += value;
    this.#least = Math.min(this.#least, value);
    this.#most = Math.max(this.#most, value);
  }

  get average(): number {
    return this.#count === 0 ? 0 : Math.round(this.#sum / this.#count);
  }

  get least(): number {
    return this.#count === 0 ? 0 : Math.round(this.#least);
  }

  get most(): number {
    return Math.round(this.#most);
  }
}

/** Measurements that only the browser has, over a few seconds. */
export type Experience = Omit<ClientMessages['client_stats'], 'type'>;

interface Stream {
  bitrate: Series;
  grades: Record<Grade, number>;
}

export class ParticipantQuality {
  readonly #streams = new Map<string, Stream>();
  readonly #roundTrip = new Series();
  readonly #experience = { seconds: 0, frames: 0, freezes: 0, freezeMs: 0, concealedSeconds: 0, bad: 0, count: 0 };

  add(sample: QualitySample): void {
    const { direction, source, bitsPerSecond, roundTripMs } = sample;
    const key = `${direction} ${source}`;
    const stream = this.#streams.get(key) ?? { bitrate: new Series(), grades: { Good: 0, Moderate: 0, Bad: 0 } };
    this.#streams.set(key, stream);
    stream.bitrate.add(bitsPerSecond);
    stream.grades[gradeOf(sample)]++;
    if (roundTripMs !== undefined) this.#roundTrip.add(roundTripMs);
  }

  /** Adds a report of the client. A false report changes only the record of that participant. */
  addExperience({ seconds, round_trip_ms: roundTripMs, ...more }: Experience): void {
    const { frames_decoded: frames = 0, freezes = 0, freeze_ms: freezeMs = 0, concealed = 0 } = more;
    const all = this.#experience;
    all.count++;
    all.seconds += seconds;
    all.frames += frames;
    all.freezes += freezes;
    all.freezeMs += freezeMs;
    all.concealedSeconds += concealed * seconds;
    if (freezeMs > MAX_MISSED * seconds * 1000 || concealed > MAX_MISSED) all.bad++;
    if (roundTripMs !== undefined) this.#roundTrip.add(roundTripMs);
  }

  /** `stats_quality` of a call detail record; bit rates in bit/s, times in milliseconds. */
  get report(): JsonObject {
    const bodies = (direction: QualitySample['direction']): JsonObject => ({
      video: this.#body(direction, 'video'),
      sharing: this.#body(direction, 'screen'),
      audio: this.#body(direction, 'audio'),
    });
    const { average: avg, least: min, most: max } = this.#roundTrip;
    const receive = { ...bodies('receive'), rtt: { avg, min, max } };
    const { count, seconds, frames, freezes, freezeMs, concealedSeconds } = this.#experience;
    const experience = {
      frames_decoded: frames,
      freezes,
      freeze_seconds: Math.round(freezeMs / 100) / 10,
      concealed_percent: Math.round((1000 * concealedSeconds) / Math.max(1, seconds)) / 10,
    };
    const report = { send: bodies('send'), receive, call_quality: this.#verdict };
    return count === 0 ? report : { ...report, experience };
  }

  get #verdict(): Verdict {
    const { count, bad } = this.#experience;
    const verdicts = [...this.#streams.values()].map(({ grades }) => verdictOf(grades));
    if (bad > count / 2 || verdicts.includes('Bad')) return 'Bad';
    return count === 0 && verdicts.length === 0 ? 'Unknown' : 'Good';
  }

  #body(direction: QualitySample['direction'], source: TrackSource): JsonObject {
    const { bitrate, grades } = this.#streams.get(`${direction} ${source}`) ?? {
      bitrate: new Series(),
      grades: { Good: 0, Moderate: 0, Bad: 0 },
    };
    const body = {
      avg_bitrate: bitrate.average,
      avg_bitrate_quality: verdictOf(grades),
      max_bitrate: bitrate.most,
      min_bitrate: bitrate.least,
    };
    if (direction === 'send') return body;
    const all = grades.Good + grades.Moderate + grades.Bad;
    const percent = (grade: Grade): number => (all === 0 ? 0 : Math.round((grades[grade] / all) * 100));
    return {
      ...body,
      bitrate_good_percent: percent('Good'),
      bitrate_moderate_percent: percent('Moderate'),
      bitrate_bad_percent: percent('Bad'),
    };
  }
}

function gradeOf({ bitsPerSecond, expectedBitsPerSecond = 0, lost }: QualitySample): Grade {
  const received = expectedBitsPerSecond === 0 ? 1 : bitsPerSecond / expectedBitsPerSecond;
  if (lost > MAX_LOST[1] || received < LEAST_RECEIVED[1]) return 'Bad';
  return lost > MAX_LOST[0] || received < LEAST_RECEIVED[0] ? 'Moderate' : 'Good';
}

function verdictOf({ Good, Moderate, Bad }: Record<Grade, number>): Verdict {
  const all = Good + Moderate + Bad;
  return all === 0 ? 'Unknown' : Bad > all / 2 ? 'Bad' : 'Good';
}
