/** Writes that fail for a while are retried in order. */
import { expect, it } from 'vitest';
import { WriteError } from '../../src/base/core/write-error.ts';
import { RetryingWriter } from '../../src/media/rooms/retrying-writer.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

function rig() {
  const clock = new VirtualClock();
  const written: number[] = [];
  const failures: boolean[] = [];
  const lost: number[] = [];
  const disk: { isFull: boolean; refuses?: number; away?: boolean } = { isFull: false };
  const writes = new RetryingWriter<number>({
    clock,
    write(item) {
      if (disk.away) throw new WriteError('disk_full');
      if (disk.isFull || item === disk.refuses) throw new Error('full');
      written.push(item);
    },
    failed(_error, item) {
      failures.push(item !== undefined);
      if (item !== undefined) lost.push(item);
    },
  });
  return { clock, disk, written, failures, lost, writes };
}

it('is written at once if the store works', () => {
  const { writes, written, clock } = rig();
  writes.add(1);
  expect([written, clock.nextDeadlineMs]).toEqual([[1], undefined]);
});

it('is retried in order, with one report of the failure', async () => {
  const { writes, written, failures, disk, clock } = rig();
  disk.isFull = true;
  for (const item of [1, 2, 3]) writes.add(item);
  await clock.advance(20_000);
  expect([written, failures]).toEqual([[], [false]]);
  disk.isFull = false;
  writes.add(4);
  await clock.advance(5000);
  expect([written, failures]).toEqual([[1, 2, 3, 4], [false]]);
});

it('is dropped with a report above a limit, or when the service stops meanwhile', () => {
  const { writes, written, failures, disk } = rig();
  disk.isFull = true;
  for (let item = 0; item < 10_002; item++) writes.add(item);
  expect(failures).toEqual([false, true, true]);
  disk.isFull = false;
  writes.add(10_002);
  expect([written.length, written.at(-1)]).toEqual([10_001, 10_002]);
  disk.isFull = true;
  writes.add(0);
  writes.close();
  expect(failures).toEqual([false, true, true, false, true]);
});

it('is not delayed by an item that the store refuses, which is dropped with a report after a minute', async () => {
  const { writes, written, failures, lost, disk, clock } = rig();
  disk.refuses = 1;
  for (const item of [1, 2, 3]) writes.add(item);
  await clock.advance(5000);
  expect([written, lost]).toEqual([[2, 3], []]);
  await clock.advance(60_000);
  expect([lost, failures, clock.nextDeadlineMs]).toEqual([[1], [false, true], undefined]);
  writes.add(4);
  expect(written).toEqual([2, 3, 4]);
});

it('is kept in order however long the store is not writable', async () => {
  const { writes, written, lost, disk, clock } = rig();
  disk.away = true;
  for (const item of [1, 2, 3]) writes.add(item);
  await clock.advance(3_600_000);
  disk.away = false;
  await clock.advance(5000);
  expect([written, lost]).toEqual([[1, 2, 3], []]);
});
