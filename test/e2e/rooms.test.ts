/**
 * Rooms with real media: pages of Chromium receive exactly the permitted audio and video through each engine. Skipped,
 * with the reason, if Chromium or the engine is not installed.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import { janusWithMedia } from '../rooms/janus/installed.ts';
import { Relay } from '../rooms/peers/relay.ts';
import { browser } from './browser.ts';
import { engineOf, type Person, startCrowd } from './rooms-page.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.178';
const SITE_PORT = 9178;
/** Tolerance for the loudest tone, in Hz, because of the resolution of the analyser. */
const OFF = 12;

/** Script for a page that limits the camera to one codec. */
const only = (codec: string): string => `
const add = RTCPeerConnection.prototype.addTransceiver;
RTCPeerConnection.prototype.addTransceiver = function (track, options) {
  const made = add.call(this, track, options);
  const codecs = RTCRtpSender.getCapabilities('video').codecs;
  if (track.kind === 'video') made.setCodecPreferences(codecs.filter(({ mimeType }) => mimeType === 'video/${codec}'));
  return made;
};`;

const ENGINES = [
  { engine: 'embedded', process: 'media/rooms/embedded/child.ts', missing: false, why: '' },
  { engine: 'janus', process: 'callweave-janus-', ...janusWithMedia },
].map((each) => (browser.missing ? { ...each, ...browser } : each));
/** One browser for all engines: their services have the same address, one after the other. */
let crowd: Awaited<ReturnType<typeof startCrowd>>;

beforeAll(async () => {
  if (!browser.missing) crowd = await startCrowd({ url: `http://${ADDRESS}:8080` }, ADDRESS, SITE_PORT);
});
afterAll(() => crowd?.close());

