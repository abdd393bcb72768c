/**
 * How long what is received waits before it is played: no longer than the link needs. Where sound had to be made up,
 * pictures stood still, or packets had to be asked for again, it waits longer from then on, and less again after a while in
 * which all was well. Neighbour: `room-client.js` looks four times a second, and sets what comes out.
 */

/** In ms. */
const FIRST = 150;
const STEP = 100;
const MOST = 400;
const BACK = 50;
/** So many looks without trouble, and it waits less. */
const CALM_LOOKS = 40;
/** Share of the sound that may be made up, and packets that may be asked for between two looks. */
const MOST_CONCEALED = 0.01;
const MOST_ASKED = 1;
/** Packets may be that much earlier or later, in s. */
const MOST_JITTER = 0.025;
/** Where they are, it waits for nearly all of them at once: to come there by steps would lose what is late meanwhile. */
const JITTERS = 6;

export class PlaybackBuffer {
  #before = new Map();
  #target = 0;
  #calm = 0;

  /** `stats`: of the receiving connection, as `getStats()` gives them. Returns what to wait, in ms. */
  take(stats) {
    const sum = { samples: 0, concealed: 0, freezes: 0, asked: 0, jitter: 0 };
    const now = new Map();
    for (const one of stats.values()) {
      if (one.type !== 'inbound-rtp') continue;
      const before = this.#before.get(one.id);
      now.set(one.id, one);
      // What was before it was first seen is its beginning.
      if (!before) continue;
      const added = (key) => Math.max(0, (one[key] ?? 0) - (before[key] ?? 0));
      sum.samples += added('totalSamplesReceived');
      sum.concealed += added('concealedSamples') - added('silentConcealedSamples');
      sum.freezes += added('freezeCount');
      sum.asked += added('nackCount');
      if (one.kind === 'audio') sum.jitter = Math.max(sum.jitter, one.jitter ?? 0);
    }
    this.#before = now;
    const isMissed = sum.freezes > 0 || sum.concealed > sum.samples * MOST_CONCEALED;
    const isLate = sum.asked > MOST_ASKED || sum.jitter > MOST_JITTER;
    if (isMissed) this.#target = Math.min(MOST, Math.max(FIRST, this.#target + STEP));
    else if (isLate) this.#target = Math.max(FIRST, this.#target);
    if (sum.jitter > MOST_JITTER)
      this.#target = Math.max(this.#target, Math.min(MOST, Math.round(sum.jitter * 1000 * JITTERS)));
    this.#calm = isMissed || isLate ? 0 : this.#calm + 1;
    if (this.#calm >= CALM_LOOKS) {
      this.#calm = 0;
      this.#target = Math.max(0, this.#target - BACK);
    }
    return this.#target;
  }
}
