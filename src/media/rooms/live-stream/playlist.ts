/** Playlist of a live stream (HLS, RFC 8216): the latest segments. Players fetch it repeatedly. */

export interface StreamSegment {
  file: string;
  durationMs: number;
  /** True if it does not continue the previous segment. */
  isFirst: boolean;
}

/** Number of segments in the playlist. */
const LISTED = 6;
/** Number of segments that are kept, so that slow players still find those that have left the playlist. */
const KEPT = 2 * LISTED;

export class Playlist {
  #segments: StreamSegment[] = [];
  /** Number of the oldest segment that is kept. */
  #firstNumber = 0;
  /** Number of discontinuities removed with old segments (`EXT-X-DISCONTINUITY-SEQUENCE`). */
  #breaks = 0;

  /** Returns files that are not needed any more. */
  add(segment: StreamSegment): string[] {
    this.#segments.push(segment);
    const gone = this.#segments.splice(0, Math.max(0, this.#segments.length - KEPT));
    this.#firstNumber += gone.length;
    this.#breaks += breaksIn(gone);
    return gone.map(({ file }) => file);
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0;
  }

  find(file: string): { number: number; durationMs: number } | undefined {
    const index = this.#segments.findIndex((segment) => segment.file === file);
    const found = this.#segments[index];
    return found && { number: this.#firstNumber + index, durationMs: found.durationMs };
  }

  get text(): string {
    const hidden = Math.max(0, this.#segments.length - LISTED);
    const listed = this.#segments.slice(hidden);
    const longest = Math.max(1, ...listed.map(({ durationMs }) => Math.round(durationMs / 1000)));
    const lines = [
      '#EXTM3U',
      '#EXT-X-VERSION:3',
      `#EXT-X-TARGETDURATION:${longest}`,
      `#EXT-X-MEDIA-SEQUENCE:${this.#firstNumber + hidden}`,
      `#EXT-X-DISCONTINUITY-SEQUENCE:${this.#breaks + breaksIn(this.#segments.slice(0, hidden))}`,
      ...listed.flatMap(({ file, durationMs, isFirst }) => [
        ...(isFirst ? ['#EXT-X-DISCONTINUITY'] : []),
        `#EXTINF:${(durationMs / 1000).toFixed(3)},`,
        file,
      ]),
    ];
    return `${lines.join('\n')}\n`;
  }
}

const breaksIn = (segments: readonly StreamSegment[]): number => segments.filter(({ isFirst }) => isFirst).length;
