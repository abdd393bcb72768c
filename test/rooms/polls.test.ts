/** Polls of a session: who asks, who votes, and who sees the results. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { roomRig, type TestClient } from './room-fixtures.ts';

const ASKED = {
  ...{ type: 'poll_start', question: ' Lunch? ', answers: ['Soup', ' Salad ', 'Nothing'] },
  ...{ multiple: false, anonymous: true, results: 'all' },
};

const errorsOf = (client: TestClient) => client.of('error').map(({ code }) => code);

function pollRig() {
  const rig = roomRig();
  const room = rig.room({ audiences: 1 });
  const join = (name: string, role: 'moderator' | 'participant' | 'viewer' = 'participant') =>
    rig.join(room, role, name);
  const ada = join('Ada', 'moderator');
  return {
    ...{ rig, room, ada, join },
    ask(more: JsonObject = {}) {
      ada.say({ ...ASKED, ...more });
      return ada.last('poll')!.id;
    },
    settle: () => rig.clock.advance(500),
  };
}

const vote = (client: TestClient, poll: string, ...answers: number[]) => client.say({ type: 'vote', poll, answers });

describe('a poll', () => {
  it('shows the results to moderators at once, and to the others after their vote', async () => {
    const { ada, join, ask, settle } = pollRig();
    const [ben, cleo, vera] = [join('Ben'), join('Cleo'), join('Vera', 'viewer')];
    const poll = ask();
    expect(ben.last('poll')).toEqual({
      ...{ type: 'poll', id: poll, by: 'Ada', question: 'Lunch?', answers: ['Soup', 'Salad', 'Nothing'] },
      ...{ multiple: false, anonymous: true, results: 'all', open: true, votes: 0 },
    });
    vote(ben, poll, 1);
    expect(ben.last('poll')).toMatchObject({ own: [1], counts: [0, 1, 0], votes: 1 });
    await settle();
    expect(ada.last('poll')).toMatchObject({ counts: [0, 1, 0], votes: 1 });
    expect([cleo, vera].map((one) => [one.last('poll')!.votes, one.last('poll')!.counts])).toEqual([
      [1, undefined],
      [1, undefined],
    ]);
    vote(ben, poll, 0);
    vote(ada, poll, 0);
    ada.say({ type: 'poll_close', poll });
    expect(vera.last('poll')).toMatchObject({ open: false, counts: [2, 0, 0], votes: 2 });
    expect(JSON.stringify(vera.received)).not.toContain('voters');
    vote(cleo, poll, 1);
    expect(errorsOf(cleo)).toEqual(['not_available']);
  });

  it('keeps the results from others than moderators if the moderator wants it, and has names if not anonymous', () => {
    const { ada, join, ask } = pollRig();
    const ben = join('Ben');
    const poll = ask({ results: 'moderators', anonymous: false, multiple: true });
    vote(ben, poll, 0, 2);
    ada.say({ type: 'poll_close', poll });
    expect(ada.last('poll')).toMatchObject({ counts: [1, 0, 1], voters: [['Ben'], [], ['Ben']], votes: 1 });
    expect(ben.last('poll')).toMatchObject({ open: false, own: [0, 2], votes: 1 });
    expect([ben.last('poll')!.counts, ben.last('poll')!.voters]).toEqual([undefined, undefined]);
  });

  it('is shown to those who join later, with their earlier vote, which they can only change', async () => {
    const { ada, join, ask, settle } = pollRig();
    const ben = join('Ben');
    const poll = ask();
    vote(ben, poll, 2);
    ben.say({ type: 'leave' });
    const again = join('Ben');
    expect(again.last('poll')).toMatchObject({ id: poll, own: [2], counts: [0, 0, 1] });
    vote(again, poll, 0);
    await settle();
    expect(ada.last('poll')).toMatchObject({ counts: [1, 0, 0], votes: 1 });
  });

  it('is asked and closed by moderators only, one at a time, and viewers do not vote', () => {
    const { ada, join, ask } = pollRig();
    const [ben, vera] = [join('Ben'), join('Vera', 'viewer')];
    ben.say(ASKED);
    const poll = ask();
    ada.say(ASKED);
    ada.say({ type: 'poll_close', poll: 'other' });
    ben.say({ type: 'poll_close', poll });
    vote(vera, poll, 0);
    expect([ada, ben, vera].map(errorsOf)).toEqual([
      ['not_available', 'not_available'],
      ['not_allowed', 'not_allowed'],
      ['not_allowed'],
    ]);
    expect(ada.of('poll').length).toBe(1);
  });

  it.each([
    ['an answer that does not exist', { answers: [3] }],
    ['two answers of which one is allowed', { answers: [0, 1] }],
    ['the same answer twice', { answers: [0, 0] }],
    ['no answer at all', { answers: [] }],
  ])('rejects a vote with %s', (_, more) => {
    const { join, ask } = pollRig();
    const ben = join('Ben');
    ben.say({ type: 'vote', poll: ask(), ...more });
    expect([errorsOf(ben), ben.last('poll')!.own]).toEqual([['bad_message'], undefined]);
  });

  it.each([
    ['one answer alone', { answers: ['Soup'] }],
    ['nine different answers', { answers: [...'abcdefghi'] }],
    ['an answer without words', { answers: ['Soup', ' '] }],
    ['a question without words', { question: ' ' }],
    ['a question that is too long', { question: 'x'.repeat(301) }],
  ])('is not asked with %s', (_, more) => {
    const { ada } = pollRig();
    ada.say({ ...ASKED, ...more });
    expect([errorsOf(ada), ada.last('poll')]).toEqual([['bad_message'], undefined]);
  });

  it('tells the votes of a moment together, so that they are few messages', async () => {
    const { ada, join, ask, settle } = pollRig();
    const voters = Array.from({ length: 20 }, (_, index) => join(`user ${index}`));
    const poll = ask();
    const before = ada.of('poll').length;
    for (const one of voters) vote(one, poll, 1);
    await settle();
    expect(ada.of('poll').length - before).toBe(1);
    expect(ada.last('poll')!.counts).toEqual([0, 20, 0]);
  });

  it('is closed with the session, and reported at its start and end', () => {
    const { rig, ada, ask } = pollRig();
    vote(ada, ask(), 0);
    ada.say({ type: 'end' });
    expect(rig.told.map(({ type }) => type).filter((type) => type === 'poll' || type === 'over')).toEqual([
      'poll',
      'poll',
      'over',
    ]);
    expect(rig.clock.pendingTimers).toBe(0);
  });
});
