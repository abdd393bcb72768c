import { describe, expect, it } from 'vitest';
import { callerActsOf } from '../../../src/pages/studio/web/journal/acts.ts';
import { conversationOf } from '../../../src/pages/studio/web/journal/conversation.ts';
import { type Entry, endOf, lengthOf } from '../../../src/pages/studio/web/journal/entries.ts';
import { clockOf, lengthInWords } from '../../../src/pages/studio/web/journal/moment.ts';
import { outsideOf, wordsOfAnswer } from '../../../src/pages/studio/web/journal/outside.ts';
import { pathOf } from '../../../src/pages/studio/web/journal/path.ts';
import { soundsOf, textOfSsml } from '../../../src/pages/studio/web/journal/sounds.ts';
import { framesAt, resultsAt } from '../../../src/pages/studio/web/journal/variables.ts';
import { stepAt, visitAt, visitsOf } from '../../../src/pages/studio/web/journal/visits.ts';
import { wordsOf } from '../../../src/pages/studio/web/journal/words.ts';
import { begun, callWith, entered, journalOf, left, legEvent, played, recorded, speech } from './recorded.ts';

const numbered = recorded.map((journal, index) => [index + 1, journal] as const);

describe('every recorded call', () => {
  it.each(numbered)('%i: has visits, sounds, acts and events within its time', (_, journal) => {
    const visits = visitsOf(journal);
    expect(visits).toHaveLength(journal.filter(({ kind }) => kind === 'entered').length);
    const spans = [...visits, ...soundsOf(journal), ...callerActsOf(journal), ...outsideOf(journal)];
    for (const { fromMs, toMs } of spans) {
      expect(fromMs).toBeGreaterThanOrEqual(0);
      expect(toMs).toBeGreaterThanOrEqual(fromMs);
      expect(toMs).toBeLessThanOrEqual(lengthOf(journal));
    }
  });

  it.each(numbered)('%i: has each step and each outcome of the flow once in its path', (_, journal) => {
    const path = pathOf(journal);
    const root = visitsOf(journal).filter(({ flow }) => flow === visitsOf(journal)[0]?.flow);
    const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);
    expect(sum(path.steps)).toBe(root.length);
    expect(sum(path.exits)).toBe(root.filter(({ outcome }) => outcome !== undefined).length);
    expect(path.now).toBe(root.at(-1)?.step);
  });

  it.each(numbered)('%i: has a description for each entry', (_, journal) => {
    for (const entry of journal) {
      const { text } = wordsOf(entry);
      expect(text).not.toBe('');
      expect(text).not.toMatch(/undefined|\[object/);
    }
  });

  it.each(numbered)('%i: is described in the order of its entries, with grouped keys', (_, journal) => {
    const lines = conversationOf(journal);
    const digits = callerActsOf(journal).flatMap((act) => (act.act === 'pressed' ? [act.digit] : []));
    const pressed = lines.flatMap((line) => (line.who === 'caller' && line.does === 'pressed' ? [line.digits] : []));
    expect(pressed.join('')).toBe(digits.join(''));
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map(({ seq }) => seq).toSorted((one, other) => one - other));
    expect(lines.at(-1)?.who).toBe('end');
  });
});

describe('visits of a journal', () => {
  const journal = journalOf(
    begun,
    entered(0, 'menu', 'menu', 1),
    left(1500, 'menu', 1, 'sales', { result: { digits: '1' } }),
    entered(1500, 'check', 'subflow', 2),
    entered(1500, 'look', 'request', 3, { depth: 1, flow: 'inner' }),
  );

  it('shows outcome and result of visits, and no end while they are active', () => {
    expect(visitsOf(journal)).toMatchObject([
      { step: 'menu', fromMs: 0, toMs: 1500, outcome: 'sales', result: { digits: '1' } },
      { step: 'check', fromMs: 1500, depth: 0 },
      { step: 'look', fromMs: 1500, depth: 1, flow: 'inner' },
    ]);
    expect(visitsOf(journal)[2]).not.toHaveProperty('toMs');
    expect(endOf(journal)).toBeUndefined();
  });

  it('are found by time, in all flows or in one', () => {
    const visits = visitsOf(journal);
    expect(visitAt(visits, 1000)?.step).toBe('menu');
    expect(visitAt(visits, 2000)?.step).toBe('look');
    expect(stepAt(visits, 2000, undefined)?.step).toBe('check');
    expect(stepAt(visits, 2000, 'inner')?.step).toBe('look');
  });

  it('ends with the call, unless it ended before', () => {
    const ended = [...journal, { seq: 6, atMs: 5000, kind: 'ended', reason: 'hangup' }] as Entry[];
    expect(visitsOf(ended)[2]).toMatchObject({ toMs: 4000 });
  });
});

describe('a path of a journal', () => {
  const journal = journalOf(
    begun,
    entered(0, 'menu', 'menu', 1),
    left(1000, 'menu', 1, 'exhausted.no_input'),
    entered(1000, 'menu', 'menu', 2),
    left(3000, 'menu', 2, 'sales'),
    entered(3000, 'inner_step', 'play', 3, { depth: 1, flow: 'inner' }),
  );

  it('ends at an entry, or at a moment', () => {
    expect(pathOf(journal)).toEqual({
      steps: new Map([['menu', 2]]),
      exits: new Map([
        ['menu exhausted.no_input', 1],
        ['menu sales', 1],
      ]),
      now: 'menu',
    });
    expect(pathOf(journal, { untilSeq: 3 }).exits).toEqual(new Map([['menu exhausted.no_input', 1]]));
    expect(pathOf(journal, { untilMs: 999 }).exits).toEqual(new Map());
  });

  it('follows another flow of the call on request', () => {
    expect(pathOf(journal, { flow: 'inner' })).toEqual({
      steps: new Map([['inner_step', 1]]),
      exits: new Map(),
      now: 'inner_step',
    });
  });
});

