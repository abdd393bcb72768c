/**
 * Contract of every `RoomEngine` that records: files of media from synthetic peers and from the mix of telephones.
 * `rooms/embedded/recording.test.ts` checks the contents to the millisecond, in virtual time.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EngineEvent, PHONES } from '../../../src/media/rooms/sfu.ts';
import { longestGap, readWebm } from '../../rooms/embedded/read-webm.ts';
import { CAMERA, People, SCREEN, SyntheticRoom, VOICE } from '../../rooms/peers/people.ts';
import type { RoomEngineHarness } from './engine.ts';
import type { MediaPlace } from './media.ts';
import { openMix } from './phones.ts';

export function runRoomRecordingsContract(make: () => RoomEngineHarness, { address }: MediaPlace): void {
  describe('room engine contract: recordings', () => {
    let harness: RoomEngineHarness;
    let people: People;
    let room: SyntheticRoom | undefined;

    beforeAll(async () => {
      harness = make();
      people = new People();
      await harness.engine.start({
        event: (_confNum: string, event: EngineEvent) => room?.event(event),
        restarted: () => undefined,
      });
    });
    afterAll(async () => {
      await people?.stop();
      await harness?.engine.stop();
    });

    it('requests a key frame although an audience is watching already', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'callweave-recordings-'));
      const recordings = join(directory, 'recordings');
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      room = new SyntheticRoom(harness.engine, people, { confNum: '951', address, recordings });
      const { events } = room;
      const files = () =>
        events.flatMap((event) =>
          event.type === 'recording_began' ? [readWebm(join(recordings, event.file)).tracks] : [],
        );
      const ada = await room.enter('ada', { audio: VOICE, video: SCREEN });
      room.setAudible(ada);
      room.send({ type: 'live_stream', directory: join(directory, 'stream') });
      for (const times of [1, 2]) {
        room.send({ type: 'record', on: true, sources: { ada: ['audio', 'video'] } });
        await room.until(
          `a picture is recorded: ${times}`,
          () => files().filter(({ video }) => video && video.timesMs.length > 3).length === times,
        );
        room.send({ type: 'record', on: false, sources: {} });
      }
      room.send({ type: 'end' });
    });

    it('writes what each publishes as sharp as it comes, audible or not, and telephones as one', async () => {
      const recordings = mkdtempSync(join(tmpdir(), 'callweave-recordings-'));
      const mix = await openMix();
      onTestFinished(async () => {
        await mix.close();
        rmSync(recordings, { recursive: true });
      });
      room = new SyntheticRoom(harness.engine, people, { confNum: '950', address, recordings });
      const { events } = room;
      const pathOf = (who: string): string | undefined => {
        const began = events.filter((event) => event.type === 'recording_began');
        const file = began.find(({ participant }) => participant === who)?.file;
        return file && join(recordings, file);
      };
      const ended = (who: string) => events.some((event) => event.type === 'recorded' && event.participant === who);

      const ada = await room.enter('ada', { audio: VOICE, video: CAMERA });
      await room.enter('ben', { audio: VOICE, video: CAMERA });
      room.setAudible();
      room.send({ type: 'attach_phones', at: mix.at });
      mix.say(8000);
      const telephones = { [PHONES]: ['audio'] } as const;
      room.send({ type: 'record', on: true, sources: { ada: ['audio', 'video'], ben: ['audio'], ...telephones } });
      for (const who of ['ada', 'ben', PHONES]) {
        await room.until(`${who} is recorded`, () => pathOf(who) !== undefined);
      }
      await room.until('there is more than a second', () => statSync(pathOf('ada')!).size > 80_000);

      room.send({ type: 'record', on: true, sources: { ada: ['audio', 'video'], ...telephones } });
      await room.until('the file of ben is whole', () => ended('ben'));
      room.send({ type: 'mute', participant: ada.id, source: 'video', muted: true });
      await room.until('there is sound without a picture', () => {
        const { audio, video } = readWebm(pathOf('ada')!).tracks;
        return audio!.timesMs.at(-1)! - video!.timesMs.at(-1)! > 250;
      });
      // As when the service stops.
      room.send({ type: 'end' });
      await harness.engine.stop();
      expect([ended('ada'), ended(PHONES)]).toEqual([true, true]);

      const { audio, video } = readWebm(pathOf('ada')!).tracks;
      expect([audio?.codec, video?.codec, video?.isKey[0]]).toEqual(['A_OPUS', 'V_VP8', true]);
      expect(longestGap(audio!)).toBeLessThan(500);
      // Only the best of the three layers has this bit rate.
      expect((statSync(pathOf('ada')!).size * 8) / video!.timesMs.at(-1)!).toBeGreaterThan(250);
      expect(Object.keys(readWebm(pathOf('ben')!).tracks)).toEqual(['audio']);
      expect(readWebm(pathOf(PHONES)!).tracks['audio']!.timesMs.length).toBeGreaterThan(20);
      expect(events.filter(({ type }) => type === 'recording_failed')).toEqual([]);
    });
  });
}
