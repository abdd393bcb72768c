/**
 * Audience of a room on the room page in Chromium, with both engines: HLS shows and plays what a page with a camera
 * sends. Skipped, with the reason, without Chromium or ffmpeg.
 */
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { janusWithMedia } from '../rooms/janus/installed.ts';
import { browser } from './browser.ts';
import { startVisitors } from './room-visitors.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.187';
const ADA_HZ = 440;
const ffmpeg = program('ffmpeg');

const ENGINES = [
  { engine: 'embedded', missing: false, why: '' },
  { engine: 'janus', ...janusWithMedia },
];

describe.each(ENGINES)('the audience of a room: $engine', ({ engine, missing, why }) => {
  describe.skipIf(missing || browser.missing || ffmpeg.missing)(`in Chromium${why}${browser.why}${ffmpeg.why}`, () =>
    watch(engine),
  );
});

function watch(engine: string): void {
  let service: Service;
  let visitors: Awaited<ReturnType<typeof startVisitors>>;

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-audience-'));
    service = await startService({ directory, address: ADDRESS, numbers: [], flows: {}, more: { video: { engine } } });
    visitors = await startVisitors(service);
  });
  afterAll(async () => {
    await visitors?.close();
    expect(await service?.stop(), service?.log()).toBe(0);
  });

  it('sees moving pictures and hears who talks, until it is sent out', async () => {
    const settings = { audiences: 2, quality: 'LD' };
    const { body } = await service.api('POST', '/video/v2/rooms', { name: 'Town hall', owner_ref: 'acme', settings });
    const { room_id: roomId } = body['room'] as { room_id: string };
    const enter = async (role: string, name: string): Promise<Page> => {
      const order = { name, role, user_ref: name };
      const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
      const { page } = await visitors.visit(`${service.url}/room/${roomId}#${issued['token']}`, { tone: ADA_HZ });
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('button', { name: 'Leave' }).waitFor();
      return page;
    };
    const ada = await enter('moderator', 'Ada');
    const eve = await enter('audience', 'Eve');
    let address = '';
    eve.on('request', (request) => {
      if (request.url().includes('/hls/') && request.url().endsWith('.m3u8')) address = request.url();
    });
    await eve.locator('video.audience').waitFor({ timeout: 40_000 });
    await eve.evaluate(WATCH);
    const watched = () => eve.evaluate<Watched>('watched()');
    await expect.poll(async () => (await watched()).colours, { timeout: 30_000 }).toBeGreaterThan(4);
    await expect.poll(async () => Math.abs((await watched()).hertz - ADA_HZ) < 15, { timeout: 20_000 }).toBe(true);
    expect((await watched()).width).toBe(640);
    expect((await fetch(address)).headers.get('cache-control')).toBe('no-store');

    expect(visitors.problems).toEqual([]);
    await ada.keyboard.press('p');
    await ada.locator('summary[aria-label="Actions for Eve"]').click();
    await ada
      .getByRole('button', { name: /Remove/ })
      .first()
      .click();
    await eve.getByRole('heading', { name: /removed/ }).waitFor();
    expect((await fetch(address)).status).toBe(404);
    await ada.getByRole('button', { name: 'Leave' }).click();
    const folder = join(service.directory, 'data', 'broadcasts');
    await expect.poll(() => existsSync(folder) && readdirSync(folder)).toEqual([]);
    // A removed viewer may request the next segment before it is notified.
    const isRefused = (problem: string) => /status of 404 .*\/hls\//.test(problem);
    expect(visitors.problems.filter((problem) => !isRefused(problem))).toEqual([]);
  }, 120_000);
}

interface Watched {
  /** That the middle of the picture has had, one after the other. */
  colours: number;
  hertz: number;
  width: number;
}

const WATCH = `
{
  const video = document.querySelector('video.audience');
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const colours = new Set();
  setInterval(() => {
    context.drawImage(video, video.videoWidth / 2, video.videoHeight / 8, 1, 1, 0, 0, 1, 1);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
    if (red + green + blue > 90) colours.add([red >> 4, green >> 4, blue >> 4].join());
  }, 50);
  const sound = new AudioContext();
  window.watched = async () => {
    const tracks = video.captureStream().getAudioTracks();
    if (tracks.length === 0) return { colours: colours.size, hertz: 0, width: video.videoWidth };
    const analyser = sound.createAnalyser();
    analyser.fftSize = 8192;
    // Each time anew: what was captured once falls silent for good at times.
    const source = sound.createMediaStreamSource(new MediaStream(tracks));
    source.connect(analyser);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const levels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(levels);
    source.disconnect();
    const best = levels.indexOf(Math.max(...levels));
    const hertz = levels[best] > -60 ? (best * sound.sampleRate) / analyser.fftSize : 0;
    return { colours: colours.size, hertz, width: video.videoWidth };
  };
}
`;
