import { describe, expect, it } from 'vitest';
import { CallPath } from '../../../src/pages/studio/web/calls/call-path.ts';
import { PathIndex } from '../../../src/pages/studio/web/calls/path-index.ts';
import { recordingsOf } from '../../../src/pages/studio/web/calls/recordings.ts';
import { drawingOfBoth, readResult } from '../../../src/pages/studio/web/calls/replay.tsx';
import { entryAt, stepFrom, storyOf } from '../../../src/pages/studio/web/calls/story.ts';
import { type Entry, lengthOf } from '../../../src/pages/studio/web/journal/entries.ts';
import { pathOf } from '../../../src/pages/studio/web/journal/path.ts';
import { graphIn } from '../graph/flows.ts';
import { begun, callWith, entered, journalOf, left, legEvent, played, recorded, speech } from '../journal/recorded.ts';

const numbered = recorded.map((journal, index) => [index + 1, journal] as const);

describe('every recorded call', () => {
  it.each(numbered)('%i: is described in order, each line with its entry', (_, journal) => {
    const story = storyOf(journal);
    expect(story.length).toBeGreaterThan(2);
    for (const [place, { index, seq, atMs, text, strong }] of story.entries()) {
      expect(journal[index]!.seq).toBe(seq);
      expect(atMs).toBe(journal[index]!.atMs - journal[0]!.atMs);
      if (place > 0) expect(index).toBeGreaterThan(story[place - 1]!.index);
      expect(text).not.toMatch(/\[object|undefined|NaN/);
      if (strong !== undefined) expect(text).toContain(strong);
    }
    expect(story.some(({ isStep }) => isStep)).toBe(journal.some(({ kind }) => kind === 'entered'));
  });

  it.each(numbered)('%i: has at each entry the path of the journal up to it', (_, journal) => {
    const paths = new PathIndex(journal);
    for (const flow of paths.flows) {
      for (const [index, { seq }] of journal.entries()) {
        expect(paths.at(index, flow)).toEqual(pathOf(journal, { flow, untilSeq: seq }));
      }
    }
  });

  it.each(numbered)('%i: lets arrows pass each line once, on and back, and steps by Shift', (_, journal) => {
    const lines = storyOf(journal);
    const on: number[] = [];
    for (let line = stepFrom(lines, -1, 1, false); line !== undefined; line = stepFrom(lines, line.index, 1, false)) {
      on.push(line.index);
    }
    expect(on).toEqual(lines.map(({ index }) => index));
    const back: number[] = [];
    for (
      let line = stepFrom(lines, journal.length, -1, true);
      line !== undefined;
      line = stepFrom(lines, line.index, -1, true)
    ) {
      back.push(line.seq);
    }
    expect(back.toReversed()).toEqual(journal.filter(({ kind }) => kind === 'entered').map(({ seq }) => seq));
  });

  it.each(numbered)('%i: maps a time to the last entry before it', (_, journal) => {
    for (const { atMs } of journal) {
      const ms = atMs - journal[0]!.atMs;
      expect(journal[entryAt(journal, ms)]!.atMs).toBe(atMs);
      expect(journal[entryAt(journal, ms + 0.5)]!.atMs).toBe(atMs);
    }
    expect(entryAt(journal, lengthOf(journal) + 1)).toBe(journal.length - 1);
  });
});

const call: Entry[] = journalOf(
  begun,
  entered(0, 'ask', 'menu', 1),
  played(10, 'p1', 1, speech('Press 1.')),
  legEvent(2000, { type: 'digit', digit: '1', durationMs: 40 }),
  left(2000, 'ask', 1, 'one'),
  { at: 2000, kind: 'vars', set: { choice: 'one' } },
  entered(2000, 'bye', 'hangup', 2),
  { at: 2100, kind: 'ended', reason: 'completed' },
);

describe('navigation in a recorded call', () => {
  const journey = (): CallPath => {
    const made = new CallPath();
    made.append(call);
    return made;
  };

  it('starts at the end, with the complete state', () => {
    const made = journey();
    expect([made.index.value, made.atMs.value]).toEqual([7, 2100]);
    expect(made.path('hello').now).toBe('bye');
    expect(made.frames.value[0]?.vars).toEqual({ choice: 'one' });
  });

  it('moves back by steps and by lines, and shows only earlier events', () => {
    const made = journey();
    made.toIndex(0);
    expect(made.step(1, true)?.text).toContain('ask');
    expect(made.path('hello')).toEqual({ steps: new Map([['ask', 1]]), exits: new Map(), now: 'ask' });
    made.step(1, true);
    expect(made.path('hello').exits).toEqual(new Map([['ask one', 1]]));
    expect(made.step(1, true)).toBeUndefined();
    expect(made.step(-1, false)?.index).toBe(4);
    expect(made.frames.value[0]?.vars).toEqual({});
  });

  it('follows a live call at its end, and stays at a selected entry', () => {
    const made = new CallPath();
    made.append(call.slice(0, 3));
    expect(made.index.value).toBe(2);
    made.append(call.slice(0, 5));
    expect(made.index.value).toBe(4);
    made.toSeq(2);
    made.append(call);
    expect([made.index.value, made.journal.value.length]).toEqual([1, 8]);
  });

  it('hides the deselected kinds, but never all of them', () => {
    const made = journey();
    const all = made.lines.value.length;
    made.toggleLane('steps');
    expect(made.lines.value.length).toBeLessThan(all);
    expect(made.lines.value.some(({ lane }) => lane === 'steps')).toBe(false);
    for (const lane of ['hears', 'does', 'outside'] as const) made.toggleLane(lane);
    expect(made.hiddenLanes.value.size).toBe(4);
  });
});

it('finds a moment in 10,000 entries in less than a frame', () => {
  const long: Entry[] = Array.from({ length: 10_000 }, (_, index) => ({
    seq: index + 1,
    atMs: index * 100,
    ...(index % 2 === 0
      ? { kind: 'entered', step: `s${index % 400}`, verb: 'play', visit: index, depth: 0, flow: 'f' }
      : { kind: 'left', step: `s${(index - 1) % 400}`, verb: 'play', visit: index - 1, outcome: 'done' }),
  })) as Entry[];
  const journey = new CallPath();
  journey.append(long);
  const times = [9000, 20, 5000, 7777, 3].map((index) => {
    const began = performance.now();
    journey.toIndex(index);
    void [journey.path('f'), journey.lineAt.value, journey.frames.value];
    return performance.now() - began;
  });
  // The best time of several: other programs may use the processor.
  expect(Math.min(...times)).toBeLessThan(16);
});

it('computes the recording time of a call without its pauses', () => {
  const state = (at: number, name: string) => ({ at, kind: 'recording', recordingId: 'r1', state: name });
  const journal = journalOf(
    begun,
    state(1000, 'started'),
    state(3000, 'paused'),
    state(5000, 'resumed'),
    state(9000, 'completed'),
  );
  expect(recordingsOf(journal)).toEqual([
    { recordingId: 'r1', fromMs: 1000, toMs: 3000, offsetMs: 0 },
    { recordingId: 'r1', fromMs: 5000, toMs: 9000, offsetMs: 2000 },
  ]);
  const real = callWith((entry) => entry.kind === 'recording' && entry.state === 'completed');
  expect(recordingsOf(real).every(({ toMs }) => toMs !== undefined)).toBe(true);
});

it.each([
  [{ voice_id: 'a', same: true }, { same: true }],
  [undefined, { same: false, refusal: 'The journal of this call is not kept any more.' }],
  [
    { same: false, first_difference: { at_ms: 4200, step: 'menu', recorded: 'one', now: { outcome: 'two' } } },
    { same: false, difference: { atMs: 4200, step: 'menu', recorded: 'one', now: '{"outcome":"two"}' } },
  ],
])('reads the result of a replay: %j', (result, read) => {
  expect(readResult(result)).toEqual(read);
});

describe('flow versions of a call', () => {
  const journal = journalOf(
    { ...begun, flowHash: 'h1' },
    entered(1, 'menu', 'menu', 1),
    entered(2, 'say', 'play', 2, { depth: 1, flow: 'inner', flowHash: 'i1' }),
    entered(3, 'bye', 'play', 3, { depth: 1, flow: 'inner' }),
    entered(4, 'say', 'play', 4, { depth: 1, flow: 'inner', flowHash: 'i2' }),
    entered(5, 'old', 'play', 5, { depth: 1, flow: 'unversioned' }),
  );
  it.each([
    ['of the flow of the call', 5, 'hello', 'h1'],
    ['of an inner flow from its first step on', 3, 'inner', 'i1'],
    ['of an inner flow that was saved meanwhile', 4, 'inner', 'i2'],
    ['before it ran: the first one', 0, 'inner', 'i1'],
    ['that older journals do not say', 5, 'unversioned', undefined],
    ['of flows that it did not run', 5, 'nothing', undefined],
  ])('finds the version %s', (_, index, flow, hash) =>
    expect(new PathIndex(journal).versionAt(index, flow)).toBe(hash),
  );
});

describe('a replay with a different path', () => {
  const flowWith = (target: string) =>
    graphIn(`flow: f
start: ask
steps:
  ask: { menu: { prompt: p, choices: { one: { dtmf: "1" } } }, exits: { one: ${target}, exhausted: bye } }
  old: { play: Old., next: bye }
  new: { play: New., next: bye }
  bye: { hangup: normal }
`);
  const then = ['ask', 'old', 'bye'].map((step) => ({ step }));
  const today = [{ step: 'ask', outcome: 'one' }, { step: 'new', outcome: 'done' }, { step: 'bye' }];

  it('shows both paths in one drawing of both versions', () => {
    const both = drawingOfBoth(flowWith('old'), flowWith('new'), [then, today])!;
    const { path, diff } = both.overlays;
    expect(Object.fromEntries(diff!.steps)).toEqual({ old: 'removed', new: 'added' });
    expect(Object.fromEntries(diff!.exits)).toEqual({
      'ask one (before)': 'removed',
      'ask one': 'added',
      'old done': 'removed',
      'new done': 'added',
    });
    expect(Object.fromEntries(path!.steps)).toEqual({ ask: 1, old: 1, new: 1, bye: 1 });
    expect(diff!.words).toMatchObject({ added: 'today', removed: 'then' });
  });

  it('has no drawing if the steps are the same', () => {
    expect(drawingOfBoth(flowWith('old'), flowWith('old'), [then, then])).toBeUndefined();
  });
});
