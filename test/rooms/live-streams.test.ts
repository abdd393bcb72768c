/** Live stream for an audience: when it runs, and who may fetch it. In virtual time. */
import { describe, expect, it } from 'vitest';
import type { EngineCommand } from '../../src/media/rooms/sfu.ts';
import { roomRig, type TestClient } from './room-fixtures.ts';

type LiveStreaming = Extract<EngineCommand, { type: 'live_stream' }>;

const HOUR_MS = 3_600_000;

function watchedRoom() {
  const rig = roomRig();
  const room = rig.room({ audiences: 3 });
  const ada = rig.join(room, 'moderator', 'Ada');
  const { confNum } = rig.sessions.find('shop', room.roomId)!;
  let made = 0;
  return {
    ...{ ...rig, ada, confNum, roomId: room.roomId },
    watch: (name?: string) => rig.join(room, 'audience', name),
    /** Requests to the engine, in order. */
    asked: () =>
      rig.engine.commands.flatMap(({ command }) =>
        command.type === 'live_stream' ? [(command as LiveStreaming).directory] : [],
      ),
    segment: (isFirst = made === 0) =>
      rig.engine.report(confNum, { type: 'segment', file: `s${made++}.ts`, durationMs: 2000, isFirst }),
    fails: () => rig.engine.report(confNum, { type: 'live_stream_failed', why: 'no such encoder' }),
    fetch: (address: string, file = 'index.m3u8', of = room.roomId) =>
      rig.liveStreams.read({ room: of, token: address.split('/')[4]!, file }),
  };
}

const statesOf = (client: TestClient) => client.of('broadcast').map(({ state }) => state);
const addressOf = (client: TestClient) => String(client.last('broadcast')?.['url']);

