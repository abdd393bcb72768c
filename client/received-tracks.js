/**
 * Tracks that a client receives: their participants, their playback delay, and their statistics. `room-client.js` has
 * the connection.
 */
import { ClientStats } from './client-stats.js';
import { PlaybackBuffer } from './playback-buffer.js';

export class ReceivedTracks {
  #emit;
  /** mid → { mid, participant, source, track } */
  #byMid = new Map();
  #stats = new ClientStats();
  #playback = new PlaybackBuffer();

  /** `emit(type, received)` is called for each track that starts (`track`) and ends (`trackended`). */
  constructor(emit) {
    this.#emit = emit;
  }

  get all() {
    return [...this.#byMid.values()];
  }

  /** `tracks`: all active tracks of the connection. */
  update(tracks, connection) {
    this.#forget(({ mid, participant, source }) =>
      tracks.every((one) => one.mid !== mid || one.participant !== participant || one.source !== source),
    );
    for (const one of tracks) {
      if (this.#byMid.has(one.mid)) continue;
      const track = connection.getTransceivers().find(({ mid }) => mid === one.mid)?.receiver.track;
      if (!track) continue;
      const received = { ...one, track };
      this.#byMid.set(one.mid, received);
      this.#emit('track', received);
    }
  }

  clear() {
    this.#forget(() => true);
  }

  #forget(isGone) {
    for (const [mid, received] of this.#byMid) {
      if (!isGone(received)) continue;
      this.#byMid.delete(mid);
      this.#emit('trackended', received);
    }
  }

  /** Returns the statistics since the last report, as a message; undefined if there are none. */
  async report(connection) {
    const stats = await statsOf(connection);
    return stats && this.#stats.take(stats, performance.now());
  }

  /** Adapts the playback delay, which avoids gaps on a bad link. */
  async playSteadily(connection) {
    const stats = await statsOf(connection);
    if (!stats) return;
    const waitMs = this.#playback.take(stats);
    for (const receiver of connection.getReceivers()) {
      if ((receiver.jitterBufferTarget ?? 0) !== waitMs) receiver.jitterBufferTarget = waitMs || null;
    }
  }
}

const statsOf = (connection) => connection?.getStats().catch(() => undefined);
