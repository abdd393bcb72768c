/** Call detail records: the entry of each participant of a session, and the report. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { ParticipantQuality } from '../../src/media/rooms/quality.ts';
import { roomRig, SERVER_ADDRESS } from './room-fixtures.ts';

const detailsOf = (rig: ReturnType<typeof roomRig>) =>
  rig.store.callDetails.list({ projectId: 'shop', limit: 10 }).details.map(({ body }) => body);

describe('a call detail record', () => {
  it('is written when a participant leaves: times, tracks and usage, in seconds rounded up', async () => {
    const rig = roomRig();
    const room = rig.room({}, { sip: { enabled: true } });
    const ada = rig.join(room, 'moderator', 'Ada');
    const { confNum } = rig.sessions.find('shop', room.roomId)!;
    const publish = (source: 'audio' | 'video' | 'screen', on: boolean) =>
      rig.engine.report(confNum, { type: 'published', participant: ada.id, source, on });
    publish('audio', true);
    await rig.clock.advance(10_000);
    publish('video', true);
    publish('audio', false);
    await rig.clock.advance(10_000);
    publish('video', false);
    await rig.clock.advance(30_000);
    publish('screen', true);
    publish('screen', true);
    await rig.clock.advance(12_300);
    ada.say({ type: 'leave' });
    const [detail, more] = detailsOf(rig);
    expect(more).toBeUndefined();
    expect(detail).toMatchObject({
      conf_num: confNum,
      sip: false,
      app_id: 'shop',
      room: { room_id: room.roomId, duration: 63, connect_dt: '2026-03-02T08:30:00.000Z', sip: false },
      user: { role: 'moderator', name: 'Ada', ref: 'Ada' },
      sigserver: { ip: SERVER_ADDRESS, duration: 63 },
      published_track: { audio: true, data: false, video: true, screen: true, url: false },
      usage: {
        ...{ subscribed_minutes: 63, published_minutes: 33, screen_minutes: 13 },
        ...{ connect_minutes: 63, connect_minutes_cal: 2, room_connect_minutes: 63 },
      },
    });
    expect(JSON.stringify(detail)).not.toContain(room.sip!.pin);
  });

  it.each([3_600_000, -3_600_000])('keeps the duration correct when the wall clock is set by %d ms', async (byMs) => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator', 'Ada');
    const { confNum } = rig.sessions.find('shop', room.roomId)!;
    rig.engine.report(confNum, { type: 'published', participant: ada.id, source: 'screen', on: true });
    await rig.clock.advance(5000);
    rig.clock.setWallClock(byMs);
    await rig.clock.advance(7000);
    ada.say({ type: 'leave' });
    expect(detailsOf(rig)).toMatchObject([
      {
        room: { duration: 12, connect_dt: '2026-03-02T08:30:00.000Z', disconnect_dt: '2026-03-02T08:30:12.000Z' },
        usage: { connect_minutes: 12, published_minutes: 12, screen_minutes: 12 },
      },
    ]);
  });

  it('starts at admission; a participant who only waited has none', async () => {
    const rig = roomRig();
    const room = rig.room({ knock: true });
    const ada = rig.join(room, 'moderator', 'Ada');
    rig.join(room, 'participant', 'Ben');
    const cleo = rig.join(room, 'participant', 'Cleo');
    await rig.clock.advance(60_000);
    const [, { id }] = ada.last('knocking')!['participants'] as [unknown, { id: string }];
    ada.say({ type: 'admit', participant: id });
    await rig.clock.advance(5000);
    cleo.say({ type: 'leave' });
    ada.say({ type: 'end' });
    expect(
      detailsOf(rig).map(({ user, usage }) => [(user as JsonObject)['name'], (usage as JsonObject)['connect_minutes']]),
    ).toEqual([
      ['Cleo', 5],
      ['Ada', 65],
    ]);
  });

  it('has one entry for a participant who reconnected', async () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room);
    ada.break();
    await rig.clock.advance(10_000);
    const back = rig.client().say({ type: 'resume', resume_key: String(ada.last('welcome')!['resume_key']) });
    back.say({ type: 'leave' });
    expect(detailsOf(rig)).toMatchObject([{ usage: { connect_minutes: 10 } }]);
  });
});

describe('quality', () => {
  it('grades each sample by its loss, and video by the share of the wanted layer', () => {
    const quality = new ParticipantQuality();
    const receive = (bitsPerSecond: number, lost: number, expectedBitsPerSecond: number) =>
      quality.add({
        ...{ direction: 'receive', source: 'video', bitsPerSecond, expectedBitsPerSecond, lost, roundTripMs: 40 },
      });
    receive(800_000, 0, 800_000);
    receive(400_000, 0, 800_000);
    receive(800_000, 0.03, 800_000);
    receive(100_000, 0, 800_000);
    const sent = { direction: 'send', source: 'audio', bitsPerSecond: 40_000 } as const;
    for (const lost of [0, 0.06, 0.1]) quality.add({ ...sent, lost });
    expect(quality.report).toMatchObject({
      receive: {
        video: {
          ...{ avg_bitrate: 525_000, min_bitrate: 100_000, max_bitrate: 800_000, avg_bitrate_quality: 'Good' },
          ...{ bitrate_good_percent: 25, bitrate_moderate_percent: 50, bitrate_bad_percent: 25 },
        },
        audio: { avg_bitrate: 0, bitrate_good_percent: 0, avg_bitrate_quality: 'Unknown' },
        rtt: { avg: 40, min: 40, max: 40 },
      },
      send: { audio: { avg_bitrate_quality: 'Bad' }, video: { avg_bitrate_quality: 'Unknown' } },
      call_quality: 'Bad',
    });
  });

  it('is good in a room with small video without loss, and with little audio', () => {
    const quality = new ParticipantQuality();
    const picture = { direction: 'receive', source: 'video', lost: 0 } as const;
    quality.add({ ...picture, bitsPerSecond: 80_000, expectedBitsPerSecond: 84_000 });
    quality.add({ ...picture, bitsPerSecond: 68_000 });
    quality.add({ direction: 'send', source: 'audio', bitsPerSecond: 3000, lost: 0 });
    expect(quality.report).toMatchObject({
      receive: { video: { avg_bitrate_quality: 'Good', bitrate_good_percent: 100 } },
      call_quality: 'Good',
    });
  });

  it('includes figures of the browser, and is bad if most of them were', () => {
    const quality = new ParticipantQuality();
    quality.addExperience({ seconds: 5, frames_decoded: 120, freezes: 1, freeze_ms: 400, concealed: 0.01 });
    expect(quality.report['call_quality']).toBe('Bad');
    quality.addExperience({ seconds: 15, frames_decoded: 360, round_trip_ms: 60 });
    expect(quality.report).toMatchObject({
      experience: { frames_decoded: 480, freezes: 1, freeze_seconds: 0.4, concealed_percent: 0.3 },
      receive: { rtt: { avg: 60, min: 60, max: 60 } },
      call_quality: 'Good',
    });
  });

  it('is unknown without any samples', () => {
    expect(new ParticipantQuality().report).toMatchObject({
      call_quality: 'Unknown',
      receive: { rtt: { avg: 0, min: 0, max: 0 } },
    });
  });
});
