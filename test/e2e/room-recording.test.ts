/**
 * Recordings of rooms with real media: audio and video of Chromium pages are in files that ffmpeg reads, one per
 * participant, by role. Skipped, with the reason, without Chromium or ffmpeg.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goertzelCoefficient, goertzelPower } from '../../src/media/toolbox/audio/goertzel.ts';
import { program } from '../programs.ts';
import { readWebm } from '../rooms/embedded/read-webm.ts';
import { browser } from './browser.ts';
import { engineOf, startCrowd } from './rooms-page.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.184';
const SITE_PORT = 9184;
const ffmpeg = program('ffmpeg');

interface Archived {
  recording: { url: string }[];
  transcoded: { url: string }[];
  metadata: string;
  transcoding: { state: string };
}

describe.skipIf(browser.missing || ffmpeg.missing)(`a recorded room${browser.why}${ffmpeg.why}`, () => {
  let service: Service;
  let crowd: Awaited<ReturnType<typeof startCrowd>>;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-recorded-')),
      address: ADDRESS,
      http: { cors_origins: [`http://${ADDRESS}:${SITE_PORT}`] },
      numbers: [],
      flows: {},
    });
    crowd = await startCrowd(service, ADDRESS, SITE_PORT);
  });
  afterAll(async () => {
    await crowd?.close();
    expect(await service?.stop(), service?.log()).toBe(0);
  });

  it('has the sound and the picture of each person, by role', async () => {
    const settings = { role_based_recording: { moderator: 'audiovideo', participant: 'audio' } };
    const { body } = await service.api('POST', '/video/v2/rooms', { name: 'Daily', owner_ref: 'acme', settings });
    const { room_id: roomId } = body['room'] as { room_id: string };
    const folder = join(service.directory, 'data', 'recordings', 'rooms');
    const enter = async (role: string, tone: number) => {
      const order = { name: role, role, user_ref: role };
      const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
      return crowd.person(String(issued['token']), { tone });
    };
    const ada = await enter('moderator', 440);
    const ben = await enter('participant', 1000);
    await ada.until('hears ben', async () => Math.abs(((await ada.heard())[ben.id] ?? 0) - 1000) < 20);
    await ada.say({ type: 'record', on: true });
    const soundOfAll = () => recordedIn(folder).map(({ tracks }) => (tracks['audio']?.timesMs.at(-1) ?? 0) > 3500);
    await expect.poll(soundOfAll, { timeout: 15_000 }).toEqual([true, true]);
    await ada.say({ type: 'record', on: false });
    await expect
      .poll(() => filesIn(folder).map((path) => (readWebm(path).durationMs ?? 0) > 3000))
      .toEqual([true, true]);
    const [ofAda, ofBen] = [ada, ben].map(({ id }) => filesIn(folder).find((path) => path.includes(id))!);
    expect([Object.keys(readWebm(ofAda!).tracks), Object.keys(readWebm(ofBen!).tracks)]).toEqual([
      ['audio', 'video'],
      ['audio'],
    ]);
    for (const [path, tone] of [
      [ofAda!, 440],
      [ofBen!, 1000],
    ] as const) {
      const samples = soundOf(path);
      const [own, other] = [tone, 1440 - tone].map((hertz) => strengthOf(samples, hertz));
      expect(own).toBeGreaterThan(100 * other!);
    }
    expect(picturesOf(ofAda!)).toBeGreaterThan(30);
    await ada.say({ type: 'end' });
    const archived = async () =>
      (await service.api('GET', `/video/v2/archive/room/${roomId}`)).body['archive'] as Archived[];
    await expect.poll(async () => (await archived())[0]?.transcoding.state, { timeout: 60_000 }).toBe('done');
    const [archive] = await archived();
    expect(archive!.recording.length).toBe(2);
    const path = (url: string) => new URL(url).pathname;
    const part = await service.download(path(archive!.transcoded[0]!.url), { range: 'bytes=4-7' });
    expect([part.status, part.headers.get('content-type'), await part.text()]).toEqual([206, 'video/mp4', 'ftyp']);
    const metadata = (await (await service.download(path(archive!.metadata))).json()) as { events: { type: string }[] };
    const types = new Set(metadata.events.map(({ type }) => type));
    expect([...types].sort()).toEqual(['joined', 'left', 'published', 'recording', 'talking']);
    expect((await fetch(archive!.recording[0]!.url)).status).toBe(401);
  }, 120_000);

  it('keeps the recording when the engine is killed, and continues in new files', async () => {
    const settings = { auto_recording: true };
    const { body } = await service.api('POST', '/video/v2/rooms', { name: 'Weekly', owner_ref: 'acme', settings });
    const { room_id: roomId } = body['room'] as { room_id: string };
    const order = { name: 'Ada', role: 'moderator', user_ref: 'ada' };
    const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
    const ada = await crowd.person(String(issued['token']), { tone: 440 });
    const folder = join(service.directory, 'data', 'recordings', 'rooms');
    const ofAda = () => filesIn(folder).filter((path) => path.includes(ada.id));
    const lastOf = (path: string) => readWebm(path).tracks['audio']?.timesMs.at(-1) ?? 0;
    await expect.poll(() => ofAda().map((path) => lastOf(path) > 1500), { timeout: 15_000 }).toEqual([true]);
    const [cut] = ofAda();
    process.kill(engineOf(service.pid)!, 'SIGKILL');
    const isAgain = () => ofAda().filter((path) => path !== cut && lastOf(path) > 500).length;
    await expect.poll(isAgain, { timeout: 15_000 }).toBe(1);
    const samples = soundOf(cut!);
    expect(samples.length / 8).toBeGreaterThan(lastOf(cut!) - 200);
    expect(strengthOf(samples, 440)).toBeGreaterThan(100 * strengthOf(samples, 1000));
    await ada.say({ type: 'end' });
    const archived = async () =>
      (await service.api('GET', `/video/v2/archive/room/${roomId}`)).body['archive'] as Archived[];
    await expect.poll(async () => (await archived())[0]?.recording.length, { timeout: 10_000 }).toBe(2);
  }, 60_000);
});

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.webm'))
        .map((name) => join(folder, name))
    : [];

const recordedIn = (folder: string) => filesIn(folder).map((path) => readWebm(path));

/** Decoded, at 8 kHz. */
function soundOf(path: string): Int16Array {
  const { stdout, stderr } = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:a', '-ac', '1', '-ar', '8000', '-f', 's16le', '-'],
    { maxBuffer: 2 ** 24 },
  );
  expect(stderr.toString()).toBe('');
  return new Int16Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 2));
}

/** How many pictures are decoded. */
function picturesOf(path: string): number {
  const { stdout } = spawnSync('ffprobe', [
    ...['-v', 'error', '-count_frames', '-select_streams', 'v', '-show_entries', 'stream=nb_read_frames'],
    ...['-of', 'csv=p=0', path],
  ]);
  return Number(stdout.toString().trim());
}

const strengthOf = (samples: Int16Array, hertz: number): number =>
  goertzelPower(samples, goertzelCoefficient(hertz)) / samples.length;
