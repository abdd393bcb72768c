/** Writes that fail for a while are retried in order. */
import { expect, it } from 'vitest';
import { RetryingWriter } from '../../src/media/rooms/retrying-writer.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

function rig() {
  const clock = new VirtualClock();
  const written: number[] = [];
  const failures: boolean[] = [];
  const disk = { isFull: false };
  const writes = new RetryingWriter<number>({
    clock,
    write(item) {
      if (disk.isFull) throw new Error('full');
      written.push(item);
    },
    failed: (_error, isLost) => failures.push(isLost),
  });
  return { clock, disk, written, failures, writes };
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
