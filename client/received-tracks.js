/**
 * The tracks that a client receives: whose each of them is, how long they wait before they are played, and what is reported
 * of them. Neighbour: `room-client.js` has the connection by which they come.
 */
import { ClientStats } from './client-stats.js';
import { PlaybackBuffer } from './playback-buffer.js';

export class ReceivedTracks {
  #emit;
  /** mid → { mid, participant, source, track } */
  #byMid = new Map();
  #stats = new ClientStats();
  #playback = new PlaybackBuffer();

  /** `emit(type, received)` is called for each that comes (`track`) and ends (`trackended`). */
  constructor(emit) {
    this.#emit = emit;
  }

  get all() {
    return [...this.#byMid.values()];
  }

  /** `tracks`: all that the connection carries from now on. */
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

  /** What was received since the last report, as a message; undefined where there is nothing to say. */
  async report(connection) {
    const stats = await statsOf(connection);
    return stats && this.#stats.take(stats, performance.now());
  }

  /** On a bad link what comes is played a little later, and whole. */
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
