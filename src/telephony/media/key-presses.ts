/**
 * One press of a key, however many ways tell of it. Phones and gateways send keys with the sound (RFC 4733, or as tones),
 * by signalling (INFO), or both ways at once, in any order and apart by what retransmissions cost.
 *
 * Invariant: of two reports of one digit by two ways, near each other in time, one counts. Reports of one way always do.
 */
export type KeySource = 'sound' | 'signalling';

interface KeyReport {
  way: KeySource;
  digit: string;
  atMs: number;
}

/** An INFO over UDP that was lost twice comes 1.5 s late (RFC 3261 §17.1.2.2). */
const APART_MS = 2_000;
const MOST = 64;

export class KeyPresses {
  /** Told of by one way, oldest first. */
  #single: KeyReport[] = [];

  /**
   * Whether nobody told of this one yet. Sound tells of a press at its end, signalling when it likes: as long as the key
   * was held before that, its INFO may be old.
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