describe.for(ENGINES)('browsers in a room of $engine$why', ({ engine, process: child, missing }) => {
  let service: Service;

  beforeAll(async () => {
    if (missing) return;
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-rooms-')),
      address: ADDRESS,
      http: { cors_origins: [`http://${ADDRESS}:${SITE_PORT}`] },
      numbers: [],
      flows: {},
      more: { video: { engine } },
    });
  });
  afterAll(async () => {
    if (service) expect(await service.stop(), service.log()).toBe(0);
  });

  async function room(settings: object = {}) {
    const { body } = await service.api('POST', '/video/v2/rooms', { name: 'Daily', owner_ref: 'acme', settings });
    const { room_id: roomId } = body['room'] as { room_id: string };
    return async (role: string, options: Parameters<typeof crowd.person>[1] = {}) => {
      const order = { name: role, role, user_ref: role };
      const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
      return crowd.person(String(issued['token']), options);
    };
  }

  const hears = async (listener: Person, speaker: Person, hertz: number): Promise<boolean> =>
    Math.abs(((await listener.heard())[speaker.id] ?? -1e6) - hertz) <= (hertz === 0 ? 0 : OFF);
  const untilHeard = (listener: Person, speaker: Person, hertz: number, withinMs?: number) =>
    listener.until(`hears ${hertz} Hz`, () => hears(listener, speaker, hertz), withinMs);
  const framesOf = async (viewer: Person, { id }: Person) => (await viewer.watched())[id]?.frames ?? 0;
  const untilSeen = async (viewer: Person, shown: Person, withinMs?: number) => {
    const before = await framesOf(viewer, shown);
    // A new connection restarts the frame count at 0, hence the absolute difference.
    const isMoving = async () => Math.abs((await framesOf(viewer, shown)) - before) > 5;
    return viewer.until('sees a moving picture', isMoving, withinMs);
  };

  it.skipIf(missing)(
    'exchanges audio and video between participants, not back to the sender; a viewer only receives',
    async () => {
      const enter = await room();
      const ada = await enter('moderator', { tone: 440 });
      const ben = await enter('participant', { tone: 1000 });
      const viewer = await enter('viewer', { publishes: true, tone: 2000 });
      await untilHeard(ada, ben, 1000);
      await untilHeard(ben, ada, 440);
      await untilHeard(viewer, ada, 440);
      await untilHeard(viewer, ben, 1000);
      for (const [who, whom] of [
        [ada, ben],
        [ben, ada],
        [viewer, ada],
        [viewer, ben],
      ] as const) {
        await untilSeen(who, whom);
      }
      expect(Object.keys(await ada.heard())).toEqual([ben.id]);
      expect(Object.keys(await ben.watched())).toEqual([ada.id]);
      await ada.until('is told that both talk', async () => {
        const told = (await ada.messages('talking')).map(({ participants }) => participants as string[]);
        return told.some((talking) => talking.includes(ada.id) && talking.includes(ben.id));
      });
      await ada.say({ type: 'end' });
    },
    60_000,
  );

  it.skipIf(missing || engine !== 'embedded')(
    'continues over a lossy link, and sends a lower layer over a narrow one',
    async () => {
      const relay = new Relay(ADDRESS, seededRandom(5));
      onTestFinished(() => relay.stop());
      const enter = await room();
      const picture = { width: 640, height: 360, framesPerSecond: 25, speckles: 20 };
      const ada = await enter('moderator', { tone: 440, picture });
      const ben = await enter('viewer', { publishes: false, relay });
      const widthOf = async (): Promise<number> => (await ben.watched())[ada.id]?.width ?? 0;
      await ben.until('sees the best layer', async () => (await widthOf()) === picture.width, 20_000);
      relay.set({ up: { loss: 0.05 }, down: { loss: 0.05 } });
      const lossy = await ben.measured(ada, 5);
      // Loose limits for a busy machine; `npm run bench -- room-links` measures the real values.
      expect(lossy.framesPerSecond).toBeGreaterThan(8);
      expect(lossy.longestGapMs).toBeLessThan(2000);
      expect(lossy.concealed).toBeLessThan(0.08);
      relay.set({ down: { bitsPerSecond: 300_000 } });
      await ben.until('sees a lower layer', async () => (await widthOf()) < picture.width, 10_000);
      await untilHeard(ben, ada, 440);
      await ada.say({ type: 'end' });
    },
    60_000,
  );

  it.skipIf(missing || engine !== 'embedded').each([
    ['VP9', 'forwards VP9', undefined],
    ['H264', 'forwards H.264', undefined],
    ['AV1', 'says that AV1 is not forwarded', 'Nobody sees your camera: your browser cannot send VP8, VP9 or H.264.'],
  ])(
    '%s alone: is the video of a browser, and the room %s',
    async (codec, _, problem) => {
      const enter = await room();
      const ada = await enter('moderator', {
        picture: { width: 320, height: 180, framesPerSecond: 5 },
        prepare: only(codec),
      });
      const ben = await enter('viewer', { publishes: false });
      if (problem === undefined) await untilSeen(ben, ada, 20_000);
      else {
        const told = async () => (await ada.messages('media')).map(({ message }) => String(message));
        await ada.until('is told', async () => (await told()).some((message) => message.startsWith(problem)), 20_000);
        expect(await ben.watched()).toEqual({});
      }
      await ada.say({ type: 'end' });
    },
    60_000,
  );

  it.skipIf(missing)(
    'are silent for all while a moderator mutes them hard, whatever they do',
    async () => {
      const enter = await room();
      const ada = await enter('moderator', { tone: 440 });
      const ben = await enter('participant', { tone: 1000 });
      await untilHeard(ada, ben, 1000);
      await ada.say({ type: 'mute_user', participant: ben.id, source: 'audio', muted: true, hard: true });
      await untilHeard(ada, ben, 0);
      await ben.say({ type: 'mute', source: 'audio', muted: false });
      await ben.until('is refused', async () => (await ben.messages('error')).length > 0);
      expect(await hears(ada, ben, 0)).toBe(true);
      await untilSeen(ada, ben);
      await ada.say({ type: 'mute_user', participant: ben.id, source: 'audio', muted: false });
      await untilHeard(ada, ben, 1000);
      await ada.say({ type: 'end' });
    },
    60_000,
  );

  it.skipIf(missing)(
    'shows a screen beside the camera, removes it, and shows it again',
    { timeout: 60_000 },
    async () => {
      const enter = await room();
      const ada = await enter('moderator', { tone: 440 });
      const ben = await enter('participant', { tone: 1000 });
      await untilSeen(ben, ada);
      const screen = `${ada.id} screen`;
      for (let round = 0; round < 2; round++) {
        await ada.page.evaluate('share(true)');
        await ben.until('is offered the screen', async () => screen in (await ben.watched()));
        await untilSeen(ben, { ...ada, id: screen });
        await untilSeen(ben, ada);
        await ada.page.evaluate('share(false)');
        await ben.until('the screen is gone', async () => !(screen in (await ben.watched())));
        await untilSeen(ben, ada);
        await untilHeard(ben, ada, 440);
      }
      await ada.say({ type: 'end' });
    },
  );

  it.skipIf(missing)(
    'are back within 5 s, without a reload, when the engine is killed',
    async () => {
      const enter = await room();
      const ada = await enter('moderator', { tone: 440 });
      const ben = await enter('participant', { tone: 1000 });
      await untilHeard(ben, ada, 440);
      await untilSeen(ada, ben);
      const killedAt = performance.now();
      process.kill(engineOf(service.pid, child)!, 'SIGKILL');
      await ada.until('is told', async () => (await ada.messages('media_restarted')).length > 0, 5000);
      await Promise.all([untilSeen(ada, ben, 5000), untilSeen(ben, ada, 5000)]);
      await Promise.all([untilHeard(ada, ben, 1000, 5000), untilHeard(ben, ada, 440, 5000)]);
      expect(performance.now() - killedAt).toBeLessThan(5000);
      await ada.say({ type: 'end' });
    },
    60_000,
  );
});
