/**
 * Deletion of a person who called, was called, was to be called, talked in a room and wrote there: afterwards no file
 * of the data directory contains their number or name, except the do-not-call entry.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { redact } from '../../src/base/core/log.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { type Administrator, administered } from '../api/admin-client.ts';
import { BROADCAST, createBroadcast, rowsOf } from '../api/broadcast-rig.ts';
import type { ApiRig } from '../api/rig.ts';
import { hangUp } from '../api/rigs.ts';
import { enterRoom, roomOf } from '../api/room-clients.ts';
import { filesBelow } from '../files.ts';

const NUMBER = '+33612345678';
const NAME = 'Alice Martin';
const CALL = '/voice/v1/call';
/** Fragments of the number and of the name that identify the person. */
const NEEDLES = ['612345678', '6 12 34 56 78', '6%2012', NAME, 'Alice%20Martin'];

const MAILBOX = `
flow: mailbox
start: ask
vars: { back: { type: string, default: '' } }
steps:
  ask:
    collect: { prompt: Your number please, digits: { length: 11 } }
    set: { back: "\${ result.digits }" }
    exits: { collected: leave, exhausted: bye, error: bye }
  leave:
    record: { prompt: Speak after the tone, max_length: 5s }
    exits: { recorded: tell, silence: tell, hangup: bye, error: bye }
  tell:
    notify: { event: voicemail.left, body: { from: "\${ call.from }", note: "\${ 'call back ' & vars.back }" } }
    next: bye
  bye: { hangup: normal }
`;
const NUMBERS =
  'numbers: [{ number: "1000", webhook: HOOK }, { number: "1001", webhook: HOOK, flow: mailbox }, { number: "3000", project: other }]\n';

interface Service {
  rig: ApiRig;
  admin: Administrator;
  data: string;
}

/** A service with a real database in its data directory. */
async function service(): Promise<Service> {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-forget-'));
  const data = join(directory, 'data');
  const file = join(data, 'callweave.db');
  mkdirSync(data, { recursive: true });
  const made = await administered({
    directory,
    config: NUMBERS,
    flows: { mailbox: MAILBOX },
    storeOn: (clock) => openSqliteStore({ file, clock }),
  });
  return { ...made, data };
}

/** Which files have it, and how often. */
const bytesLeft = (data: string): Record<string, number> =>
  Object.fromEntries(
    filesBelow(data).flatMap((path) => {
      const text = readFileSync(path, 'latin1');
      const count = NEEDLES.reduce((sum, needle) => sum + text.split(needle).length - 1, 0);
      return count === 0 ? [] : [[path.slice(data.length + 1), count]];
    }),
  );

/** An outbound call that is over. */
async function called(rig: ApiRig, to: string, headers = {}): Promise<string> {
  const { body } = await rig.request('POST', CALL, { from: '1000', to, event_url: rig.webhookUrl }, { headers });
  await rig.pass(2000);
  await hangUp(rig, String(body['voice_id']));
  return String(body['voice_id']);
}

