/**
 * Statistics of received media that only the browser has: frames shown, freezes, concealed audio. The counters of
 * connections accumulate from their start; this class returns the difference since the last call. `room-client.js`
 * calls it every few seconds and sends the result.
 */

/** Latest counters by stream. */
export class ClientStats {
  #before = new Map();
  #atMs;

  /**
   * `stats` are the statistics of the receiving connection, from `getStats()`. Returns the message `client_stats`;
   * undefined at the first call, and if there are no streams.
   */
  take(stats, nowMs) {
    const seconds = this.#atMs === undefined ? 0 : (nowMs - this.#atMs) / 1000;
    this.#atMs = nowMs;
    const sum = { frames: 0, freezes: 0, freezeMs: 0, concealed: 0, samples: 0 };
    const now = new Map();
    let roundTripMs;
    for (const one of stats.values()) {
      if (one.type === 'candidate-pair' && one.nominated && one.currentRoundTripTime !== undefined) {
        roundTripMs = one.currentRoundTripTime * 1000;
      }
      if (one.type !== 'inbound-rtp') continue;
      now.set(one.id, one);
      const added = since(one, this.#before.get(one.id) ?? {});
      sum.frames += added('framesDecoded');
      sum.freezes += added('freezeCount');
      sum.freezeMs = Math.max(sum.freezeMs, added('totalFreezesDuration') * 1000);
      // Audio that was concealed while no participant was speaking does not count.
      sum.concealed += added('concealedSamples') - added('silentConcealedSamples');
      sum.samples += added('totalSamplesReceived');
    }
    this.#before = now;
    if (seconds < 1 || now.size === 0) return undefined;
    return {
      type: 'client_stats',
      seconds: Math.min(60, seconds),
      frames_decoded: within(Math.round(sum.frames), 1_000_000),
      freezes: within(Math.round(sum.freezes), 10_000),
      freeze_ms: within(sum.freezeMs, 60_000),
      concealed: within(sum.samples > 0 ? sum.concealed / sum.samples : 0, 1),
      ...(roundTripMs === undefined ? {} : { round_trip_ms: within(roundTripMs, 60_000) }),
    };
  }
}

/** The counters of a new connection start at zero. */
const since = (now, before) => (key) => Math.max(0, (now[key] ?? 0) - (before[key] ?? 0));

const within = (value, most) => Math.min(most, Math.max(0, value));
