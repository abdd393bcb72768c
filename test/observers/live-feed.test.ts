/** The feed of live events, whatever readers do: nothing lost, nothing twice, and little kept for them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { LiveFeed, type LiveReader } from '../../src/service/observers/live/feed.ts';

const LIMIT = 64 * 1024;

/** A reader whose connection takes everything at once, unless it is stalled. */
class Reader implements LiveReader {
  texts: string[] = [];
  waitingBytes = 0;
  mostWaiting = 0;
  isStalled = false;
  isEnded = false;

  pieces: (string | Buffer)[] = [];

  send(piece: string | Buffer): void {
    this.pieces.push(piece);
    this.texts.push(piece.toString());
    if (this.isStalled) this.waitingBytes += Buffer.byteLength(piece);
    this.mostWaiting = Math.max(this.mostWaiting, this.waitingBytes);
  }
  end(): void {
    this.isEnded = true;
  }
  get numbers(): number[] {
    return [...this.texts.join('').matchAll(/^data: \{"n":(\d+)/gm)].map(([, digits]) => Number(digits));
  }
  get lastId(): string {
    return [...this.texts.join('').matchAll(/^id: (.+)$/gm)].at(-1)![1]!;
  }
  get resets(): number {
    return this.texts.join('').split('event: reset').length - 1;
  }
}

function stand() {
  const clock = new VirtualClock();
  let isIdle = false;
  const feed = new LiveFeed(clock, () => {
    isIdle = true;
  });
  let n = 0;
  const add = (count = 1, filling = '', flows?: string[]): void => {
    for (let index = 0; index < count; index++) {
      feed.add({ name: 'step', data: { n: ++n, filling }, ...(flows ? { flows } : {}) });
    }
  };
  return { clock, feed, add, last: () => n, isIdle: () => isIdle };
}

const upTo = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

it('sends events in batches of 100 ms, in one piece to each reader', async () => {
  const { clock, feed, add } = stand();
  const readers = [new Reader(), new Reader()];
  for (const reader of readers) feed.open(reader, {});
  add(3);
  await clock.advance(99);
  expect(readers.map(({ numbers }) => numbers)).toEqual([[], []]);
  await clock.advance(1);
  for (const { texts, numbers } of readers) expect([texts.length, numbers]).toEqual([2, [1, 2, 3]]);
});

it('makes the bytes of a batch once for all readers at the same place, and others for those elsewhere', async () => {
  const { clock, feed, add } = stand();
  const [one, other, late, ofFlow] = [new Reader(), new Reader(), new Reader(), new Reader()];
  for (const reader of [one, other]) feed.open(reader, {});
  feed.open(ofFlow, { flow: 'welcome' });
  add(2, '', ['other']);
  feed.open(late, {});
  add(1, '', ['welcome']);
  await clock.advance(100);
  const [first, second, third, fourth] = [one, other, late, ofFlow].map(({ pieces }) => pieces.at(-1));
  expect(second).toBe(first);
  expect([one, late, ofFlow].map(({ numbers }) => numbers)).toEqual([[1, 2, 3], [3], [3]]);
  expect(new Set([first, third, fourth]).size).toBe(3);
});

it('sends less often to many readers, and as often as before when they have left', async () => {
  const { clock, feed, add } = stand();
  const readers = Array.from({ length: 10 }, () => new Reader());
  const closes = readers.map((reader) => feed.open(reader, {}));
  const got = (): number[] => [...new Set(readers.map(({ numbers }) => numbers.length))];
  add();
  await clock.advance(249);
  expect(got()).toEqual([0]);
  await clock.advance(1);
  expect(got()).toEqual([1]);
  for (const close of closes.slice(4)) close();
  add();
  await clock.advance(100);
  expect(readers[0]!.numbers).toEqual([1, 2]);
});

it('loses nothing and repeats nothing, however often a reader breaks off and comes back within a minute', async () => {
  const act = fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ pass: fc.integer({ min: 0, max: 400 }) }),
    fc.constant('break' as const),
    fc.constant('stall' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
      const { clock, feed, add, last } = stand();
      let reader = new Reader();
      let close = feed.open(reader, {});
      const got: number[] = [];
      for (const one of [...acts, { pass: 200 }]) {
        if (one === 'stall') reader.waitingBytes = reader.waitingBytes === 0 ? LIMIT : 0;
        else if (one === 'break') {
          close();
          got.push(...reader.numbers);
          const next = new Reader();
          close = feed.open(next, { lastId: reader.lastId });
          expect(next.resets).toBe(0);
          reader = next;
        } else if ('add' in one) add(one.add);
        else await clock.advance(one.pass);
      }
      reader.waitingBytes = 0;
      await clock.advance(200);
      expect([...got, ...reader.numbers]).toEqual(upTo(1, last()));
    }),
    { numRuns: 100 },
  );
});

