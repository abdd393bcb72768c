/** Feedback of participants at the end of a session. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { roomRig, type TestClient } from './room-fixtures.ts';

type Rig = ReturnType<typeof roomRig>;

const MINUTE_MS = 60_000;

const keyOf = (client: TestClient) => client.last('welcome')!.resume_key;
/** Answer to feedback: its type, or the code of the error. */
function give(rig: Rig, key: string, more: JsonObject = { rating: 4 }) {
  const client = rig.client().say({ type: 'feedback', resume_key: key, ...more });
  expect(client.isClosed).toBe(true);
  return client.last('error')?.code ?? client.received[0]?.type;
}
const feedbackIn = (rig: Rig) =>
  rig.store.callDetails
    .list({ projectId: 'shop', limit: 10 })
    .details.map(({ body }) => [(body['user'] as JsonObject)['name'], body['feedback']]);

describe('feedback', () => {
  it('is added to the report of the participant, once', () => {
    const rig = roomRig();
    const room = rig.room({ feedback: true });
    const [ada, ben] = [rig.join(room, 'moderator', 'Ada'), rig.join(room, 'participant', 'Ben')];
    ben.say({ type: 'leave' });
    expect(give(rig, keyOf(ben), { rating: 2, text: '  The sound was cut  ' })).toBe('thanks');
    expect(give(rig, keyOf(ben))).toBe('not_known');
    ada.say({ type: 'end' });
    expect(give(rig, keyOf(ada), { rating: 5, text: ' ' })).toBe('thanks');
    expect(feedbackIn(rig)).toEqual([
      ['Ben', { rating: 2, text: 'The sound was cut' }],
      ['Ada', { rating: 5 }],
    ]);
    expect(rig.told.filter(({ type }) => type === 'feedback')).toHaveLength(2);
  });

  it('is accepted for ten minutes, after which the key is not known', async () => {
    const rig = roomRig();
    const room = rig.room({ feedback: true });
    const [ada, ben] = [rig.join(room, 'participant'), rig.join(room, 'participant')];
    for (const one of [ada, ben]) one.say({ type: 'leave' });
    await rig.clock.advance(10 * MINUTE_MS - 1);
    expect(give(rig, keyOf(ada))).toBe('thanks');
    await rig.clock.advance(1);
    expect(give(rig, keyOf(ben))).toBe('not_known');
  });

  it('is refused in rooms that do not ask, from a participant who is in, and from one who was removed', () => {
    const rig = roomRig();
    const silent = rig.join(rig.room(), 'participant');
    silent.say({ type: 'leave' });
    expect(give(rig, keyOf(silent))).toBe('not_known');
    const room = rig.room({ feedback: true });
    const [ada, ben] = [rig.join(room, 'moderator'), rig.join(room, 'participant')];
    expect(give(rig, keyOf(ben))).toBe('not_known');
    ada.say({ type: 'drop', participant: ben.id });
    expect(give(rig, keyOf(ben))).toBe('not_known');
  });

  it.each([
    ['0', { rating: 0 }],
    ['6', { rating: 6 }],
    ['half a point', { rating: 2.5 }],
    ['a text that is too long', { rating: 3, text: 'x'.repeat(2001) }],
    ['a text alone', { text: 'fine' }],
  ])('rejects %s and accepts a correction', (_, more) => {
    const rig = roomRig();
    const ada = rig.join(rig.room({ feedback: true }), 'participant');
    ada.say({ type: 'leave' });
    expect(give(rig, keyOf(ada), more)).toBe('bad_message');
    expect(give(rig, keyOf(ada))).toBe('thanks');
  });
});
