/**
 * Deduplicates key presses. Phones and gateways report a press with the audio (RFC 4733, or in-band tones), by
 * signalling (INFO), or by both, in any order and as far apart as retransmissions take.
 * If different sources report the same digit within a short time, one report counts. Reports from the same source
 * always count.
 */
export type KeySource = 'sound' | 'signalling';

interface KeyReport {
  way: KeySource;
  digit: string;
  atMs: number;
}

/** An INFO over UDP that was lost twice is 1.5 s late (RFC 3261 §17.1.2.2). */
const APART_MS = 2_000;
const MOST = 64;

export class KeyPresses {
  /** Reported by one source so far, oldest first. */
  #single: KeyReport[] = [];

  /**
   * True if this press is new. Audio reports a press at its end, signalling at any time: its INFO may be as old as the
   * press is long.
   */
  isNew(way: KeySource, digit: string, durationMs: number, nowMs: number): boolean {
    const fromMs = way === 'sound' ? nowMs - durationMs : nowMs;
    const near = this.#single.filter(({ atMs }) => fromMs - atMs <= APART_MS);
    const twin = near.findIndex((each) => each.way !== way && each.digit === digit);
    this.#single = near;
    if (twin < 0) near.push({ way, digit, atMs: nowMs });
    else near.splice(twin, 1);
    if (near.length > MOST) near.shift();
    return twin < 0;
  }
}
