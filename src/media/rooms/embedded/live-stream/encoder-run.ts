/** One run of the encoder: a fixed layout, and the sources in its tiles. */
import type { Clock } from '../../../../base/core/clock.ts';
import type { Quality } from '../outgoing-stream.ts';
import type { PublishedSource } from '../published-source.ts';
import { MediaClock } from '../recording/media-clock.ts';
import { clusterOf, HEAD, infoOf, tracksOf } from '../recording/webm-elements.ts';
import type { Encoder } from './encoder.ts';
import { BEHIND_MS, EncoderTrack } from './encoder-track.ts';
import type { Layout } from './layout.ts';

/** Maximum number of audio sources. */
export const SOUNDS = 8;

/** Quality at which the videos of a grid with this many tiles are shown. */
const qualityOf = (places: number): Quality => (places === 1 ? 'HD' : places <= 4 ? 'SD' : 'LD');

interface EncoderRunParts {
  layout: Layout;
  encoder: Encoder;
  clock: Clock;
  /** Name of a participant; empty if there is none. */
  nameOf(owner: string): string;
}

export class EncoderRun {
  readonly layout: Layout;
  readonly encoder: Encoder;
  readonly #screens: EncoderTrack[];
  readonly #pictures: EncoderTrack[];
  readonly #sounds: EncoderTrack[];
  readonly #clocks = new Map<string, MediaClock>();
  readonly #nameOf: EncoderRunParts['nameOf'];
  /** Names on the tiles, in the order of the tiles. */
  readonly #labels: string[] = [];

  constructor({ layout, encoder, clock, nameOf }: EncoderRunParts) {
    this.layout = layout;
    this.encoder = encoder;
    this.#nameOf = nameOf;
    const { hasScreen, places } = layout;
    const zeroMs = clock.monotonicMs() - BEHIND_MS;
    const track = (index: number): EncoderTrack =>
      new EncoderTrack({
        number: index + 1,
        kind: index < places ? 'video' : 'audio',
        quality: hasScreen && index === 0 ? 'HD' : qualityOf(places),
        ...{ zeroMs, clockOf: (owner) => this.#clockOf(owner) },
      });
    const tracks = Array.from({ length: places + SOUNDS }, (_, index) => track(index));
    this.#screens = tracks.slice(0, hasScreen ? 1 : 0);
    this.#pictures = tracks.slice(this.#screens.length, places);
    this.#sounds = tracks.slice(places);
    encoder.write(Buffer.concat([HEAD, infoOf(), tracksOf(tracks.map(({ track }) => track))]));
  }

  get #tracks(): EncoderTrack[] {
    return [...this.#screens, ...this.#pictures, ...this.#sounds];
  }

  #clockOf(owner: string): MediaClock {
    const clock = this.#clocks.get(owner) ?? new MediaClock();
    this.#clocks.set(owner, clock);
    return clock;
  }

  /**
   * Sets the visible and audible sources, in this order while tiles are free; sources that are shown keep their tile.
   * `standIns`: participants without a camera, who get the remaining tiles.
   */
  show(sources: readonly PublishedSource[], standIns: readonly string[]): void {
    const [first, ...others] = sources.filter(({ name }) => name === 'screen');
    fill(this.#screens, first ? [first] : []);
    fill(this.#pictures, [...others, ...sources.filter(({ name }) => name === 'video')]);
    fillRest(this.#pictures, standIns);
    this.#label();
    fill(
      this.#sounds,
      sources.filter(({ kind }) => kind === 'audio'),
    );
  }

  /** Writes the names of changed sources on the tiles of cameras and of participants without one. */
  #label(): void {
    for (const [index, { source, standIn }] of this.#pictures.entries()) {
      const tile = this.#screens.length + index;
      const owner = source?.owner ?? standIn;
      const name = owner === undefined ? '' : this.#nameOf(owner);
      if (name === (this.#labels[tile] ?? '')) continue;
      this.#labels[tile] = name;
      this.encoder.label(tile, name);
    }
  }

  /** Writes the frames that have arrived to the encoder. Called often. */
  write(nowMs: number): void {
    const blocks = this.#tracks.flatMap((track) => track.blocks(nowMs - BEHIND_MS));
    if (blocks.length === 0) return;
    blocks.sort((a, b) => a.timeMs - b.timeMs);
    this.encoder.write(clusterOf(blocks[0]!.timeMs, blocks));
  }

  /** Detaches all sources from the encoder. */
  leave(): void {
    for (const track of this.#tracks) track.put(undefined);
  }
}

/** Gives tracks without a source to the participants. Participants keep their track. */
function fillRest(tracks: readonly EncoderTrack[], standIns: readonly string[]): void {
  for (const track of tracks) {
    if (track.source || !standIns.includes(track.standIn ?? '')) track.standIn = undefined;
  }
  for (const standIn of standIns) {
    if (tracks.some((track) => track.standIn === standIn)) continue;
    const free = tracks.find((track) => !track.source && track.standIn === undefined);
    if (free) free.standIn = standIn;
  }
}

function fill(tracks: readonly EncoderTrack[], sources: readonly PublishedSource[]): void {
  const wanted = sources.slice(0, tracks.length);
  for (const track of tracks) if (track.source && !wanted.includes(track.source)) track.put(undefined);
  for (const source of wanted) {
    if (tracks.some((track) => track.source === source)) continue;
    tracks.find((track) => !track.source)?.put(source);
  }
}
