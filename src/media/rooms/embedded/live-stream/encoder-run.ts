/** One run of the encoder: a fixed layout, and the sources in its tiles. */
import type { Clock } from '../../../../base/core/clock.ts';
import type { Quality } from '../outgoing-stream.ts';
import type { PublishedSource } from '../published-source.ts';
import { MediaClock } from '../recording/media-clock.ts';
import { clusterOf, HEAD, infoOf, tracksOf } from '../recording/webm-elements.ts';
import type { Encoder } from './encoder.ts';
import { BEHIND_MS, Lane } from './lane.ts';
import type { Stage } from './stage.ts';

/** Maximum number of audio sources. */
export const SOUNDS = 8;

/** Quality at which the videos of a grid with this many tiles are shown. */
const qualityOf = (places: number): Quality => (places === 1 ? 'HD' : places <= 4 ? 'SD' : 'LD');

export class EncoderRun {
  readonly stage: Stage;
  readonly encoder: Encoder;
  readonly #screens: Lane[];
  readonly #pictures: Lane[];
  readonly #sounds: Lane[];
  readonly #clocks = new Map<string, MediaClock>();

  constructor({ stage, encoder, clock }: { stage: Stage; encoder: Encoder; clock: Clock }) {
    this.stage = stage;
    this.encoder = encoder;
    const { hasScreen, places } = stage;
    const zeroMs = clock.monotonicMs() - BEHIND_MS;
    const lane = (index: number): Lane =>
      new Lane({
        number: index + 1,
        kind: index < places ? 'video' : 'audio',
        quality: hasScreen && index === 0 ? 'HD' : qualityOf(places),
        ...{ zeroMs, clockOf: (owner) => this.#clockOf(owner) },
      });
    const lanes = Array.from({ length: places + SOUNDS }, (_, index) => lane(index));
    this.#screens = lanes.slice(0, hasScreen ? 1 : 0);
    this.#pictures = lanes.slice(this.#screens.length, places);
    this.#sounds = lanes.slice(places);
    encoder.write(Buffer.concat([HEAD, infoOf(), tracksOf(lanes.map(({ track }) => track))]));
  }

  get #lanes(): Lane[] {
    return [...this.#screens, ...this.#pictures, ...this.#sounds];
  }

  #clockOf(owner: string): MediaClock {
    const clock = this.#clocks.get(owner) ?? new MediaClock();
    this.#clocks.set(owner, clock);
    return clock;
  }

  /**
   * Sets the visible and audible sources, in this order while tiles are free; sources that are shown keep their tile.
   */
  show(sources: readonly PublishedSource[]): void {
    const [first, ...others] = sources.filter(({ name }) => name === 'screen');
    fill(this.#screens, first ? [first] : []);
    fill(this.#pictures, [...others, ...sources.filter(({ name }) => name === 'video')]);
    fill(
      this.#sounds,
      sources.filter(({ kind }) => kind === 'audio'),
    );
  }

  /** Writes the frames that have arrived to the encoder. Called often. */
  write(nowMs: number): void {
    const blocks = this.#lanes.flatMap((lane) => lane.blocks(nowMs - BEHIND_MS));
    if (blocks.length === 0) return;
    blocks.sort((a, b) => a.timeMs - b.timeMs);
    this.encoder.write(clusterOf(blocks[0]!.timeMs, blocks));
  }

  /** Detaches all sources from the encoder. */
  leave(): void {
    for (const lane of this.#lanes) lane.put(undefined);
  }
}

function fill(lanes: readonly Lane[], sources: readonly PublishedSource[]): void {
  const wanted = sources.slice(0, lanes.length);
  for (const lane of lanes) if (lane.source && !wanted.includes(lane.source)) lane.put(undefined);
  for (const source of wanted) {
    if (lanes.some((lane) => lane.source === source)) continue;
    lanes.find((lane) => !lane.source)?.put(source);
  }
}
