/**
 * Archives of rooms by REST: by session, room, days, and room with days; and their files, for their own project only.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { Archive } from '../../src/media/rooms/archive/archive.ts';
import { createMemoryStore } from '../memory-store.ts';
import { OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const closed = (confNum: string, roomId: string, day: string, more: Partial<Archive> = {}): Archive => ({
  ...{
    archiveId: `of-${confNum}`,
    projectId: 'shop',
    roomId,
    confNum,
    beganMs: 0,
    atMs: Date.parse(`${day}T12:00:00Z`),
  },
  ...{ room: { name: 'Daily', ownerRef: 'acme' }, state: 'done', isSingleFile: false, transcoding: { state: 'done' } },
  recordings: [
    { file: 'ada.webm', participant: 'ada', kind: 'camera', startedAtMs: 0, durationMs: 5000, sources: ['audio'] },
  ],
  ...{ transcoded: ['session.mp4'], metadata: 'metadata.json' },
  ...more,
});

async function withArchives() {
  const store = createMemoryStore();
  store.archives.close(closed('s1', 'daily', '2026-03-02', { chat: 'chat.json' }));
  store.archives.close(closed('s2', 'weekly', '2026-03-03'));
  store.archives.close(closed('s3', 'daily', '2026-03-03', { transcoding: { state: 'running', progress: 0.5 } }));
  const rig = await openRig({ store });
  store.archives.put(closed('s4', 'daily', '2026-03-03', { state: 'open' }));
  const folder = join(rig.directory, 'data', 'recordings', 'rooms', 's1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ada.webm'), '0123456789');
  writeFileSync(join(folder, 'secret.webm'), 'nobody names it');
  const sessionsIn = async (path: string, as?: typeof OTHER) => {
    const { status, body } = await rig.request('GET', `/video/v2/archive${path}`, undefined, as ? { as } : {});
    expect([status, body['result']]).toEqual([200, '0']);
    return (body['archive'] as JsonObject[]).map(({ conf_num: confNum }) => confNum);
  };
  return { rig, sessionsIn };
}

describe('GET /video/v2/archive/…', () => {
  it('lists archives of a session, a room, days, and a room with days', async () => {
    const { sessionsIn } = await withArchives();
    expect(await sessionsIn('/conf/s1')).toEqual(['s1']);
    expect(await sessionsIn('/room/daily/')).toEqual(['s1', 's3']);
    expect(await sessionsIn('/period/2026-03-02/2026-03-03')).toEqual(['s1', 's2', 's3']);
    expect(await sessionsIn('/room-period/daily/2026-03-03/2026-03-09')).toEqual(['s3']);
    expect(await sessionsIn('/conf/s4')).toEqual([]);
    expect(await sessionsIn('/conf/s1', OTHER)).toEqual([]);
  });

  it('returns file URLs, empty for a missing file, and the progress of processing', async () => {
    const { rig } = await withArchives();
    const { body } = await rig.request('GET', '/video/v2/archive/room/daily');
    const [first, last] = body['archive'] as JsonObject[];
    const url = (name: string) => `${rig.base}/video/v2/archive/file/s1/${name}`;
    expect(first).toEqual({
      ...{ _id: 'of-s1', trans_date: '2026-03-02T12:00:00.000Z', conf_num: 's1', app_id: 'shop', room_id: 'daily' },
      recording: [{ url: url('ada.webm') }],
      transcoded: [{ url: url('session.mp4') }],
      ...{ chatdata: url('chat.json'), metadata: url('metadata.json'), transcoding: { state: 'done' } },
    });
    expect(last).toMatchObject({ chatdata: '', transcoding: { state: 'running', progress: 0.5 } });
  });

  it('returns archives in pages', async () => {
    const { rig } = await withArchives();
    const path = '/video/v2/archive/period/2026-03-02/2026-03-03?limit=2';
    const first = (await rig.request('GET', path)).body;
    expect(first['archive']).toHaveLength(2);
    const last = (await rig.request('GET', `${path}&cursor=${first['next']}`)).body;
    expect([(last['archive'] as JsonObject[]).length, last['next']]).toEqual([1, undefined]);
  });

  it.each([
    ['/period/yesterday/2026-03-03', 10005],
    ['/conf', 10201],
    ['/room/', 10202],
    ['/period/2026-03-03', 10203],
    ['/room-period/a/2026-03-03', 10203],
  ])('refuses %s with %i', async (path, result) => {
    const rig = await openRig();
    const { status, body } = await rig.request('GET', `/video/v2/archive${path}`);
    expect([status, body['result']]).toEqual([400, result]);
  });
});

describe('GET /video/v2/archive/file/…', () => {
  const path = '/video/v2/archive/file/s1/ada.webm';

  it('returns the file, whole or in ranges', async () => {
    const { rig } = await withArchives();
    const whole = await rig.request('GET', path);
    expect([whole.status, whole.headers.get('content-type'), whole.text]).toEqual([200, 'video/webm', '0123456789']);
    const part = await rig.request('GET', path, undefined, { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), part.text]).toEqual([206, 'bytes 2-4/10', '234']);
    const beyond = await rig.request('GET', path, undefined, { headers: { range: 'bytes=99-' } });
    expect([beyond.status, beyond.headers.get('content-disposition')]).toEqual([416, null]);
  });

  it('serves the file to its own project only', async () => {
    const { rig } = await withArchives();
    expect((await fetch(rig.base + path)).status).toBe(401);
    expect((await rig.request('GET', path, undefined, { as: OTHER })).status).toBe(404);
  });

  it.each(['secret.webm', '..%2Fs1%2Fada.webm', '..%2F..%2F..%2Fcallweave.db', 'gone%00', 'session.mp4'])(
    'is not there: %s',
    async (name) => {
      const { rig } = await withArchives();
      const { status, body } = await rig.request('GET', `/video/v2/archive/file/s1/${name}`);
      expect([status, body['result']]).toEqual([404, 404]);
    },
  );
});
