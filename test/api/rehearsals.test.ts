/**
 * Rehearsals of broadcasts by the admin API: started, followed, refused with the errors of the service, and cancelled.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Administrator, administered } from './admin-client.ts';
import { openRig } from './rigs.ts';

const REMINDER = readFileSync(join(import.meta.dirname, '../../examples/12-broadcast/reminder.flow.yaml'), 'utf8');
const ROUTE = '/rehearsals';
const broadcast = { application_name: 'reminders', from: '1000', flow: 'reminder' };

/** The thread takes its own time, which is not that of the rig. */
const ended = (admin: Administrator, id: unknown) =>
  vi.waitFor(
    async () => {
      const { body } = await admin('GET', `${ROUTE}/${id}`);
      if (body['state'] === 'running') throw new Error('it goes on');
      return body;
    },
    { timeout: 50_000, interval: 100 },
  );

async function rehearsed(body: object) {
  const { rig, admin } = await administered({ flows: { reminder: REMINDER } });
  const begun = await admin('POST', ROUTE, body);
  expect(begun.status, begun.text).toBe(202);
  expect(begun.body).toMatchObject({ state: 'running', done: { numbers: 0, calls: 0 } });
  return { rig, admin, body: await ended(admin, begun.body['rehearsal_id']) };
}

describe('a rehearsal', { timeout: 60_000 }, () => {
  it('predicts the results of a broadcast and the paths through its flow, without dialling', async () => {
    const { rig, body } = await rehearsed({ broadcast, numbers: 120 });
    expect(body).toMatchObject({ state: 'completed', numbers: 120, done: { numbers: 120 }, ended: expect.any(String) });
    const result = body['result'] as Record<string, number> & Record<string, Record<string, number>>;
    expect(result).toMatchObject({ state: 'completed', flow: 'reminder', numbers: 120, duplicates: 0, crashes: 0 });
    expect(result['success']! + result['failed']!).toBe(120);
    const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, one) => all + one, 0);
    expect(sum(result['reasons']!)).toBe(120);
    expect(sum(result['callees']!)).toBe(result['calls']);
    // Each answered call entered at the first step and left by one of its exits.
    const [first] = Object.entries(result['steps']!).sort(([, one], [, other]) => other - one)[0]!;
    const left = Object.entries(result['exits']!).filter(([exit]) => exit.startsWith(`${first} `));
    expect(result['steps']![first]).toBe(left.reduce((all, [, count]) => all + count, 0));
    expect(rig.farEnds).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['a flow that is not there', { broadcast: { ...broadcast, flow: 'nowhere' }, numbers: 3 }, 'nowhere'],
    ['a number that is not of the project', { broadcast: { ...broadcast, from: '5555' }, numbers: 3 }, '5555'],
    ['callees that cannot be read', { broadcast, numbers: 3, callees: 'groups: 7' }, 'callees'],
  ])('fails for %s with the error of the service', async (_what, asked, words) => {
    const { body } = await rehearsed(asked);
    expect(body).toMatchObject({ state: 'failed', error: { msg: expect.any(String) } });
    expect(JSON.stringify(body['error'])).toContain(words);
    expect(body).not.toHaveProperty('result');
  });

  it.each<[string, object, number]>([
    ['without a broadcast', {}, 400],
    ['without numbers', { broadcast }, 400],
    ['with too many numbers', { broadcast, numbers: 10_001 }, 400],
    [
      'with too many of its own',
      { broadcast: { ...broadcast, broadcast_numbers_array: Array(10_001).fill('+331') } },
      400,
    ],
    ['at no time', { broadcast, numbers: 1, at: 'tomorrow' }, 400],
    ['of another project', { broadcast, numbers: 1, app_id: 'nobody' }, 404],
  ])('%s is refused at once', async (_what, asked, status) => {
    const { admin } = await administered({ flows: { reminder: REMINDER } });
    expect((await admin('POST', ROUTE, asked)).status).toBe(status);
  });

  it('is cancelled, which makes room for another; refuses a fourth at once', async () => {
    const { admin } = await administered({ flows: { reminder: REMINDER } });
    const ids: unknown[] = [];
    for (let at = 0; at < 3; at++)
      ids.push((await admin('POST', ROUTE, { broadcast, numbers: 10_000 })).body['rehearsal_id']);
    expect((await admin('POST', ROUTE, { broadcast, numbers: 1 })).status).toBe(503);
    for (const id of ids) {
      expect((await admin('DELETE', `${ROUTE}/${id}`)).body).toMatchObject({ state: 'stopped' });
    }
    const { body } = await admin('POST', ROUTE, { broadcast, numbers: 5 });
    expect(await ended(admin, body['rehearsal_id'])).toMatchObject({ state: 'completed' });
    expect((await admin('GET', `${ROUTE}/${ids[0]}`)).body).toMatchObject({ state: 'stopped' });
    expect((await admin('GET', `${ROUTE}/nobody`)).status).toBe(404);
    // None of these requests changed anything.
    expect((await admin('GET', '/audit')).body['changes']).toEqual([]);
  });

  it('returns 404 without a configured administrator, and 401 without credentials', async () => {
    const closed = await openRig();
    expect((await closed.request('POST', `/admin/v1${ROUTE}`, { broadcast, numbers: 1 })).status).toBe(404);
    const { rig } = await administered();
    expect((await rig.request('POST', `/admin/v1${ROUTE}`, { broadcast, numbers: 1 }, { as: false })).status).toBe(401);
  });
});
