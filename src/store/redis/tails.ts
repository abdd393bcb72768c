/**
 * What this node wrote lately, so that it can give it again: a replica that became the primary may lack what the old one
 * had confirmed. Bounded in time and in size.
 */
import type { Ownership } from '../../core/ownership.ts';
import type { EncodedCall } from './encoded-call.ts';

export interface GivenWrite extends Ownership {
  callId: string;
  firstSeq: number;
  lastSeq: number;
  /** Of the function that writes it. */
  call: EncodedCall;
  atMs: number;
}

/** A replica that lags longer than this is not made the primary. */
const KEEP_MS = 15_000;
const MAX_BYTES = 64 * 2 ** 20;

export class Tails {
  readonly #writes = new Map<string, GivenWrite[]>();
  readonly #order = new Set<GivenWrite>();
  #size = 0;

  add(write: GivenWrite): void {
    const writes = this.#writes.get(write.callId);
    if (writes) writes.push(write);
    else this.#writes.set(write.callId, [write]);
    this.#order.add(write);
    this.#size += write.call.bytes.length;
    while (this.#size > MAX_BYTES) this.#drop(this.#order.values().next().value!);
  }

  /** While writes succeed: those of long ago have arrived everywhere. */
  trim(nowMs: number): void {
    for (const write of this.#order) {
      if (nowMs - write.atMs < KEEP_MS) return;
      this.#drop(write);
    }
  }

  forget(callId: string): void {
    for (const write of this.#writes.get(callId) ?? []) this.#drop(write);
  }

  /** The writes from the one that follows `lastSeq` to the one before `beforeSeq`; empty: not all of them are known. */
  between(callId: string, lastSeq: number, beforeSeq: number): GivenWrite[] {
    const found = (this.#writes.get(callId) ?? []).filter(
      ({ firstSeq }) => firstSeq > lastSeq && firstSeq > 0 && firstSeq < beforeSeq,
    );
    return found[0]?.firstSeq === lastSeq + 1 ? found : [];
  }

  /** The last write of each call. */
  lasts(): GivenWrite[] {
    return [...this.#writes.values()].map((writes) => writes.at(-1)!);
  }

  #drop(write: GivenWrite): void {
    if (!this.#order.delete(write)) return;
    this.#size -= write.call.bytes.length;
    const writes = this.#writes.get(write.callId)!;
    writes.splice(writes.indexOf(write), 1);
    if (writes.length === 0) this.#writes.delete(write.callId);
  }
}
