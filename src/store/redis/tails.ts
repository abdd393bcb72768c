/**
 * What this node wrote lately, so that it can give it again: a replica that became the primary may lack what the old one
 * had confirmed. Bounded in time and in size.
 *
 * Parts follow each other in time, and are forgotten as a whole: the oldest entry of a large `Map` is dear to find, since the
 * holes of all that were deleted before it are passed each time.
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

interface Part {
  readonly firstMs: number;
  lastMs: number;
  /** Of calls, each in order. */
  readonly writes: Map<string, GivenWrite[]>;
  bytes: number;
}

/** A replica that lags longer than this is not made the primary. */
const KEEP_MS = 15_000;
const MAX_BYTES = 64 * 2 ** 20;
const PARTS = 16;

export class Tails {
  /** The oldest first. */
  readonly #parts: Part[] = [];
  #bytes = 0;

  add(write: GivenWrite): void {
    const part = this.#partFor(write.atMs);
    part.lastMs = write.atMs;
    const writes = part.writes.get(write.callId);
    if (writes) writes.push(write);
    else part.writes.set(write.callId, [write]);
    this.#count(part, write.call.bytes.length);
    while (this.#bytes > MAX_BYTES && this.#parts.length > 1) this.#dropOldest();
  }

  /** While writes succeed: those of long ago have arrived everywhere. */
  trim(nowMs: number): void {
    while (nowMs - (this.#parts[0]?.lastMs ?? nowMs) > KEEP_MS) this.#dropOldest();
  }

  forget(callId: string): void {
    for (const part of this.#parts) {
      for (const { call } of part.writes.get(callId) ?? []) this.#count(part, -call.bytes.length);
      part.writes.delete(callId);
    }
  }

  /** The writes from the one that follows `lastSeq` to the one before `beforeSeq`; empty: not all of them are known. */
  between(callId: string, lastSeq: number, beforeSeq: number): GivenWrite[] {
    const found = this.#parts
      .flatMap(({ writes }) => writes.get(callId) ?? [])
      .filter(({ firstSeq }) => firstSeq > lastSeq && firstSeq > 0 && firstSeq < beforeSeq);
    return found[0]?.firstSeq === lastSeq + 1 ? found : [];
  }

  /** The last write of each call. */
  lasts(): GivenWrite[] {
    const last = new Map<string, GivenWrite>();
    for (const { writes } of this.#parts) for (const [callId, some] of writes) last.set(callId, some.at(-1)!);
    return [...last.values()];
  }

  #partFor(nowMs: number): Part {
    const current = this.#parts.at(-1);
    if (current && nowMs - current.firstMs < KEEP_MS / PARTS && current.bytes < MAX_BYTES / PARTS) return current;
    const part: Part = { firstMs: nowMs, lastMs: nowMs, writes: new Map(), bytes: 0 };
    this.#parts.push(part);
    return part;
  }

  #count(part: Part, bytes: number): void {
    part.bytes += bytes;
    this.#bytes += bytes;
  }

  #dropOldest(): void {
    this.#bytes -= this.#parts.shift()!.bytes;
  }
}