/** Creates every kind of data about a person. */
async function lifeOf({ rig, admin, data }: Service): Promise<{ others: string[]; broadcast: string }> {
  const { store } = rig;
  // They call a mailbox, key in their number, and speak.
  const farEnd = rig.call('1001', NUMBER);
  await rig.pass(4000);
  farEnd.press('33612345678');
  await rig.pass(1000);
  farEnd.speak(3000);
  await rig.pass(20_000);
  for (const { file } of store.recordings.olderThan(Number.MAX_SAFE_INTEGER, 10)) {
    mkdirSync(dirname(join(data, file)), { recursive: true });
    writeFileSync(join(data, file), 'the voice');
  }
  // A broadcast calls them.
  await createBroadcast(rig, { broadcast_numbers_array: [NUMBER, '20001'] });
  await rig.pass(15_000);
  // They are called and connected with another party; one event is dead-lettered, others are pending.
  rig.answerEvent = () => ({ status: 503 });
  await called(rig, '0033 6 12 34 56 78'.replaceAll(' ', ''), { 'idempotency-key': 'order-1' });
  const bridged = await rig.dial({ to: '2001' });
  await rig.pass(2000);
  await rig.request('PUT', `${CALL}/${bridged}/connect`, { from: '1000', to: NUMBER });
  await rig.pass(2000);
  await hangUp(rig, bridged);
  const [receiver] = await store.outbox.receivers();
  const [first] = await store.outbox.due(receiver!, { nowMs: Number.MAX_SAFE_INTEGER, limit: 1 });
  await store.outbox.deadLetter(first!.id, { deadMs: rig.clock.now(), deathCause: 'exhausted' });
  await store.outbox.disableUrl('shop', 'https://shop.example/hook?caller=%2B33612345678', rig.clock.now());
  rig.answerEvent = () => ({ status: 204 });
  // The application of another project mentions them, in nested JSON text.
  const mentioning = await rig.dial({ to: '2002' });
  await rig.pass(2000);
  const note = JSON.stringify({ phone: '+33 6 12 34 56 78' });
  await rig.request('POST', `${CALL}/${mentioning}/event`, { event: 'note', data: { note } });
  await rig.pass(100);
  await hangUp(rig, mentioning);
  // A room: they come by telephone and by browser, and write.
  const room = await roomOf(rig);
  const other = await enterRoom(rig, room, 'moderator', 'Bob');
  const alice = await enterRoom(rig, room, 'participant', NAME);
  const { confNum } = rig.roomEngine.sessions.values().next().value!;
  const phone = await rig.dial({ to: NUMBER });
  await rig.pass(3000);
  await rig.request('PUT', `/voice/v1/room/${room}/call/${phone}/join`);
  await rig.pass(500);
  alice.say({ type: 'chat', text: 'hello' });
  await other.next('chat');
  await hangUp(rig, phone);
  alice.say({ type: 'leave' });
  other.say({ type: 'leave' });
  await Promise.all([alice.closed, other.closed]);
  await rig.pass(10_000);
  // The files of the archive are written outside of virtual time.
  await vi.waitUntil(() => store.archives.find('shop', confNum)?.state === 'done', 30_000);
  // An administrator had a number of this name, and a flow called it.
  await admin('PUT', `/numbers/${encodeURIComponent(NUMBER)}`, { project: 'shop' });
  await admin('DELETE', `/numbers/${encodeURIComponent(NUMBER)}`);
  store.flowVersions.add({ hash: 'old', name: 'sales', text: `call: { to: "${NUMBER}" }`, firstMs: 0 });
  await store.broadcasts.doNotCall.add('shop', ['33612345678'], 0);
  const others = [await called(rig, '2003'), await called(rig, '+33612345679')];
  // Another broadcast is about to.
  const numbers = ['20001', '20004', NUMBER].map((phone) => ({ phone }));
  const waiting = await createBroadcast(rig, { call_param: { max_concurrent: 1 }, broadcast_numbers_array: numbers });
  await rig.pass(500);
  return { others, broadcast: String(waiting['app_instance']) };
}

