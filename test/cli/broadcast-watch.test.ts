/** Following a broadcast in virtual time: it ends, is left, is stopped, and the service goes away in the middle. */
import { expect, test } from 'vitest';
import type { BroadcastStatus } from '../../src/cli/broadcast-progress.ts';
import { type WatchedBroadcast, type WatchResult, watchBroadcast } from '../../src/cli/broadcast-watch.ts';
import { RequestRefused, ServiceUnreachable } from '../../src/cli/service-client.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const NUMBERS = 100;

const reported = (state: string, disconnected: number, ended?: string): BroadcastStatus => ({
  app_instance: 'b1',
  application_name: 'news',
  state,
  ...(ended === undefined ? {} : { ended }),
  totals: {
    numbers: NUMBERS,
    queued: NUMBERS - disconnected,
    ringing: 0,
    connected: 0,
    disconnected,
    success: disconnected,
    failed: 0,
    attempts: disconnected,
    reasons: { success: disconnected },
  },
});

function open({
  isInteractive = false,
  mayStop = false,
  quiet = false,
  answer = () => reported('running', 0),
}: {
  isInteractive?: boolean;
  mayStop?: boolean;
  quiet?: boolean;
  answer?: () => BroadcastStatus;
} = {}) {
  const clock = new VirtualClock();
  const printed: string[] = [];
  const drawn: string[][] = [];
  const looked: number[] = [];
  let interrupt: () => void = () => undefined;
  let stops = 0;
  const terminal = {
    isInteractive,
    print: (line = '') => void printed.push(line),
    draw: (lines: readonly string[]) => void drawn.push([...lines]),
    style: (_style: unknown, text: string) => text,
    onInterrupt(listener: () => void) {
      interrupt = listener;
      return () => {
        interrupt = () => undefined;
      };
    },
  } as unknown as Terminal;
  const startMs = clock.now();
  const watched: WatchedBroadcast = {
    async status() {
      looked.push(clock.now() - startMs);
      return answer();
    },
    ...(mayStop
      ? {
          async stop() {
            stops += 1;
            answer = () => reported('stopped', 10);
          },
        }
      : {}),
  };
  let result: WatchResult | undefined;
  let failure: unknown;
  watchBroadcast(watched, { clock, terminal, quiet }).then(
    (watching) => {
      result = watching;
    },
    (error: unknown) => {
      failure = error;
    },
  );
  return {
    clock,
    printed,
    drawn,
    looked,
    answers(next: () => BroadcastStatus) {
      answer = next;
    },
    interrupt: async () => {
      interrupt();
      await clock.settle();
    },
    get result() {
      return result;
    },
    get failure() {
      return failure;
    },
    get stops() {
      return stops;
    },
  };
}

test('polls soon, then once a second, until the broadcast is over', async () => {
  const on = open();
  await on.clock.advance(4_500);
  expect(on.looked).toEqual([0, 100, 300, 700, 1500, 2500, 3500, 4500]);
  on.answers(() => reported('completed', NUMBERS, 'now'));
  await on.clock.advance(1_000);
  expect(on.result).toMatchObject({ outcome: 'over', status: { state: 'completed' } });
});

test('prints a line to a file for each tenth', async () => {
  let done = 0;
  const on = open({ answer: () => reported(done < NUMBERS ? 'running' : 'completed', done++) });
  await on.clock.advance(120_000);
  expect(on.result?.outcome).toBe('over');
  expect(on.printed).toHaveLength(11);
  expect(on.printed[0]).toBe('running: 0 % done, 0 of 100; 0 successful, 0 failed; calling');
  expect(on.printed[5]).toMatch(/^running: 50 % done, .*; 1\.0 calls a second, about \d\d s left$/);
});

test('redraws the lines on a terminal, and clears them at the end', async () => {
  const on = open({ isInteractive: true });
  await on.clock.advance(300);
  expect(on.drawn).toHaveLength(3);
  expect(on.drawn[0]).toHaveLength(4);
  on.answers(() => reported('completed', NUMBERS));
  await on.clock.advance(1_000);
  expect(on.drawn.at(-1)).toEqual([]);
  expect(on.printed).toEqual([]);
});

test('shows nothing with --json', async () => {
  const on = open({ quiet: true });
  await on.clock.advance(60_000);
  expect([...on.printed, ...on.drawn]).toEqual([]);
});

test('leaves at an interrupt, and the broadcast continues', async () => {
  const on = open();
  await on.clock.advance(10_000);
  await on.interrupt();
  expect(on.result).toMatchObject({ outcome: 'left', status: { state: 'running' } });
});

test('stops the broadcast at the first interrupt with --stop-on-interrupt, and waits for its last calls', async () => {
  const on = open({ mayStop: true });
  await on.clock.advance(10_000);
  await on.interrupt();
  expect(on.stops).toBe(1);
  await on.clock.advance(20_000);
  expect(on.result).toBeUndefined();
  on.answers(() => reported('stopped', NUMBERS, 'now'));
  await on.clock.advance(1_000);
  expect(on.result?.outcome).toBe('over');
  expect(on.stops).toBe(1);
});

test('leaves at the second interrupt with --stop-on-interrupt', async () => {
  const on = open({ mayStop: true });
  await on.clock.advance(10_000);
  await on.interrupt();
  await on.interrupt();
  expect(on.result?.outcome).toBe('left');
});

test('waits for a service that is being restarted', async () => {
  const on = open();
  await on.clock.advance(5_000);
  on.answers(() => {
    throw new ServiceUnreachable('the service does not answer: connection refused');
  });
  await on.clock.advance(200_000);
  expect(on.result).toBeUndefined();
  expect(on.printed.slice(-1)).toEqual(['the service does not answer: connection refused; waiting']);
  on.answers(() => reported('running', 50));
  await on.clock.advance(1_000);
  expect(on.printed.slice(-2)).toEqual([
    'the service is available again',
    expect.stringMatching(/^running: 50 % done/),
  ]);
  on.answers(() => reported('completed', NUMBERS));
  await on.clock.advance(1_000);
  expect(on.result?.outcome).toBe('over');
});

test('leaves at an interrupt also while the service is unreachable', async () => {
  const on = open({
    answer: () => {
      throw new RequestRefused(503, {}, undefined);
    },
  });
  await on.clock.advance(5_000);
  await on.interrupt();
  expect(on.result).toEqual({ outcome: 'left' });
});

test('gives up on a service that does not come back', async () => {
  const on = open({
    answer: () => {
      throw new ServiceUnreachable('gone');
    },
  });
  await on.clock.advance(6 * 60_000);
  expect(on.result).toMatchObject({ outcome: 'lost', error: { message: 'gone' } });
});

test('waits for as long as Retry-After says', async () => {
  const on = open({
    answer: () => {
      throw new RequestRefused(429, {}, 7_000);
    },
  });
  await on.clock.advance(15_000);
  expect(on.looked).toEqual([0, 7_000, 14_000]);
});

test('fails at once when the broadcast does not exist', async () => {
  const on = open({
    answer: () => {
      throw new RequestRefused(404, { error_description: 'no such broadcast' }, undefined);
    },
  });
  await on.clock.advance(1);
  expect(on.failure).toMatchObject({ status: 404, message: 'no such broadcast' });
});
