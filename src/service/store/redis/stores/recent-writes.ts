/**
 * Recent writes of this node, kept to replay after a failover: a replica that was promoted may lack writes that the old
 * primary had confirmed. Bounded in time and size.
 *
 * The writes are divided into consecutive parts, each of which is dropped as a whole: finding the oldest entry of one
 * large `Map` is slow, because iteration passes the holes of all deleted entries.
 */
import type { Ownership } from '../../../../base/core/ownership.ts';
import type { EncodedCommand } from '../connection/encoded-command.ts';

export interface RecentWrite extends Ownership {
  callId: string;
  firstSeq: number;
  lastSeq: number;
  /** The function call that makes the write. */
  command: EncodedCommand;
  atMs: number;
}

interface Part {
  readonly firstMs: number;
  lastMs: number;
  /** Writes by call, each in order. */
  readonly writes: Map<string, RecentWrite[]>;
  bytes: number;
}

/** A replica that lags by more than this is not promoted. */
const KEEP_MS = 15_000;
const MAX_BYTES = 64 * 2 ** 20;
const PARTS = 16;

export class RecentWrites {
  /** Parts, oldest first. */
  readonly #parts: Part[] = [];
  #bytes = 0;

  add(write: RecentWrite): void {
    const part = this.#partFor(write.atMs);
    part.lastMs = write.atMs;
    const writes = part.writes.get(write.callId);
    if (writes) writes.push(write);
    else part.writes.set(write.callId, [write]);
    this.#count(part, write.command.bytes.length);
    while (this.#bytes > MAX_BYTES && this.#parts.length > 1) this.#dropOldest();
  }

  /** Called while writes succeed: older writes have reached all replicas. */
  trim(nowMs: number): void {
    while (nowMs - (this.#parts[0]?.lastMs ?? nowMs) > KEEP_MS) this.#dropOldest();
  }

  forget(callId: string): void {
    for (const part of this.#parts) {
      for (const { command } of part.writes.get(callId) ?? []) this.#count(part, -command.bytes.length);
      part.writes.delete(callId);
    }
  }

  /** Writes with `lastSeq < seq < beforeSeq`. Empty if some of them are no longer kept. */
  between(callId: string, lastSeq: number, beforeSeq: number): RecentWrite[] {
    const found = this.#parts
      .flatMap(({ writes }) => writes.get(callId) ?? [])
      .filter(({ firstSeq }) => firstSeq > lastSeq && firstSeq > 0 && firstSeq < beforeSeq);
    return found[0]?.firstSeq === lastSeq + 1 ? found : [];
  }

  /** Last write of each call. */
  lasts(): RecentWrite[] {
    const last = new Map<string, RecentWrite>();
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
