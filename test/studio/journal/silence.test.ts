/** Longest silence of a call, and the search for it in journals. */
import { describe, expect, it } from 'vitest';
import { languageOf } from '../../../src/language/flow/language.ts';
import type { CallRow } from '../../../src/pages/studio/web/call-rows/call-row.ts';
import { readFilter } from '../../../src/pages/studio/web/calls/filter.ts';
import { SilenceScan } from '../../../src/pages/studio/web/calls/silence-scan.ts';
import { silentGapsOf } from '../../../src/pages/studio/web/calls/silent-gaps.ts';
import type { Entry } from '../../../src/pages/studio/web/journal/entries.ts';
import { longestSilenceMs } from '../../../src/pages/studio/web/journal/silence.ts';
import type { Visit } from '../../../src/pages/studio/web/journal/visits.ts';
import { verbs as allVerbs } from '../../../src/verbs/steps.ts';

const { verbs } = languageOf(allVerbs);
const START = 1_000_000;
let seq = 0;
const entry = (seconds: number, rest: object): Entry =>
  ({ seq: ++seq, atMs: START + seconds * 1000, ...rest }) as unknown as Entry;
const event = (seconds: number, of: object, leg?: string): Entry =>
  entry(seconds, { kind: 'in', input: { type: 'leg', event: of, ...(leg && { leg }) } });
const command = (seconds: number, of: object): Entry => entry(seconds, { kind: 'command', visit: 1, command: of });
const play = (from: number, to: number, playId: string): Entry[] => [
  command(from, { type: 'play', playId, audio: [{ type: 'speech', text: 'hello' }] }),
  event(to, { type: 'play_ended', playId, reason: 'finished', playedMs: 1 }),
];
const call = (...entries: Entry[]): Entry[] => [
  entry(0, { kind: 'started' }),
  event(2, { type: 'answered' }),
  ...entries,
  entry(30, { kind: 'ended' }),
];

describe('silence of a call', () => {
  it('is the longest time after the answer without a sound', () => {
    expect(longestSilenceMs(call(...play(3, 6, 'a'), ...play(13, 29, 'b')))).toBe(7000);
  });

  it('is interrupted by keys and words of the caller', () => {
    const acts = [event(9, { type: 'digit', digit: '1', durationMs: 100 }), event(12, { type: 'speech_started' })];
    expect(longestSilenceMs(call(...play(3, 6, 'a'), ...acts, ...play(13, 29, 'b')))).toBe(3000);
  });

  it('does not count while the caller is recorded, or talks with others', () => {
    const recorded = [command(6, { type: 'record', recordId: 'r' }), event(13, { type: 'record_ended' })];
    expect(longestSilenceMs(call(...play(3, 6, 'a'), ...recorded, ...play(13, 29, 'b')))).toBe(1000);
    expect(longestSilenceMs(call(...play(3, 6, 'a'), command(6, { type: 'join', mixId: 'm' })))).toBe(1000);
  });

  it('is the whole call if nothing was heard after the answer', () => {
    expect(longestSilenceMs(call())).toBe(28_000);
  });
});

describe('search for silence', () => {
  const row = (id: string, more: Partial<CallRow> = {}): CallRow => ({
    ...{ id, direction: 'in', from: '1', to: '2', flow: 'menu', state: 'success', startedMs: 0, endedMs: 9 },
    ...{ isRecorded: false, ...more },
  });

  it('reads the journal of each ended call once, and continues after one that cannot be read', async () => {
    const read: string[] = [];
    const scan = new SilenceScan(async (id) => {
      read.push(id);
      if (id === 'b') throw new Error('it was deleted');
      return call();
    });
    const live = row('d');
    delete live.endedMs;
    await scan.look([row('a'), row('b'), row('c'), live]);
    await scan.look([row('a')]);
    expect(read).toEqual(['a', 'b', 'c']);
    expect(Object.fromEntries(scan.known.value)).toEqual({ a: 28_000, b: 0, c: 28_000 });
  });

  it('finds calls by their silence, and none that was not read', () => {
    const filter = readFilter('silence>5s');
    expect(filter.problems).toEqual([]);
    expect([{ silenceMs: 6000 }, { silenceMs: 4000 }, {}].map((more) => filter.test(row('a', more), 0))).toEqual([
      ...[true, false, false],
    ]);
  });
});

describe('timeline of a call with silences', () => {
  const visit = (step: string, verb: string, fromMs: number, toMs: number): Visit =>
    ({ step, verb, fromMs, toMs, depth: 0 }) as Visit;
  const journal = call(...play(3, 6, 'a'), ...play(13.1, 16, 'b'), ...play(18, 30, 'c'));

  it('marks those of three seconds or more, with what would fill them', () => {
    const visits = [visit('hello', 'play', 3000, 6000), visit('look_up', 'request', 6000, 13_100)];
    const gaps = silentGapsOf(journal, visits, 30_000, verbs);
    expect(gaps).toMatchObject([{ fromMs: 6000, toMs: 13_100, text: '7.1 s nothing heard' }]);
    expect(gaps[0]!.advice).toBe('Add meanwhile: to look_up, so that the caller hears something');
  });

  it.each([
    ['menu', 'x waits for the caller: a shorter start_timeout asks again sooner'],
    ['bridge', 'Say something before x, which takes this long'],
  ])('says what helps in a %s', (verb, advice) => {
    const [gap] = silentGapsOf(journal, [visit('x', verb, 5000, 13_000)], 30_000, verbs);
    expect(gap!.advice).toBe(advice);
  });
});
