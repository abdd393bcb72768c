/** Recent writes that a node remembers, compared with a plain list that keeps everything. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RecentWrite, RecentWrites } from '../../src/service/store/redis/stores/recent-writes.ts';

const KEEP_MS = 15_000;
const MIB = 2 ** 20;

const written = (callId: string, seq: number, atMs: number, bytes = 1000): RecentWrite => ({
  ...{ callId, owner: 'life-1', fence: 1, firstSeq: seq, lastSeq: seq, atMs },
  command: { name: 'cw_commit', tags: [], bytes: Buffer.allocUnsafe(bytes) },
});

const kept = (tails: RecentWrites): string[] =>
  tails
    .lasts()
    .map(({ callId, lastSeq }) => `${callId} ${lastSeq}`)
    .sort();

describe('the tail of a call', () => {
  it('is found from any write on that is remembered, whenever its parts were written', () => {
    const tails = new RecentWrites();
    for (let seq = 1; seq <= 10; seq++) tails.add(written('a', seq, seq * 1000));
    const seqs = (lastSeq: number, beforeSeq: number) =>
      tails.between('a', lastSeq, beforeSeq).map(({ firstSeq }) => firstSeq);
    expect(seqs(0, 11)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(seqs(6, 9)).toEqual([7, 8]);
    expect(seqs(10, 12)).toEqual([]);
    expect(tails.between('b', 0, 11)).toEqual([]);
  });

  it('is unknown where its beginning was forgotten', () => {
    const tails = new RecentWrites();
    tails.add(written('a', 1, 0));
    tails.add(written('a', 2, 10_000));
    tails.add(written('a', 3, 20_000));
    tails.trim(KEEP_MS + 1);
    expect(tails.between('a', 0, 4)).toEqual([]);
    expect(tails.between('a', 1, 4).map(({ firstSeq }) => firstSeq)).toEqual([2, 3]);
  });

  it('is forgotten with its call, and no other', () => {
    const tails = new RecentWrites();
    for (let seq = 1; seq <= 5; seq++) for (const id of ['a', 'b']) tails.add(written(id, seq, seq * 1000));
    tails.forget('a');
    expect(kept(tails)).toEqual(['b 5']);
    expect(tails.between('a', 0, 6)).toEqual([]);
    expect(tails.between('b', 0, 6)).toHaveLength(5);
  });
});

it('keeps at most 64 MiB of recent writes and drops those of ended calls', () => {
  const tails = new RecentWrites();
  for (let n = 0; n < 300; n++) tails.add(written(`${n}`, 1, n, MIB));
  expect(tails.lasts().length).toBeLessThanOrEqual(64);
  expect(tails.lasts().length).toBeGreaterThanOrEqual(56);
  const last = tails.lasts().map(({ callId }) => callId);
  expect(last).toEqual(Array.from({ length: last.length }, (_, n) => `${300 - last.length + n}`));
  for (const callId of last.slice(0, -1)) tails.forget(callId);
  for (let n = 300; n < 340; n++) tails.add(written(`${n}`, 1, n, MIB));
  expect(tails.lasts()).toHaveLength(41);
});

it('keeps the last 15 s of each call, and drops older writes, for random sequences', () => {
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ write: fc.constantFrom('a', 'b', 'c'), afterMs: fc.integer({ min: 0, max: 3000 }) }),
    },
    { weight: 1, arbitrary: fc.record({ forget: fc.constantFrom('a', 'b', 'c') }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tails = new RecentWrites();
      const all = new Map<string, RecentWrite[]>();
      const seqs = new Map<string, number>();
      let nowMs = 0;
      for (const one of steps) {
        if ('forget' in one) {
          tails.forget(one.forget);
          all.delete(one.forget);
          continue;
        }
        nowMs += one.afterMs;
        const seq = (seqs.get(one.write) ?? 0) + 1;
        seqs.set(one.write, seq);
        const write = written(one.write, seq, nowMs);
        all.set(one.write, [...(all.get(one.write) ?? []), write]);
        tails.add(write);
        tails.trim(nowMs);
      }
      for (const [callId, writes] of all) {
        const recent = writes.filter(({ atMs }) => nowMs - atMs <= KEEP_MS);
        if (recent.length > 0) {
          expect(tails.between(callId, recent[0]!.firstSeq - 1, Infinity)).toEqual(recent);
        }
        const long = writes.find(({ atMs }) => nowMs - atMs > KEEP_MS + 1000);
        if (long && nowMs - writes.at(-1)!.atMs <= KEEP_MS) {
          expect(tails.between(callId, long.firstSeq - 1, Infinity)).toEqual([]);
        }
      }
      for (const { callId } of tails.lasts()) expect(all.has(callId)).toBe(true);
    }),
  );
});