describe('a live stream', () => {
  it('runs while a viewer is in the session, and for a moment after the last one has left', async () => {
    const rig = watchedRoom();
    expect(rig.asked()).toEqual([]);
    const [eve, fay] = [rig.watch(), rig.watch()];
    expect(rig.asked()).toEqual([expect.stringContaining(rig.confNum)]);
    eve.say({ type: 'leave' });
    fay.say({ type: 'leave' });
    await rig.clock.advance(29_000);
    const gus = rig.watch();
    await rig.clock.advance(60_000);
    expect(rig.asked().length).toBe(1);
    gus.say({ type: 'leave' });
    await rig.clock.advance(30_000);
    expect(rig.asked().slice(1)).toEqual([undefined]);
    rig.watch();
    expect(rig.asked()[2]).not.toBe(rig.asked()[0]);
  });

  it('is announced to each viewer with its own address, once the stream has content', () => {
    const rig = watchedRoom();
    const [eve, fay] = [rig.watch(), rig.watch()];
    expect([statesOf(eve), rig.ada.of('broadcast')]).toEqual([['starting'], []]);
    rig.segment();
    rig.segment();
    expect([statesOf(eve), statesOf(fay), statesOf(rig.watch())]).toEqual([
      ['starting', 'live'],
      ['starting', 'live'],
      ['live'],
    ]);
    expect(addressOf(eve)).not.toBe(addressOf(fay));
    expect(rig.ada.of('broadcast')).toEqual([]);
  });

  it('lists the latest segments, and marks discontinuities', () => {
    const rig = watchedRoom();
    const eve = rig.watch();
    for (let count = 0; count < 10; count++) rig.segment(count === 6);
    expect(rig.fetch(addressOf(eve))).toEqual({
      playlist: [
        '#EXTM3U',
        '#EXT-X-VERSION:3',
        '#EXT-X-TARGETDURATION:2',
        '#EXT-X-MEDIA-SEQUENCE:4',
        '#EXT-X-DISCONTINUITY-SEQUENCE:0',
        ...['#EXTINF:2.000,', 's4.ts', '#EXTINF:2.000,', 's5.ts', '#EXT-X-DISCONTINUITY', '#EXTINF:2.000,', 's6.ts'],
        ...['#EXTINF:2.000,', 's7.ts', '#EXTINF:2.000,', 's8.ts', '#EXTINF:2.000,', 's9.ts', ''],
      ].join('\n'),
    });
    for (let count = 0; count < 9; count++) rig.segment();
    const { playlist } = rig.fetch(addressOf(eve)) as { playlist: string };
    expect(playlist).toMatch(/SEQUENCE:13\n#EXT-X-DISCONTINUITY-SEQUENCE:1\n/);
    expect(rig.fetch(addressOf(eve), 's6.ts')).toEqual({ problem: 'gone' });
    expect(rig.fetch(addressOf(eve), 's7.ts')).toEqual({ path: expect.stringMatching(/\/s7\.ts$/) });
  });

  it('is announced as failed if it does not restart at once, and as running when it does', () => {
    const rig = watchedRoom();
    const eve = rig.watch();
    rig.fails();
    rig.fails();
    rig.segment();
    rig.fails();
    expect(statesOf(eve)).toEqual(['starting', 'failed', 'live']);
    rig.fails();
    rig.segment();
    expect(statesOf(eve).slice(3)).toEqual(['failed', 'live']);
  });

  it('is requested again after the engine has died, and continues at the same address', () => {
    const rig = watchedRoom();
    const eve = rig.watch();
    rig.segment();
    rig.engine.die();
    expect(rig.asked()).toEqual([rig.asked()[0], rig.asked()[0]]);
    rig.segment(true);
    expect(rig.fetch(addressOf(eve))).toEqual({
      playlist: expect.stringContaining('#EXT-X-DISCONTINUITY\n#EXTINF:2.000,\ns1.ts'),
    });
  });

  it('ends with its session', () => {
    const rig = watchedRoom();
    const eve = rig.watch();
    rig.segment();
    const address = addressOf(eve);
    rig.ada.say({ type: 'end' });
    expect(rig.fetch(address)).toEqual({ problem: 'gone' });
  });
});

describe('the address of a viewer', () => {
  it('is invalid once the viewer has left, was removed, or was lost', async () => {
    const rig = watchedRoom();
    const [eve, fay, gus] = [rig.watch(), rig.watch(), rig.watch()];
    rig.segment();
    const addresses = [eve, fay, gus].map(addressOf);
    expect(addresses.map((address) => rig.fetch(address))).toEqual(new Array(3).fill({ playlist: expect.any(String) }));
    eve.say({ type: 'leave' });
    rig.ada.say({ type: 'drop', participant: fay.id });
    gus.break();
    expect(addresses.map((address) => 'playlist' in rig.fetch(address))).toEqual([false, false, true]);
    await rig.clock.advance(30_000);
    for (const address of addresses) {
      expect([rig.fetch(address), rig.fetch(address, 's0.ts')]).toEqual([{ problem: 'gone' }, { problem: 'gone' }]);
    }
  });

  it('belongs to one room, cannot be forged, and gives no access to other files', () => {
    const rig = watchedRoom();
    const eve = rig.watch();
    rig.segment();
    const address = addressOf(eve);
    const other = rig.room({ audiences: 1 });
    expect(rig.fetch(address, 'index.m3u8', other.roomId)).toEqual({ problem: 'refused' });
    for (const wrong of [
      address.replace(/.\/index/, '~/index'),
      '/room/x/hls//index.m3u8',
      `/room/x/hls/${'A'.repeat(20_000)}/`,
    ]) {
      expect(rig.fetch(wrong)).toEqual({ problem: 'refused' });
    }
    // An invitation token is not valid as the address of a stream.
    expect(rig.fetch(`/room/x/hls/${rig.token(rig.room())}/index.m3u8`)).toEqual({ problem: 'refused' });
    for (const file of ['../index.m3u8', '..', '', 's1.ts', '/etc/passwd', 's0.ts/../s0.ts']) {
      expect(rig.fetch(address, file)).toEqual({ problem: 'gone' });
    }
  });

  it('is replaced before it expires', async () => {
    const rig = watchedRoom();
    const eve = rig.watch();
    rig.segment();
    const first = addressOf(eve);
    await rig.clock.advance(5 * HOUR_MS);
    const second = addressOf(eve);
    await rig.clock.advance(HOUR_MS);
    expect([rig.fetch(first), rig.fetch(second)]).toEqual([{ problem: 'refused' }, { playlist: expect.any(String) }]);
  });

  it('is sent again to a viewer who reconnects', () => {
    const rig = watchedRoom();
    const eve = rig.watch();
    rig.segment();
    eve.break();
    const again = rig.client().say({ type: 'resume', resume_key: String(eve.last('welcome')!['resume_key']) });
    expect(again.types).toEqual(['welcome', 'changed', 'broadcast']);
    expect(addressOf(again)).toBe(addressOf(eve));
  });
});

it('counts the watched time of a viewer in its report', async () => {
  const rig = watchedRoom();
  const [eve, fay] = [rig.watch('Eve'), rig.watch('Fay')];
  for (let count = 0; count < 4; count++) rig.segment();
  for (const file of ['s1.ts', 's2.ts', 's2.ts', 's1.ts', 's3.ts']) rig.fetch(addressOf(eve), file);
  await rig.clock.advance(10_000);
  for (const one of [eve, fay]) one.say({ type: 'leave' });
  const { details } = rig.store.callDetails.list({ projectId: 'shop', roomId: rig.roomId, limit: 9 });
  expect(details.map(({ body }) => body)).toMatchObject([
    { user: { name: 'Eve', role: 'audience' }, usage: { subscribed_minutes: 6, connect_minutes: 10 } },
    { user: { name: 'Fay' }, usage: { subscribed_minutes: 0, connect_minutes: 10 } },
  ]);
});

it('refuses viewers if the engine cannot stream', () => {
  const rig = roomRig({ audienceProblem: () => 'ffmpeg is not installed' });
  const room = rig.room({ audiences: 3 });
  expect(() => rig.token(room, 'audience')).toThrow('no audience here: ffmpeg is not installed');
  const token = rig.tokens.issue('shop', { roomId: room.roomId, role: 'audience', name: 'Eve', userRef: 'eve' });
  expect(rig.client().say({ type: 'join', token }).last('error')).toMatchObject({ code: 'room_audience_unavailable' });
  expect(rig.join(room, 'viewer').types).toEqual(['welcome']);
});
