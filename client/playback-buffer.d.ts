/** Types of `playback-buffer.js`. */
export class PlaybackBuffer {
  /** Returns the playback delay in ms. */
  take(stats: { values(): Iterable<object> }): number;
}