describe('POST /admin/v1/people/forget', () => {
  it('leaves no byte of number and name in any file, but on the do-not-call list; others keep theirs', async () => {
    const it = await service();
    const { rig, admin, data } = it;
    const { others, broadcast } = await lifeOf(it);
    expect(Object.keys(bytesLeft(data)).length).toBeGreaterThan(1);

    const names = [NUMBER, `name:${NAME}`];
    const dry = (await admin('POST', '/people/forget', { names, dry_run: true })).body;
    expect(dry).toMatchObject({ dry_run: true, live: [], staying: {} });
    const { status, body } = await admin('POST', '/people/forget', { names });
    expect(status).toBe(200);
    expect(body).toMatchObject({ dry_run: false, staying: {}, sealed: true });
    const forgotten = body['forgotten'] as Record<string, number>;
    for (const what of [
      'calls',
      'recordings',
      'events',
      'answers',
      'numbers',
      'archives',
      'room_entries',
      'flow_versions',
      'changes',
    ]) {
      expect([what, forgotten[what]! > 0]).toEqual([what, true]);
    }
    expect(forgotten['calls']).toBe((dry['forgotten'] as JsonObject)['calls']);

    // One row of the list of those who must not be called.
    expect(bytesLeft(data)).toEqual({ 'callweave.db': 1 });
    expect(await rig.store.broadcasts.doNotCall.has('shop', '33612345678')).toBe(true);
    expect(rig.store.recordings.olderThan(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    for (const call of others) expect((await rig.store.calls.journal(call)).length).toBeGreaterThan(3);

    // The log has counts, and does not say who it was.
    const log = JSON.stringify(rig.logLines.map(({ message, fields }) => ({ message, ...redact(fields) })));
    for (const needle of NEEDLES) expect(log).not.toContain(needle);
    expect(rig.logLines.filter(({ message }) => message === 'person.forgotten')).toHaveLength(1);

    // The broadcast continues without them, and ends.
    await rig.pass(20_000);
    const report = (await rig.request('GET', `${BROADCAST}/${broadcast}`)).body;
    expect(report).toMatchObject({ state: 'completed' });
    expect((await rowsOf(rig, broadcast)).at(-1)).toMatchObject({
      dialed_number: 'forgotten',
      result: { reason: 'Forgotten' },
    });
    expect(rig.farEnds.filter(({ to }) => to === NUMBER).length).toBe(3);
    expect(bytesLeft(data)).toEqual({ 'callweave.db': 1 });

    const again = (await admin('POST', '/people/forget', { names })).body['forgotten'] as Record<string, number>;
    expect(Object.values(again).every((count) => count === 0)).toBe(true);
  }, 60_000);

  it('deletes nothing during a call or a session of the person, and names it', async () => {
    const { rig, admin } = await service();
    await called(rig, NUMBER);
    const call = await rig.dial({ to: NUMBER });
    await rig.pass(2000);
    const refused = await admin('POST', '/people/forget', { names: [NUMBER] });
    expect([refused.status, refused.body['live']]).toEqual([409, [call]]);
    expect(refused.text).not.toContain('612345678');
    expect((await rig.request('GET', CALL)).body['calls']).toHaveLength(2);
    await hangUp(rig, call);
    expect((await admin('POST', '/people/forget', { names: [NUMBER] })).body).toMatchObject({
      forgotten: { calls: 2 },
    });

    const alice = await enterRoom(rig, await roomOf(rig), 'moderator', NAME);
    expect((await admin('POST', '/people/forget', { names: [`name:${NAME}`] })).status).toBe(409);
    alice.say({ type: 'leave' });
    await alice.closed;
    await rig.pass(100);
    expect((await admin('POST', '/people/forget', { names: [`name:${NAME}`] })).status).toBe(200);
  });

  it('is for administrators, takes names of people only, and no number of the service', async () => {
    const { rig, admin } = await service();
    expect((await rig.request('POST', '/admin/v1/people/forget', { names: [NUMBER] })).status).toBe(401);
    for (const names of [[], [''], ['everybody'], ['+'], ['user:']]) {
      expect((await admin('POST', '/people/forget', { names })).status).toBe(400);
    }
    const own = await admin('POST', '/people/forget', { names: ['+1000'] });
    expect([own.status, own.body['state']]).toEqual([409, 'failed']);
  });

  it('reports settings that name the person, and leaves them', async () => {
    const { rig, admin } = await service();
    await admin('PUT', '/users/alice', { password: 'a-long-password-1' });
    await called(rig, 'user:alice');
    const { body } = await admin('POST', '/people/forget', { names: ['user:alice'] });
    expect(body).toMatchObject({ forgotten: { calls: 1 }, staying: { settings: 1 } });
    expect((await admin('GET', '/users')).text).toContain('alice');
  });
});
