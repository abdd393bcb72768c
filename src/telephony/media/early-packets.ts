/**
 * Packets that are here before it is said whose they may be: a phone presses a key, or speaks, the moment it hears of our
 * answer, or before its own answer has reached the main thread, and both overtake the word to this thread. They are kept
 * for that long, from anybody, and judged like all others once it is known who the far side is.
 *
 * Invariants: few, short and young ones are kept, whoever sends how many; the oldest goes first.
 */
export interface EarlyPacket {
  bytes: Uint8Array;
  host: string;
  port: number;
  atMs: number;
}

/** A burst of keys is a dozen packets each; more sound than a jitter buffer holds is of no use. */
const MOST_KEPT = 64;
/** Two threads are that far apart at most, on a machine that is short of processors. */
const KEPT_MS = 200;
/** What a network carries in one piece: no sound takes more. */
const LONGEST_BYTES = 1500;

export class EarlyPackets {
  #kept: EarlyPacket[] = [];
  #dropped = 0;

  /** How many came in vain; those that are still kept included. */
  get dropped(): number {
    return this.#dropped + this.#kept.length;
  }

  keep(packet: EarlyPacket): void {
    if (packet.bytes.length > LONGEST_BYTES) {
      this.#dropped++;
      return;
    }
    if (this.#kept.length === MOST_KEPT) this.#drop(1);
    this.#kept.push(packet);
  }

  /** Those that are worth hearing, in their order; they are not kept any more. */
  take(nowMs: number): EarlyPacket[] {
    const young = this.#kept.findIndex(({ atMs }) => nowMs - atMs <= KEPT_MS);
    this.#drop(young < 0 ? this.#kept.length : young);
    return this.#kept.splice(0);
  }

  #drop(count: number): void {
    this.#dropped += count;
    this.#kept.splice(0, count);
  }
}
