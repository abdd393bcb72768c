/** Work in turn: order, failures, and how much may wait. */
import { expect, it } from 'vitest';
import { serialQueue } from '../../src/service/calls/serial-queue.ts';

it('does one piece after the other, also after one that failed, and refuses when 32 are there', async () => {
  const inTurn = serialQueue();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const done: number[] = [];
  const work = (n: number) => async () => {
    await gate;
    if (n === 1) throw new Error('broken');
    done.push(n);
  };
  const settled = Promise.allSettled(Array.from({ length: 33 }, (_, n) => inTurn(work(n))));
  open();
  const results = await settled;
  expect(done).toEqual(Array.from({ length: 31 }, (_, index) => (index === 0 ? 0 : index + 1)));
  expect(results[1]).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
  expect(results[32]).toMatchObject({ status: 'rejected', reason: { code: 'overloaded' } });
  await expect(inTurn(async () => 'again')).resolves.toBe('again');
});
