/**
 * Playback delay of received media: no longer than the link needs. It grows after concealed audio, freezes, or
 * retransmission requests, and shrinks after a while without them. `room-client.js` calls it four times a second, and
 * applies the result.
 */

/** In ms. */
const FIRST = 150;
const STEP = 100;
const MOST = 400;
const BACK = 50;
/** Number of calls without trouble after which the delay shrinks. */
const CALM_LOOKS = 40;
/** Maximum share of concealed audio, and maximum number of NACKs between two calls. */
const MAX_CONCEALED = 0.01;
const MAX_ASKED = 1;
/** Jitter in s above which the delay covers nearly all packets at once. */
const MAX_JITTER = 0.025;
/** Factor on the jitter: growing in steps would lose the late packets meanwhile. */
const JITTERS = 6;

export class PlaybackBuffer {
  #before = new Map();
  #target = 0;
  #calm = 0;

  /** `stats`: statistics of the receiving connection, from `getStats()`. Returns the playback delay in ms. */
  take(stats) {
    const sum = { samples: 0, concealed: 0, freezes: 0, asked: 0, jitter: 0 };
    const now = new Map();
    for (const one of stats.values()) {
      if (one.type !== 'inbound-rtp') continue;
      const before = this.#before.get(one.id);
      now.set(one.id, one);
      // The first sample of a stream is only the baseline.
      if (!before) continue;
      const added = (key) => Math.max(0, (one[key] ?? 0) - (before[key] ?? 0));
      sum.samples += added('totalSamplesReceived');
      sum.concealed += added('concealedSamples') - added('silentConcealedSamples');
      sum.freezes += added('freezeCount');
      sum.asked += added('nackCount');
      if (one.kind === 'audio') sum.jitter = Math.max(sum.jitter, one.jitter ?? 0);
    }
    this.#before = now;
    const isMissed = sum.freezes > 0 || sum.concealed > sum.samples * MAX_CONCEALED;
    const isLate = sum.asked > MAX_ASKED || sum.jitter > MAX_JITTER;
    if (isMissed) this.#target = Math.min(MOST, Math.max(FIRST, this.#target + STEP));
    else if (isLate) this.#target = Math.max(FIRST, this.#target);
    if (sum.jitter > MAX_JITTER)
      this.#target = Math.max(this.#target, Math.min(MOST, Math.round(sum.jitter * 1000 * JITTERS)));
    this.#calm = isMissed || isLate ? 0 : this.#calm + 1;
    if (this.#calm >= CALM_LOOKS) {
      this.#calm = 0;
      this.#target = Math.max(0, this.#target - BACK);
    }
    return this.#target;
  }
}
