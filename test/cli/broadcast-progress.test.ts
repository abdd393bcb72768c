/** Lines that show the progress of a broadcast. */
import { describe, expect, test } from 'vitest';
import {
  type BroadcastStatus,
  finalLines,
  formatSpan,
  measurePace,
  progressLines,
  recentSamples,
  type Sample,
  shouldPrint,
  statusLine,
  type Totals,
} from '../../src/cli/broadcast-progress.ts';

const plain = (_style: string, text: string): string => text;

const totals = (changes: Partial<Totals> = {}): Totals => ({
  numbers: 100_000,
  queued: 68_000,
  ringing: 400,
  connected: 396,
  disconnected: 31_204,
  success: 29_100,
  failed: 2_104,
  attempts: 33_333,
  reasons: { success: 29_100, Busy: 2_104 },
  ...changes,
});

const reported = (
  state: string,
  changes: Partial<Totals> = {},
  more: Partial<BroadcastStatus> = {},
): BroadcastStatus => ({
  app_instance: '3f2c',
  application_name: 'reminder',
  state,
  totals: totals(changes),
  ...more,
});

const sample = (atMs: number, attempts: number, disconnected: number): Sample => ({
  atMs,
  totals: totals({ attempts, disconnected }),
});

describe('the pace', () => {
  test('is unknown after one sample', () => {
    expect(measurePace([])).toEqual({});
    expect(measurePace([sample(0, 10, 5)])).toEqual({});
  });

  test('is measured over ten seconds for calls and a minute for results', () => {
    const samples = [sample(0, 0, 0), sample(50_000, 1000, 900), sample(55_000, 1025, 950), sample(60_000, 1050, 1000)];
    expect(measurePace(samples)).toEqual({ callsPerSecond: 5, leftMs: ((100_000 - 1000) / (1000 / 60)) * 1000 });
  });

  test('has no estimate while no number is done', () => {
    expect(measurePace([sample(0, 0, 0), sample(1000, 20, 0)])).toEqual({ callsPerSecond: 20 });
  });

  test('drops samples older than a minute', () => {
    expect(
      recentSamples([sample(0, 0, 0), sample(60_000, 1, 1), sample(119_000, 2, 2)], 120_000).map(({ atMs }) => atMs),
    ).toEqual([60_000, 119_000]);
  });
});

describe('during the broadcast', () => {
  test('shows a bar, the states of the numbers and an estimate', () => {
    expect(progressLines(reported('running'), { callsPerSecond: 9.84, leftMs: 7_020_000 }, plain)).toEqual([
      'reminder  3f2c  running',
      '[############............................] 31 %  31,204 of 100,000 done',
      '68,000 queued, 400 ringing, 396 connected; 29,100 successful, 2,104 failed',
      '9.8 calls a second, about 1 h 57 min left',
    ]);
  });

  test.each([
    ['nothing done', 0, '[........................................] 0 %'],
    ['hardly anything', 1, '[........................................] < 1 %'],
    ['all but one', 99_999, '[#######################################.] 99 %'],
    ['all', 100_000, '[########################################] 100 %'],
  ])('%s is shown as that', (_, disconnected, bar) => {
    expect(progressLines(reported('running', { disconnected }), {}, plain)[1]).toContain(bar);
  });

  test.each([
    ['nothing is known yet', 'running', {}, {}, 'calling'],
    ['many calls', 'running', {}, { callsPerSecond: 49.6 }, '50 calls a second'],
    [
      'nothing is called now',
      'running',
      { ringing: 0, connected: 0 },
      { callsPerSecond: 0 },
      'waiting for the window or the next attempt',
    ],
    [
      'nothing new is called',
      'running',
      {},
      { callsPerSecond: 0.04, leftMs: 60_000 },
      'no new calls, about 1 min left',
    ],
    ['over', 'completed', { ringing: 0, connected: 0 }, { callsPerSecond: 4 }, 'over'],
    [
      'nobody is called, and yet there are results',
      'running',
      { ringing: 0, connected: 0 },
      { callsPerSecond: 0, leftMs: 60_000 },
      'no new calls, about 1 min left',
    ],
    ['stopped', 'stopped', { ringing: 0, connected: 1 }, { callsPerSecond: 0 }, 'stopped; 1 call still active'],
  ])('shows the progress line: %s', (_, state, changes, pace, line) => {
    expect(progressLines(reported(state, changes), pace, plain)[3]).toBe(line);
  });

  test('is one line in a file', () => {
    expect(statusLine(reported('running'), { callsPerSecond: 10 })).toBe(
      'running: 31 % done, 31,204 of 100,000; 29,100 successful, 2,104 failed; 10 calls a second',
    );
  });

  test('prints few lines to a file', () => {
    const before = { atMs: 0, part: 0.31, state: 'running' };
    expect(shouldPrint(undefined, before)).toBe(true);
    expect(shouldPrint(before, { ...before, atMs: 29_000, part: 0.39 })).toBe(false);
    expect(shouldPrint(before, { ...before, atMs: 1_000, part: 0.4 })).toBe(true);
    expect(shouldPrint(before, { ...before, atMs: 30_000 })).toBe(true);
    expect(shouldPrint(before, { ...before, state: 'stopped' })).toBe(true);
  });
});

describe('at the end', () => {
  const done = reported(
    'completed',
    {
      numbers: 12_000,
      queued: 0,
      ringing: 0,
      connected: 0,
      disconnected: 12_000,
      success: 10_000,
      failed: 2_000,
      attempts: 15_000,
      reasons: { Busy: 500, success: 10_000, 'No Answer': 1_499, 'Do Not Call': 1 },
    },
    { created: '2026-03-02T08:00:00Z', started: '2026-03-02T08:00:10Z', ended: '2026-03-02T08:25:10Z' },
  );

  test('shows results by reason, attempts and durations', () => {
    const statistics = { byAttempts: [1, 10_000, 998, 1_000, 0, 1], durations: [10, 30, 20, 600] };
    expect(finalLines({ status: done, statistics }, plain)).toEqual([
      'reminder  3f2c  completed after 25 min',
      '',
      'result       numbers',
      'success       10,000   83 %',
      'No Answer      1,499   12 %',
      'Busy             500    4 %',
      'Do Not Call        1  < 1 %',
      'altogether    12,000',
      '',
      '10,000 successful, 2,000 failed',
      '15,000 calls made: never 1, once 10,000, twice 998, 3 times 1,000, 5 times or more 1',
      'connected for 2 min 45 s on average, half for 20 s or less, the longest for 10 min; 11 min altogether',
    ]);
  });

  test('counts unfinished numbers, too', () => {
    const lines = finalLines({ status: reported('running'), statistics: { byAttempts: [], durations: [] } }, plain);
    expect(lines[0]).toBe('reminder  3f2c  running');
    expect(lines).toContain('not over     68,796  69 %');
    expect(lines.at(-1)).toBe('33,333 calls made');
  });
});

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [80_000, '1 min 20 s'],
  [600_000, '10 min'],
  [3_540_000, '59 min'],
  [3_600_000, '1 h'],
  [7_020_000, '1 h 57 min'],
  [200_000_000, '2 days'],
  [-5, '0 s'],
])('shows for %i ms: %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});