describe('sounds of a journal', () => {
  it('ends after the last sample, at a stop, or when the caller hung up', () => {
    const journal = journalOf(
      begun,
      played(0, 'a', 1, speech('Welcome', 'welcome'), { type: 'silence', durationMs: 200 }, speech('Press 1')),
      legEvent(900, { type: 'play_ended', playId: 'a', reason: 'finished', playedMs: 900 }),
      played(900, 'b', 1, { type: 'file', file: 'sounds/music.wav' }),
      { at: 1100, kind: 'command', command: { type: 'stop_play', playId: 'b' }, visit: 1 },
      played(1100, 'c', 1, { type: 'tone', frequencyHz: 440, durationMs: 100, name: 'beep' }),
      legEvent(1300, { type: 'ended', by: 'far', cause: { code: 16, reason: 'Normal Clearing' } }),
    );
    expect(soundsOf(journal)).toMatchObject([
      { text: 'Welcome Press 1', names: ['welcome'], fromMs: 0, toMs: 900, cut: false },
      { text: '♪ music.wav', fromMs: 900, toMs: 1100, cut: true },
      { text: '♪ beep', fromMs: 1100, toMs: 1300, cut: true },
    ]);
  });

  it('contains the words of marked-up speech', () => {
    expect(textOfSsml('<speak>Tom &amp; <break time="1s"/> Jerry &amp;lt;</speak>')).toBe('Tom & Jerry &lt;');
  });
});

describe('external systems in a journal', () => {
  it('includes requests with and without an answer', () => {
    const journal = callWith((entry) => entry.kind === 'request');
    const request = outsideOf(journal).find(({ what }) => what === 'request');
    expect(request).toMatchObject({ method: 'GET', url: 'http://a.example/', answer: { ok: true, status: 200 } });
    expect(wordsOfAnswer({ ok: true, status: 200, headers: {}, body: null })).toBe('200');
    expect(wordsOfAnswer({ ok: false, reason: 'timeout', message: 'no answer within 5 s' })).toBe('timeout');
  });

  it('includes the dialled parties, with the time of their answer and the reason of their end', () => {
    const journal = callWith((entry) => entry.kind === 'dialled');
    expect(outsideOf(journal).find(({ what }) => what === 'party')).toMatchObject({
      to: 'user:alice',
      phase: 'ended',
      cause: 'Normal Clearing',
      answeredMs: 0,
      toMs: 20_000,
    });
  });
});

describe('variables at an entry', () => {
  const journal = journalOf(
    begun,
    entered(0, 'ask', 'collect', 1),
    { at: 10, kind: 'vars', set: { order: '1' }, visit: 1 },
    left(10, 'ask', 1, 'collected', { result: { digits: '1' } }),
    entered(10, 'check', 'subflow', 2),
    entered(10, 'look', 'set', 3, { depth: 1, flow: 'inner' }),
    { at: 10, kind: 'vars', set: { tier: 'gold' }, visit: 3 },
    left(10, 'look', 3, 'done'),
    left(10, 'check', 2, 'done'),
    entered(10, 'bye', 'hangup', 4),
  );

  it('includes those of each active flow, and marks the latest changes', () => {
    expect(framesAt(journal, 7)).toEqual([
      { flow: 'hello', depth: 0, vars: { order: '1' }, changed: new Set() },
      { flow: 'inner', depth: 1, vars: { tier: 'gold' }, changed: new Set(['tier']) },
    ]);
    expect(framesAt(journal)).toEqual([{ flow: 'hello', depth: 0, vars: { order: '1' }, changed: new Set() }]);
  });

  it('are shown beside the results of steps', () => {
    expect(resultsAt(journal, 5)).toEqual({ ask: { digits: '1' } });
  });
});

it.each([
  [0, '0:00.0'],
  [15_649, '0:15.6'],
  [65_200, '1:05.2'],
  [3_725_000, '1:02:05'],
])('writes %i ms as %s on the clock', (ms, text) => expect(clockOf(ms)).toBe(text));

it.each([
  [350, '350 ms'],
  [2500, '2.5 s'],
  [180_000, '3 min'],
  [7_200_000, '2 h'],
])('writes %i ms as %s in words', (ms, text) => expect(lengthInWords(ms)).toBe(text));

it('shows the SIP headers of an entry', () => {
  const headers = { 'x-customer': '17' };
  const said: Entry[] = [
    { seq: 1, atMs: 0, kind: 'command', visit: 1, command: { type: 'hangup', cause: 16, headers } },
    { seq: 2, atMs: 0, kind: 'in', input: { type: 'leg', event: { type: 'answered', headers } } },
    {
      seq: 3,
      atMs: 0,
      kind: 'in',
      input: { type: 'leg', event: { type: 'referred', referId: 'r', to: '2', headers } },
    },
    { seq: 4, atMs: 0, kind: 'dialled', leg: 'leg-2', from: '1', to: '2', visit: 1, headers },
  ];
  for (const entry of said) expect(wordsOf(entry).text).toMatch(/ \(x-customer: 17\)$/);
});
