/** The playlist of a live stream (HLS, RFC 8216): the latest segments, which players fetch again and again. */

export interface Segment {
  file: string;
  durationMs: number;
  /** It does not go on where the one before ended. */
  isFirst: boolean;
}

/** In the playlist. */
const LISTED = 6;
/** Players that are late still find those that have just left it. */
const KEPT = 2 * LISTED;

export class Playlist {
  #segments: Segment[] = [];
  /** Of the oldest that is kept. */
  #firstNumber = 0;
  /** Where what came did not go on: as many as are not kept any more. */
  #breaks = 0;

  /** Returns files that nobody needs any more. */
  add(segment: Segment): string[] {
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

const breaksIn = (segments: readonly Segment[]): number => segments.filter(({ isFirst }) => isFirst).length;
