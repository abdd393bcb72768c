/** Types of `playback-buffer.js`. */
export class PlaybackBuffer {
  /** What to wait before something is played, in ms. */
  take(stats: { values(): Iterable<object> }): number;
}
