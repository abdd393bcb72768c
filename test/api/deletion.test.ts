/** Deletion of calls and recordings by their project and by the administrator. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { administered } from './admin-client.ts';
import { type ApiRig, OTHER } from './rig.ts';
import { connected, hangUp, openRig } from './rigs.ts';
import { enterRoom } from './room-clients.ts';
import { leaveSound, recorded, SOUND } from './sound-files.ts';

const CALL = '/voice/v1/call';
const RECORDING = '/voice/v1/recording';

describe('DELETE /voice/v1/recording/{recording_id}', () => {
  it('deletes the file and its record once, and frees its name', async () => {
    const { rig, id, file } = await recorded({ recording_name: 'talk' });
    expect(await rig.request('DELETE', `${RECORDING}/${id}`)).toMatchObject({
      status: 200,
      body: { status: 'success', recording_id: id },
    });
    expect(existsSync(file)).toBe(false);
    expect(rig.store.recordings.find(id)).toBeUndefined();
    expect((await rig.request('GET', `${RECORDING}/${id}`)).status).toBe(404);
    expect((await rig.request('DELETE', `${RECORDING}/${id}`)).status).toBe(404);
    const next = { recordingId: 'next', projectId: 'shop', callId: 'c', name: 'talk', file: 'recordings/next.wav' };
    expect(rig.store.recordings.add({ ...next, state: 'completed', createdMs: 0 })).toBe(true);
  });

  it('returns 404 to another project, and 401 without credentials', async () => {
    const { rig, id, file } = await recorded();
    expect((await rig.request('DELETE', `${RECORDING}/${id}`, undefined, { as: OTHER })).status).toBe(404);
    expect((await rig.request('DELETE', `${RECORDING}/${id}`, undefined, { as: false })).status).toBe(401);
    expect(existsSync(file)).toBe(true);
  });

  it('refuses a recording in progress with 409', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `${CALL}/${call}/connect`, { from: '1000', to: '4000' });
    await rig.pass(2000);
    const { body } = await rig.request('PUT', `${CALL}/${call}/recording`, {});
    expect((await rig.request('DELETE', `${RECORDING}/${String(body['recording_id'])}`)).status).toBe(409);
  });

  it('does not disturb a client that is reading it', async () => {
    const { rig, id, file } = await recorded();
    const long = Buffer.alloc(8 * 2 ** 20, 7);
    writeFileSync(file, long);
    const credentials = Buffer.from('shop:key-of-the-shop-0001').toString('base64');
    const response = await fetch(`${rig.base}${RECORDING}/${id}`, {
      headers: { authorization: `Basic ${credentials}` },
    });
    const reader = response.body!.getReader();
    let read = (await reader.read()).value!.length;
    expect((await rig.request('DELETE', `${RECORDING}/${id}`)).status).toBe(200);
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) read += piece.value.length;
    expect(read).toBe(long.length);
  });
});

describe('DELETE /voice/v1/call/{voice_id}/data', () => {
  it('deletes record, journal, recordings and events; returns 404 for a repetition', async () => {
    const { rig, call, id, file } = await recorded();
    // From here on events are not taken, and wait.
    rig.answerEvent = () => ({ status: 503 });
    await hangUp(rig, call);
    expect((await rig.store.outbox.counts()).waiting).toBeGreaterThan(0);
    expect((await rig.request('DELETE', `${CALL}/${call}/data`)).body).toMatchObject({
      status: 'success',
      voice_id: call,
    });
    for (const path of ['', '/journal']) expect((await rig.request('GET', `${CALL}/${call}${path}`)).status).toBe(404);
    expect((await rig.request('GET', CALL)).body['calls']).toEqual([]);
    expect(await rig.store.calls.journal(call)).toEqual([]);
    expect(rig.store.recordings.find(id)).toBeUndefined();
    expect(existsSync(file)).toBe(false);
    expect((await rig.store.outbox.counts()).waiting).toBe(0);
    rig.answerEvent = () => ({ status: 204 });
    rig.received.length = 0;
    await rig.pass(3_600_000);
    expect(rig.received).toEqual([]);
    expect((await rig.request('DELETE', `${CALL}/${call}/data`)).status).toBe(404);
    expect(rig.logLines.filter(({ message }) => message === 'call.deleted')).toMatchObject([
      { fields: { callId: call } },
    ]);
  });

  it('refuses a live call, which continues', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('DELETE', `${CALL}/${call}/data`);
    expect(status).toBe(409);
    expect(body['msg']).toBe('the call has not ended');
    expect((await rig.request('GET', `${CALL}/${call}`)).body['state']).toBe('connected');
  });

  it('returns 404 to another project, and 401 without credentials', async () => {
    const { rig, call } = await connected();
    await hangUp(rig, call);
    expect((await rig.request('DELETE', `${CALL}/${call}/data`, undefined, { as: OTHER })).status).toBe(404);
    expect((await rig.request('DELETE', `${CALL}/${call}/data`, undefined, { as: false })).status).toBe(401);
    expect((await rig.request('GET', `${CALL}/${call}`)).status).toBe(200);
  });

  it('deletes the stored idempotency answer: the key dials again', async () => {
    const rig = await openRig();
    const dial = () =>
      rig.request('POST', CALL, { from: '1000', to: '2000' }, { headers: { 'idempotency-key': 'order-7' } });
    const first = String((await dial()).body['voice_id']);
    await rig.pass(2000);
    await hangUp(rig, first);
    expect((await dial()).body['voice_id']).toBe(first);
    await rig.request('DELETE', `${CALL}/${first}/data`);
    expect((await dial()).body['voice_id']).not.toBe(first);
  });

  it('keeps the data of other calls', async () => {
    const { rig, call } = await connected();
    const other = await rig.dial();
    await rig.pass(2000);
    for (const one of [call, other]) await hangUp(rig, one);
    await rig.request('DELETE', `${CALL}/${call}/data`);
    expect((await rig.store.calls.journal(other)).length).toBeGreaterThan(5);
    expect(
      ((await rig.request('GET', CALL)).body['calls'] as { voice_id: string }[]).map((one) => one.voice_id),
    ).toEqual([other]);
  });
});

describe('DELETE /video/v2/session/{conf_num}', () => {
  /** A session with a line of chat and one participant still in it. */
  async function chatted(rig: ApiRig) {
    const { body } = await rig.request('POST', '/video/v2/rooms', { name: 'Daily', owner_ref: 'acme' });
    const room = String((body['room'] as JsonObject)['room_id']);
    const [ada, ben] = [
      await enterRoom(rig, room, 'moderator', 'Ada'),
      await enterRoom(rig, room, 'participant', 'Ben'),
    ];
    ada.say({ type: 'chat', text: 'hello' });
    await ben.next('chat');
    const confNum = rig.roomEngine.sessions.values().next().value!.confNum;
    const end = async () => {
      ada.say({ type: 'end' });
      await ada.closed;
      await rig.pass(10_000);
      await vi.waitUntil(() => rig.store.archives.find('shop', confNum)?.state === 'done');
    };
    return { room, confNum, end, path: `/video/v2/session/${confNum}` };
  }

  it('deletes archive, reports and journal of an ended session once, for its own project only', async () => {
    const rig = await openRig();
    const { room, confNum, end, path } = await chatted(rig);
    expect((await rig.request('DELETE', path)).status).toBe(409);
    await end();
    expect((await rig.request('DELETE', path, undefined, { as: OTHER })).status).toBe(404);
    const folder = join(rig.directory, 'data', 'recordings', 'rooms', confNum);
    expect(existsSync(folder)).toBe(true);
    expect((await rig.request('DELETE', path)).body).toMatchObject({ result: 0 });
    expect(existsSync(folder)).toBe(false);
    expect(rig.store.archives.find('shop', confNum)).toBeUndefined();
    expect(rig.store.callDetails.list({ projectId: 'shop', confNum, limit: 10 }).details).toEqual([]);
    expect(rig.store.roomJournal.list({ projectId: 'shop', roomId: room, limit: 10 }).entries).toEqual([]);
    expect((await rig.request('DELETE', path)).status).toBe(404);
    expect((await rig.request('GET', `/video/v2/rooms/${room}`)).status).toBe(200);
  });

  it('is available to the administrator, too', async () => {
    const { rig, admin } = await administered();
    const { room, confNum, end } = await chatted(rig);
    await end();
    expect((await admin('DELETE', `/rooms/other/${room}/sessions/${confNum}`)).status).toBe(404);
    expect((await admin('DELETE', `/rooms/shop/${room}/sessions/${confNum}`)).status).toBe(200);
    expect(rig.store.archives.find('shop', confNum)).toBeUndefined();
  });
});

describe('the administrator', () => {
  it('deletes calls and recordings of any project', async () => {
    const { rig, admin } = await administered();
    const call = await rig.dial();
    await rig.pass(2000);
    expect((await admin('DELETE', `/calls/${call}`)).status).toBe(409);
    rig.store.recordings.add({
      ...{ recordingId: 'r1', projectId: 'shop', callId: call, file: 'recordings/r1.wav' },
      ...{ state: 'completed', createdMs: rig.clock.now(), durationMs: 1000 },
    });
    const file = leaveSound(rig, 'r1', SOUND);
    expect((await admin('DELETE', '/recordings/r1')).status).toBe(200);
    expect(existsSync(file)).toBe(false);
    expect((await admin('DELETE', '/recordings/r1')).status).toBe(404);
    await hangUp(rig, call);
    expect((await admin('DELETE', `/calls/${call}`)).status).toBe(200);
    expect((await admin('DELETE', `/calls/${call}`)).status).toBe(404);
    for (const path of ['/calls/none', '/recordings/none']) {
      expect((await rig.request('DELETE', `/admin/v1${path}`)).status).toBe(401);
    }
  });
});
