/**
 * Chromium and Firefox in one room: each receives the tone and the colour of the other, of its camera and of its
 * screen. Skipped, with the reason, if a browser or the engine is missing.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { janusWithMedia } from '../rooms/janus/installed.ts';
import { browser } from './browser.ts';
import { FIREFOX_TONE, type Firefox, firefox, launchFirefox, openAddress, WITHOUT_SOUND_CARD } from './firefox.ts';
import { enterRoom, type Person, startCrowd } from './rooms-page.ts';
import { type Service, startService } from './service.ts';

const SITE_PORT = 9191;
const missing = [browser, firefox].find((each) => each.missing);
const ENGINES = [
  { engine: 'embedded', missing: false, why: '' },
  { engine: 'janus', ...janusWithMedia },
].map((each) => (missing ? { ...each, ...missing } : each));
/** Analysers and codecs are not exact: Hz, and degrees of hue. */
const OFF = 20;
const CHROMIUM = { tone: 440, hue: 240 };
const FIREFOX = { tone: FIREFOX_TONE, hue: 120 };

describe.for(ENGINES)('Chromium and Firefox in a room of $engine', ({ engine, missing }) => {
  let network: ReturnType<typeof openAddress>;
  let service: Service;
  let crowd: Awaited<ReturnType<typeof startCrowd>>;
  let started: Firefox;
  let ada: Person;
  let ben: Person;

  beforeAll(async () => {
    if (missing) return;
    network = openAddress();
    const { address } = network;
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-browsers-')),
      address,
      http: { cors_origins: [`http://${address}:${SITE_PORT}`] },
      numbers: [],
      flows: {},
      more: { video: { engine } },
    });
    [crowd, started] = await Promise.all([startCrowd(service, address, SITE_PORT), launchFirefox()]);
    const { body } = await service.api('POST', '/video/v2/rooms', { name: 'Both', owner_ref: 'acme', settings: {} });
    const { room_id: roomId } = body['room'] as { room_id: string };
    const tokenOf = async (name: string): Promise<string> => {
      const order = { name, role: 'moderator', user_ref: name };
      return String((await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order)).body['token']);
    };
    const pictureOf = (hue: number) => ({ width: 1280, height: 720, framesPerSecond: 5, hue });
    ada = await crowd.person(await tokenOf('ada'), { tone: CHROMIUM.tone, picture: pictureOf(CHROMIUM.hue) });
    ben = await enterRoom(await started.page(), {
      ...{ url: service.url, site: `http://${address}:${SITE_PORT}/`, token: await tokenOf('ben') },
      ...{ picture: pictureOf(FIREFOX.hue), prepare: WITHOUT_SOUND_CARD },
    });
  }, 180_000);

  afterAll(async () => {
    await crowd?.close();
    await started?.close();
    if (service) expect(await service.stop(), service.log()).toBe(0);
    network?.close();
  });

  const untilHeard = (listener: Person, speaker: Person, hertz: number) =>
    listener.until(
      `hears ${hertz} Hz`,
      async () => Math.abs(((await listener.heard())[speaker.id] ?? -1e6) - hertz) < OFF,
      30_000,
    );
  const untilSeen = (viewer: Person, key: string, hue: number) =>
    viewer.until(`sees ${hue}°`, async () => Math.abs(((await viewer.hues())[key] ?? -1e6) - hue) < OFF, 30_000);
  const isMoving = async (viewer: Person, key: string): Promise<boolean> => {
    const framesOf = async (): Promise<number> => (await viewer.watched())[key]?.frames ?? 0;
    const before = await framesOf();
    await viewer.until('sees a moving picture', async () => (await framesOf()) > before + 5, 30_000);
    return true;
  };

  it.skipIf(missing)(
    'lets each see and hear the other only',
    async () => {
      await untilHeard(ada, ben, FIREFOX.tone);
      await untilHeard(ben, ada, CHROMIUM.tone);
      await untilSeen(ada, ben.id, FIREFOX.hue);
      await untilSeen(ben, ada.id, CHROMIUM.hue);
      expect(await isMoving(ada, ben.id)).toBe(true);
      expect(await isMoving(ben, ada.id)).toBe(true);
      expect(Object.keys(await ada.hues())).toEqual([ben.id]);
      expect(Object.keys(await ben.hues())).toEqual([ada.id]);
      await ada.say({ type: 'layer', participant: ben.id, layer: 'LD' });
      await ada.until('sees a smaller layer', async () => (await ada.watched())[ben.id]?.width === 320, 30_000);
      await ada.say({ type: 'layer', participant: ben.id, layer: 'HD' });
      await ada.until('sees the best layer', async () => (await ada.watched())[ben.id]?.width === 1280, 30_000);
    },
    130_000,
  );

  it.skipIf(missing)(
    'shows a screen of Firefox that is shared later, and its camera after it was off',
    async () => {
      const screen = `${ben.id} screen`;
      for (let round = 0; round < 2; round++) {
        await ben.page.evaluate('share(true)');
        await isMoving(ada, screen);
        await ben.page.evaluate('client.publish({ video: null })');
        await ada.until('the camera is gone', async () => !(ben.id in (await ada.watched())));
        expect(await isMoving(ada, screen)).toBe(true);
        await ben.page.evaluate(
          'camera({ width: 1280, height: 720, hue: 300 }).then((video) => client.publish({ video }))',
        );
        await untilSeen(ada, ben.id, 300);
        await ben.page.evaluate('share(false)');
        await ada.until('the screen is gone', async () => !(screen in (await ada.watched())));
        await untilHeard(ada, ben, FIREFOX.tone);
        await ada.page.evaluate('share(true)');
        await isMoving(ben, `${ada.id} screen`);
        await ada.page.evaluate('share(false)');
      }
    },
    180_000,
  );
});
