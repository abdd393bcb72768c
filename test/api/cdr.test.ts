/** Call detail reports by REST: by session, room, days, and room with days. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { roomRig } from '../rooms/room-fixtures.ts';
import { OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

/** Three people in two rooms, on two days. */
async function afterSessions() {
  const rooms = roomRig();
  const [daily, weekly] = [rooms.room(), rooms.room()];
  rooms.join(daily, 'moderator', 'Ada').say({ type: 'leave' });
  const confNum = String(rooms.told[0]!.confNum);
  await rooms.clock.advance(86_400_000);
  rooms.join(daily, 'participant', 'Ben').say({ type: 'leave' });
  rooms.join(weekly, 'participant', 'Cleo').say({ type: 'leave' });
  const rig = await openRig({ store: rooms.store });
  const namesIn = async (path: string, as?: typeof OTHER) => {
    const { status, body } = await rig.request('GET', `/video/v2/cdr${path}`, undefined, as ? { as } : {});
    expect([status, body['result']]).toEqual([200, '0']);
    return (body['cdr'] as { user: JsonObject }[]).map(({ user }) => user['name']);
  };
  return { rig, confNum, daily: daily.roomId, namesIn };
}

it('reports on a session, a room, days, and a room with days, inclusive and in UTC', async () => {
  const { confNum, daily, namesIn } = await afterSessions();
  expect(await namesIn(`/conf/${confNum}`)).toEqual(['Ada']);
  expect(await namesIn(`/room/${daily}`)).toEqual(['Ada', 'Ben']);
  expect(await namesIn('/period/2026-03-02/2026-03-03')).toEqual(['Ada', 'Ben', 'Cleo']);
  expect(await namesIn('/period/2026-03-03/2026-03-03/')).toEqual(['Ben', 'Cleo']);
  expect(await namesIn(`/room-period/${daily}/2026-03-03/2026-03-09`)).toEqual(['Ben']);
  expect(await namesIn('/period/2026-03-04/2026-03-09')).toEqual([]);
  expect(await namesIn('/room/nowhere')).toEqual([]);
});

it('shows each project its own participants only', async () => {
  const { confNum, namesIn } = await afterSessions();
  expect(await namesIn(`/conf/${confNum}`, OTHER)).toEqual([]);
  expect(await namesIn('/period/2026-03-02/2026-03-03', OTHER)).toEqual([]);
});

it('returns reports in pages', async () => {
  const { rig } = await afterSessions();
  const first = (await rig.request('GET', '/video/v2/cdr/period/2026-03-02/2026-03-03?limit=2')).body;
  expect(first['cdr']).toHaveLength(2);
  const path = `/video/v2/cdr/period/2026-03-02/2026-03-03?limit=2&cursor=${first['next']}`;
  const last = (await rig.request('GET', path)).body;
  expect([(last['cdr'] as JsonObject[]).length, last['next']]).toEqual([1, undefined]);
});

it.each([
  ['/period/yesterday/2026-03-03', 10005],
  ['/period/2026-02-30/2026-03-03', 10005],
  ['/period/2026-03-03/2026-03-02', 10005],
  ['/conf', 10201],
  ['/room/', 10202],
  ['/period/2026-03-03', 10203],
  ['/room-period/a/2026-03-03', 10203],
])('refuses %s with %i', async (path, result) => {
  const rig = await openRig();
  const { status, body } = await rig.request('GET', `/video/v2/cdr${path}`);
  expect([status, body['result']]).toEqual([400, result]);
});
