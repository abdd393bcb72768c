/** Sound between two timers: what waits, what is skipped, and what happens when it runs dry. */
import { describe, expect, it } from 'vitest';
import { FrameQueue } from '../../src/media/toolbox/audio/frame-queue.ts';

const frame = (value: number) => Int16Array.of(value);
const read = (queue: FrameQueue, times: number) => Array.from({ length: times }, () => queue.next()?.[0]);

describe('a queue of frames', () => {
  it('begins when enough of them wait, and keeps their order', () => {
    const queue = new FrameQueue(3);
    for (const value of [1, 2]) queue.add(frame(value));
    expect(queue.next()).toBeUndefined();
    queue.add(frame(3));
    expect(queue.next()?.[0]).toBe(1);
    queue.add(frame(4));
    expect(read(queue, 3)).toEqual([2, 3, 4]);
  });

  it('waits for more after it ran dry because they were late, not after a pause', () => {
    const queue = new FrameQueue(2);
    const speak = (frames: number) => {
      for (let value = 1; value <= frames; value++) queue.add(frame(value));
    };
    speak(2);
    read(queue, 2 + 50);
    speak(2);
    expect(queue.delay).toBe(2);
    read(queue, 2 + 3);
    speak(2);
    expect(queue.delay).toBe(3);
    expect(queue.next()).toBeUndefined();
    speak(1);
    expect(queue.next()?.[0]).toBe(1);
    for (let round = 0; round < 30; round++) {
      speak(15);
      read(queue, 20);
    }
    expect(queue.delay).toBe(10);
  });

  it('needs fewer again when they come evenly for ten seconds', () => {
    const queue = new FrameQueue(2);
    for (const dry of [0, 1, 1, 1]) {
      for (let value = 0; value < 12; value++) queue.add(frame(value));
      read(queue, 12 + dry);
    }
    const grown = queue.delay;
    for (let index = 0; index < 500 * (grown + 1); index++) {
      queue.add(frame(index));
      queue.next();
    }
    expect([grown > 2, queue.delay]).toEqual([true, 2]);
  });

  it('begins with the latest frames if none were taken', () => {
    const queue = new FrameQueue(2);
    for (let value = 1; value <= 40; value++) queue.add(frame(value));
    expect([queue.length, ...read(queue, 3)]).toEqual([15, 39, 40, undefined]);
  });

  it('never holds more than 300 ms, and skips what it does not need, a frame at a time', () => {
    const queue = new FrameQueue(2);
    for (let value = 0; value < 2; value++) queue.add(frame(value));
    let last = queue.next()![0]!;
    for (let value = 2; value < 40; value++) queue.add(frame(value));
    expect(queue.length).toBe(15);
    last = queue.next()![0]!;
    expect(last).toBe(25);
    for (let value = 40; value < 1040; value++) {
      queue.add(frame(value));
      const [next] = queue.next()!;
      expect(next! - last).toBeLessThanOrEqual(2);
      last = next!;
    }
    expect(queue.length).toBeLessThanOrEqual(2);
  });
});
