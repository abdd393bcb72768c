/** Temporary notices: one of each kind. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { announcementsOf } from '../../src/pages/room-page/web/announcements.ts';
import { announce, notices } from '../../src/pages/room-page/web/notices.ts';

const shown = () => notices.value.map(({ text }) => text);

describe('notices', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    notices.value = [];
  });
  afterEach(() => vi.useRealTimers());

  it('replaces notices of the same kind, and of the same words', () => {
    announce({ text: 'Poor', how: 'shown', kind: 'link' });
    announce({ text: 'Muted', how: 'shown' });
    announce({ text: 'Poor again', how: 'shown', kind: 'link' });
    announce({ text: 'Muted', how: 'shown' });
    expect(shown()).toEqual(['Poor again', 'Muted']);
  });

  it('removes notices when their kind is over', () => {
    announce({ text: 'Poor', how: 'shown', kind: 'link' });
    announce({ text: '', how: 'spoken', kind: 'link', isOver: true });
    expect(shown()).toEqual([]);
  });

  it('explains what helps a poor link, and removes that when the link is good', () => {
    const me = { id: 'me', poor_link: false, hard_muted: [], muted: [], published: [], hand: false, away: false };
    const state = { selfId: 'me', people: new Map([['me', me]]) };
    const poor = { ...me, poor_link: true };
    const say = (before: object, participant: object) =>
      announcementsOf(
        { ...state, people: new Map([['me', before]]) } as never,
        { type: 'changed', participant } as never,
      );
    for (const each of say(me, poor)) announce(each);
    expect(shown()).toEqual(['Your connection is poor. Switch off your camera, or move closer to the router.']);
    for (const each of say(poor, me)) announce(each);
    expect(shown()).toEqual([]);
  });
});
