/** Metrics of the service and progress of broadcasts, as pages show them. */
import { describe, expect, test } from 'vitest';
import { type BroadcastTotals, partsOf, remainingMs } from '../../../src/pages/studio/web/broadcasts/progress.ts';
import { metricsOf, sumOf } from '../../../src/pages/studio/web/settings/metrics.ts';
import { mixed, wavOf } from '../../../src/pages/studio/web/settings/wav.ts';
import { rankOf } from '../../../src/pages/studio/web/shell/rank.ts';

describe('metrics', () => {
  const text = [
    '# HELP calls_total Calls.',
    '# TYPE calls_total counter',
    'calls_total{direction="in",why="a \\"b\\", c"} 3',
    'calls_total{direction="out"} 4.5',
    'up 1',
    '',
  ].join('\n');

  test('are parsed with their labels', () => {
    expect(metricsOf(text)).toEqual([
      { name: 'calls_total', labels: { direction: 'in', why: 'a "b", c' }, value: 3 },
      { name: 'calls_total', labels: { direction: 'out' }, value: 4.5 },
      { name: 'up', labels: {}, value: 1 },
    ]);
  });

  test('are added up over their labels', () => {
    expect(sumOf(metricsOf(text), 'calls_total')).toBe(7.5);
    expect(sumOf(metricsOf(text), 'nothing')).toBeUndefined();
  });
});

describe('a broadcast', () => {
  const totals: BroadcastTotals = {
    ...{ numbers: 100, queued: 40, ringing: 10, connected: 0, disconnected: 50, success: 45, failed: 5, attempts: 60 },
    reasons: {},
  };
  const running = {
    app_instance: 'b',
    application_name: 'b',
    state: 'running',
    created: '2026-03-02T08:00:00Z',
  } as const;

  test('is drawn by its parts, without empty ones', () => {
    expect(partsOf(totals).map(({ name, share }) => [name, share])).toEqual([
      ['success', 0.45],
      ['failed', 0.05],
      ['ringing', 0.1],
      ['queued', 0.4],
    ]);
    expect(partsOf({ ...totals, numbers: 0, success: 0, failed: 0, ringing: 0, queued: 0 })).toEqual([]);
  });

  test('is estimated to end at its average pace', () => {
    const started = '2026-03-02T08:00:00Z';
    const nowMs = Date.parse('2026-03-02T08:10:00Z');
    expect(remainingMs({ ...running, started }, totals, nowMs)).toBe(600_000);
    expect(remainingMs(running, totals, nowMs)).toBeUndefined();
    expect(remainingMs({ ...running, started, ended: started }, totals, nowMs)).toBeUndefined();
    expect(remainingMs({ ...running, started }, { ...totals, disconnected: 0 }, nowMs)).toBeUndefined();
  });
});

test('encodes a recording as a WAV file of 16 bits', async () => {
  const samples = mixed([new Float32Array([0, 1, -2]), new Float32Array([1, 1, -2])]);
  const view = new DataView(await wavOf(samples, 16_000).arrayBuffer());
  const word = (at: number): string => String.fromCharCode(...new Uint8Array(view.buffer, at, 4));
  expect([word(0), word(8), word(12), word(36)]).toEqual(['RIFF', 'WAVE', 'fmt ', 'data']);
  expect([view.getUint32(24, true), view.getUint32(40, true)]).toEqual([16_000, 6]);
  expect([44, 46, 48].map((at) => view.getInt16(at, true))).toEqual([16_384, 32_767, -32_767]);
});

test.each([
  ['welcome-menu', 'wel', 'the beginning'],
  ['welcome-menu', 'menu', 'the beginning of a word'],
  ['welcome-menu', 'come', 'some of it'],
  ['welcome-menu', 'wmn', 'its letters in order'],
  ['welcome-menu', 'xyz', 'nothing of it'],
])('%s is found by %s: %s', (title, wanted) => {
  expect(rankOf(title, wanted)).toBe({ wel: 0, menu: 1, come: 2, wmn: 3.011, xyz: Number.POSITIVE_INFINITY }[wanted]);
});
