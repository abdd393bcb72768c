/**
 * Keeps packets that arrive before the far side is known: a phone sends a digit or audio as soon as it receives the
 * answer, or before its own answer has reached the main thread, and both may overtake the message to this thread.
 * Packets from any source are kept for that time, and checked like all others once the far side is known.
 * The number, size and age of kept packets is limited; the oldest is dropped first.
 */
export interface EarlyPacket {
  bytes: Uint8Array;
  host: string;
  port: number;
  atMs: number;
}

/** A burst of digits is a dozen packets each; more audio than a jitter buffer holds is useless. */
const MAX_KEPT = 64;
/** Maximum delay between two threads on a machine short of processors. */
const KEPT_MS = 200;
/** Size of an Ethernet packet: no audio packet is longer. */
const MAX_BYTES = 1500;

export class EarlyPackets {
  #kept: EarlyPacket[] = [];
  #dropped = 0;

  /** Number of packets that were dropped, including those still kept. */
  get dropped(): number {
    return this.#dropped + this.#kept.length;
  }

  keep(packet: EarlyPacket): void {
    if (packet.bytes.length > MAX_BYTES) {
      this.#dropped++;
      return;
    }
    if (this.#kept.length === MAX_KEPT) this.#drop(1);
    // The bytes are valid during the call only.
    this.#kept.push({ ...packet, bytes: packet.bytes.slice() });
  }

  /** Removes and returns the packets that are young enough, in order. */
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
