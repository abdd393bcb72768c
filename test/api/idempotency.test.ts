/** `Idempotency-Key`: a repeated dial request gets the stored answer, and no number is called twice. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { type ApiResponse, ApiRig, OTHER } from './rig.ts';
import { connected, NUMBERS, openRig } from './rigs.ts';

const CONFIG = `${NUMBERS}rooms: [{ room_id: lobby }]\n`;
const CALL = '/voice/v1/call';
const DIALLED = { from: '1000', to: '2000' };
const DAY_MS = 86_400_000;

const keyed = (
  rig: ApiRig,
  method: string,
  path: string,
  body: unknown,
  key = 'k-1',
  more: object = {},
): Promise<ApiResponse> => rig.request(method, path, body, { headers: { 'idempotency-key': key }, ...more });

const dials = (rig: ApiRig): number => rig.farEnds.length;

const BROADCAST = { name: 'b', from: '1000', broadcast_numbers_array: ['+33199000001', '+33199000002'] };

const DIALS: [string, string, string, object][] = [
  ['a call', 'POST', CALL, DIALLED],
  ['a call by its other name', 'POST', '/voice/v1/calls/', DIALLED],
  ['a conference', 'POST', '/voice/v1/conference', { ...DIALLED, name: 'daily' }],
  ['a room', 'POST', '/voice/v1/room/lobby/join', DIALLED],
  ['a broadcast', 'POST', '/voice/v1/broadcast', BROADCAST],
];

describe('a key', () => {
  it.each(DIALS)('%s: returns the same answer again, without a second effect', async (_what, method, path, body) => {
    const rig = await openRig({ config: CONFIG });
    const first = await keyed(rig, method, path, body);
    await rig.pass(5000);
    const made = dials(rig);
    const again = await keyed(rig, method, path, body);
    await rig.pass(5000);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect([first.status, made > 0, dials(rig)]).toEqual([200, true, made]);
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ]);
    // Another key, and none, are others.
    await keyed(rig, method, path, body, 'k-2');
    await rig.request(method, path, body);
    await rig.pass(5000);
    expect(dials(rig)).toBe(3 * made);
  });

  it('counts a second dial into a conference once', async () => {
    const rig = await openRig({ config: CONFIG });
    const { body } = await rig.request('POST', '/voice/v1/conference', DIALLED);
    const path = `/voice/v1/conference/${body['conference_id']}`;
    const order = { from: '1000', transfer_to: '2001' };
    const [first, again] = [await keyed(rig, 'PUT', path, order), await keyed(rig, 'PUT', path, order)];
    await rig.pass(2000);
    expect([again.text, dials(rig)]).toEqual([first.text, 2]);
  });

  it.each(['PUT', 'POST'])('%s /connect: connects the call once', async (method) => {
    const { rig, call } = await connected();
    const order = { from: '1000', to: '4000' };
    const first = await keyed(rig, method, `${CALL}/${call}/connect`, order);
    await rig.pass(2000);
    const again = await keyed(rig, method, `${CALL}/${call}/connect`, order);
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(dials(rig)).toBe(2);
  });

  it.each([
    ['another body', CALL, { ...DIALLED, to: '2001' }, 'result'],
    ['another route', '/voice/v1/conference', DIALLED, 'result'],
    ['a broadcast', '/voice/v1/broadcast', BROADCAST, 'error_description'],
  ])('is refused with %s, in the error format of the route, without dialling', async (_what, path, body, word) => {
    const rig = await openRig({ config: CONFIG });
    await keyed(rig, 'POST', CALL, DIALLED);
    const refused = await keyed(rig, 'POST', path, body);
    expect([refused.status, refused.body['state'], refused.body[word]]).toEqual([422, 'failed', expect.anything()]);
    await rig.pass(2000);
    expect(dials(rig)).toBe(1);
  });

  it('dials once for concurrent requests, with the same answer for each', async () => {
    const rig = await openRig();
    const answers = await Promise.all(Array.from({ length: 8 }, () => keyed(rig, 'POST', CALL, DIALLED)));
    await rig.pass(1000);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(dials(rig)).toBe(1);
  });

  it('is free again after a refused request', async () => {
    const rig = await openRig();
    rig.unreachable.add('2000');
    const wrong = { ...DIALLED, from: '5555' };
    for (let time = 0; time < 2; time++) expect((await keyed(rig, 'POST', CALL, wrong)).status).toBe(400);
    expect((await keyed(rig, 'POST', CALL, { ...DIALLED, to: '2001' })).status).toBe(200);
  });

  it('is scoped to its project, and expires after a day', async () => {
    const rig = await openRig();
    const { body } = await keyed(rig, 'POST', CALL, DIALLED);
    const others = await keyed(rig, 'POST', CALL, { ...DIALLED, from: '3000' }, 'k-1', { as: OTHER });
    expect(others.status).toBe(200);
    await rig.pass(1000);
    for (const farEnd of rig.farEnds) farEnd.hangUp();
    await rig.pass(DAY_MS - 2000);
    expect((await keyed(rig, 'POST', CALL, DIALLED)).body['voice_id']).toBe(body['voice_id']);
    await rig.pass(2000);
    expect((await keyed(rig, 'POST', CALL, DIALLED)).body['voice_id']).not.toBe(body['voice_id']);
    await rig.pass(1000);
    expect(dials(rig)).toBe(3);
  });

  it.each([
    ['is too long', 'k'.repeat(256)],
    ['is no printable text', 'tab\there'],
  ])('is refused if it %s', async (_what, key) => {
    const rig = await openRig();
    expect((await keyed(rig, 'POST', CALL, DIALLED, key)).status).toBe(400);
    expect((await keyed(rig, 'POST', CALL, DIALLED, 'k'.repeat(255))).status).toBe(200);
  });

  it.each(DIALS)('%s: holds after a crash right after the answer', async (_what, method, path, body) => {
    const file = join(mkdtempSync(join(tmpdir(), 'callweave-keys-')), 'callweave.db');
    const clock = new VirtualClock();
    const rig = await ApiRig.open({ config: CONFIG, store: openSqliteStore({ file, clock }) });
    const first = await keyed(rig, method, path, body);
    const next = await openRig({ config: CONFIG, store: openSqliteStore({ file, clock }) });
    const again = await keyed(next, method, path, body);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    if (method !== 'POST' || !path.includes('broadcast')) {
      await next.pass(2000);
      expect(dials(next)).toBe(0);
    }
    await rig.crash();
  });
});
