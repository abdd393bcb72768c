/** Presence of the studio's client: heartbeats, moves, hidden pages and events, with a service of the test. */
import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Json } from '../../../src/base/core/json.ts';
import type { PlaceInFlow } from '../../../src/pages/studio/web/people/people-api.ts';
import {
  commentChanges,
  followPeople,
  othersIn,
  people,
  saves,
} from '../../../src/pages/studio/web/people/people-store.ts';
import { initialsOf } from '../../../src/pages/studio/web/person-ring/person-ring.tsx';
import { session } from '../../../src/pages/studio/web/shell/session.ts';

const place = signal<PlaceInFlow | undefined>(undefined);
let page: EventTarget;
let isVisible: boolean;
let reported: (PlaceInFlow | undefined)[];
let streams: ((event: string, data: Json) => void)[];
let stop: (() => void) | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
  [isVisible, reported, streams] = [true, [], []];
  place.value = { flow: 'menu' };
  people.value = [];
  session.value = { role: 'admin', name: 'ann', projects: [] };
});
afterEach(() => {
  stop?.();
  stop = undefined;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const follow = (): void => {
  stop = followPeople(place, {
    isVisible: () => isVisible,
    report: async (_tab, here) => {
      reported.push(here);
      return [];
    },
    open(_path, { onEvent }) {
      streams.push(onEvent);
      return () => streams.splice(streams.indexOf(onEvent), 1);
    },
  });
};
const show = (isNow: boolean): void => {
  isVisible = isNow;
  page.dispatchEvent(new Event('visibilitychange'));
};

it('reports the place at once, after each move, and every 15 s', async () => {
  follow();
  expect(reported).toEqual([{ flow: 'menu' }]);
  await vi.advanceTimersByTimeAsync(300);
  reported.length = 0;
  for (const step of ['a', 'b', 'c']) place.value = { flow: 'menu', step };
  await vi.advanceTimersByTimeAsync(300);
  expect(reported).toEqual([{ flow: 'menu', step: 'c' }]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(reported).toHaveLength(3);
});

it('leaves the flow with the screen, and with a closed page', async () => {
  follow();
  stop!();
  expect(reported.at(-1)).toBeUndefined();
  const count = reported.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reported).toHaveLength(count);
  follow();
  page.dispatchEvent(new Event('pagehide'));
  expect(reported.at(-1)).toBeUndefined();
});

it('reports nothing from a screen without a flow', async () => {
  place.value = undefined;
  follow();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([reported, streams.length]).toEqual([[], 1]);
});

it('closes the stream of a hidden page, and keeps its heartbeats', async () => {
  follow();
  show(false);
  expect(streams).toHaveLength(0);
  reported.length = 0;
  await vi.advanceTimersByTimeAsync(15_300);
  expect(reported).toHaveLength(1);
  show(true);
  expect(streams).toHaveLength(1);
});

it('shows the other people of a flow, its saves, and changes of comments', () => {
  follow();
  const at: Json = [
    { who: 'ann', flow: 'menu' },
    { who: 'bea', flow: 'menu', step: 'say', field: 'prompt' },
    { who: 'carl', flow: 'other' },
  ];
  streams[0]!('people', { people: at });
  expect(othersIn('menu').map(({ who }) => who)).toEqual(['bea']);
  const save = { flow: 'menu', who: 'bea', etag: 'e', at: '2026-03-02T09:00:00Z' };
  streams[0]!('saved', save);
  expect(saves.value.get('menu')).toEqual(save);
  const before = commentChanges.value;
  streams[0]!('comments', {});
  streams[0]!('people', null);
  expect(commentChanges.value).toBe(before + 1);
});

it.each([
  ['ann', 'AN'],
  ['Bea Miller', 'BM'],
  ['link of the start', 'LO'],
  ['é', 'É'],
  ['<b>', 'B'],
  ['--', '?'],
])('shortens %s to %s', (who, initials) => {
  expect(initialsOf(who)).toBe(initials);
});
