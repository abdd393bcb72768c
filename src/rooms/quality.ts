/**
 * How good the links of somebody were, from samples that the engine takes every 5 s. What is good and what is bad is
 * written down in `docs/rooms.md`: an audio stream below 12 kbit/s or with more than 5 % of its packets lost is bad, one
 * below 24 kbit/s or with more than 2 % lost is moderate; video and screens likewise, below 150 and 500 kbit/s.
 * Some seconds in which a browser made up more than 5 % of the sound, or a picture stood still for longer than that share,
 * are bad, too.
 */
import type { ClientMessages } from '../../client/messages.d.ts';
import type { JsonObject } from '../core/json.ts';
import type { QualitySample, Source } from './sfu.ts';

type Grade = 'Good' | 'Moderate' | 'Bad';

/** kbit/s below which a stream is moderate, and bad. */
const LEAST_KBPS = { audio: [24, 12], video: [500, 150], screen: [500, 150] } as const;
/** Share of lost packets above which it is. */
const MOST_LOST = [0.02, 0.05] as const;

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

/** What only a browser knows, of some seconds. */
export type Experience = Omit<ClientMessages['client_stats'], 'type'>;

interface Stream {
  bitrate: Series;
  grades: Record<Grade, number>;
}

export class Quality {
  readonly #streams = new Map<string, Stream>();
  readonly #roundTrip = new Series();
  readonly #experience = { seconds: 0, frames: 0, freezes: 0, freezeMs: 0, concealedSeconds: 0, bad: 0, count: 0 };

  add({ direction, source, bitsPerSecond, lost, roundTripMs }: QualitySample): void {
    const key = `${direction} ${source}`;
    const stream = this.#streams.get(key) ?? { bitrate: new Series(), grades: { Good: 0, Moderate: 0, Bad: 0 } };
    this.#streams.set(key, stream);
    stream.bitrate.add(bitsPerSecond);
    stream.grades[gradeOf(source, bitsPerSecond, lost)]++;
    if (roundTripMs !== undefined) this.#roundTrip.add(roundTripMs);
  }

  /** What the client says of itself: its own report is all that it can spoil. */
  addExperience({ seconds, round_trip_ms: roundTripMs, ...more }: Experience): void {
    const { frames_decoded: frames = 0, freezes = 0, freeze_ms: freezeMs = 0, concealed = 0 } = more;
    const all = this.#experience;
    all.count++;
    all.seconds += seconds;
    all.frames += frames;
    all.freezes += freezes;
    all.freezeMs += freezeMs;
    all.concealedSeconds += concealed * seconds;
    if (freezeMs > MOST_LOST[1] * seconds * 1000 || concealed > MOST_LOST[1]) all.bad++;
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
    const { count, bad, seconds, frames, freezes, freezeMs, concealedSeconds } = this.#experience;
    const isBad = bad > count / 2 || [...this.#streams.values()].some(({ grades }) => isMostlyBad(grades));
    const experience = {
      frames_decoded: frames,
      freezes,
      freeze_seconds: Math.round(freezeMs / 100) / 10,
      concealed_percent: Math.round((1000 * concealedSeconds) / Math.max(1, seconds)) / 10,
    };
    const report = { send: bodies('send'), receive, call_quality: isBad ? 'Bad' : 'Good' };
    return count === 0 ? report : { ...report, experience };
  }

  #body(direction: QualitySample['direction'], source: Source): JsonObject {
    const { bitrate, grades } = this.#streams.get(`${direction} ${source}`) ?? {
      bitrate: new Series(),
      grades: { Good: 0, Moderate: 0, Bad: 0 },
    };
    const body = {
      avg_bitrate: bitrate.average,
      avg_bitrate_quality: isMostlyBad(grades) ? 'Bad' : 'Good',
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

function gradeOf(source: Source, bitsPerSecond: number, lost: number): Grade {
  const [moderate, bad] = LEAST_KBPS[source];
  if (bitsPerSecond < bad * 1000 || lost > MOST_LOST[1]) return 'Bad';
  return bitsPerSecond < moderate * 1000 || lost > MOST_LOST[0] ? 'Moderate' : 'Good';
}

const isMostlyBad = ({ Good, Moderate, Bad }: Record<Grade, number>): boolean => Bad > (Good + Moderate + Bad) / 2;