it('buffers at most 64 KiB for a reader, and continues when there is room again', async () => {
  const { clock, feed, add, last } = stand();
  const reader = new Reader();
  feed.open(reader, {});
  reader.isStalled = true;
  add(1000, 'x'.repeat(200));
  await clock.advance(5000);
  expect(reader.mostWaiting).toBeGreaterThan(LIMIT / 2);
  expect(reader.mostWaiting).toBeLessThanOrEqual(LIMIT);
  expect(reader.isEnded).toBe(false);
  reader.isStalled = false;
  reader.waitingBytes = 0;
  await clock.advance(1000);
  expect(reader.numbers).toEqual(upTo(1, last()));
});

it('drops a reader that takes nothing for ten seconds, and no other', async () => {
  const { clock, feed, add, last } = stand();
  const [slow, quick] = [new Reader(), new Reader()];
  for (const reader of [slow, quick]) feed.open(reader, {});
  slow.waitingBytes = LIMIT;
  add();
  await clock.advance(10_000);
  expect(slow.isEnded).toBe(false);
  await clock.advance(200);
  add();
  await clock.advance(200);
  expect([slow.isEnded, slow.numbers, quick.isEnded, quick.numbers]).toEqual([true, [], false, upTo(1, last())]);
  expect(feed.readers).toBe(1);
});

it('keeps a minute of events for reconnecting readers, and less under load', async () => {
  const { clock, feed, add } = stand();
  const first = new Reader();
  feed.open(first, {})();
  const again = (): number => {
    const reader = new Reader();
    feed.open(reader, { lastId: first.lastId })();
    return reader.resets;
  };
  add();
  await clock.advance(59_999);
  expect(again()).toBe(0);
  await clock.advance(2);
  expect(again()).toBe(1);
  const { feed: busy, add: addMuch } = stand();
  const before = new Reader();
  busy.open(before, {})();
  addMuch(9000, 'x'.repeat(1000));
  const late = new Reader();
  busy.open(late, { lastId: before.lastId })();
  expect(late.resets).toBe(1);
});

it('leaves no timer behind, and is idle a minute after its last reader has left', async () => {
  const { clock, feed, add, isIdle } = stand();
  const closes = [new Reader(), new Reader()].map((reader) => feed.open(reader, {}));
  add();
  for (const close of closes) close();
  await clock.advance(59_999);
  expect(isIdle()).toBe(false);
  await clock.advance(1);
  expect([isIdle(), clock.pendingTimers]).toEqual([true, 0]);
});

it('sends events of a flow to its own readers only', async () => {
  const { clock, feed, add } = stand();
  const [welcome, all] = [new Reader(), new Reader()];
  feed.open(welcome, { flow: 'welcome' });
  feed.open(all, {});
  add(1, '', ['welcome', 'inner']);
  add(1, '', ['other']);
  add(1);
  await clock.advance(100);
  expect([welcome.numbers, all.numbers]).toEqual([
    [1, 3],
    [1, 2, 3],
  ]);
});
