/** `callweave rooms` against a service in this process, without media. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { readConfigText } from '../../src/config.ts';
import { SimulatedRoomEngine } from '../../src/media/rooms/simulated-engine.ts';
import { SimulatedEngine } from '../../src/proof/testkit/index.ts';
import { createMemoryStore } from '../memory-store.ts';
import { callweave } from './command.ts';

const KEY = 'key-of-the-rooms-test-1';

let app: App;
let url: string;

beforeAll(async () => {
  const { config } = readConfigText(
    `
projects: [{ app_id: shop, app_key: ${KEY} }]
http: { port: 0 }
rooms: [{ room_id: daily, name: Daily, pin: "246810" }, { room_id: weekly, name: "Weekly\\u001b[31m" }]
`,
    `${import.meta.dirname}/callweave.yaml`,
  );
  const engine = new SimulatedEngine({
    ...{ clock: systemClock, ids: randomIds, audio: { durationMs: () => 5 } },
    callee: () => ({ does: 'answer' }),
  });
  app = await createApp(config!, {
    store: createMemoryStore(),
    telephony: { engine, sounds: { refusal: () => undefined } },
    roomEngine: new SimulatedRoomEngine(),
  });
  const { http } = await app.start();
  url = `http://127.0.0.1:${http.port}`;
  vi.stubEnv('CALLWEAVE_APP_ID', 'shop');
  vi.stubEnv('CALLWEAVE_APP_KEY', KEY);
  vi.stubEnv('CALLWEAVE_URL', url);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await app.stop(0);
});

test('lists the rooms of the project, also as JSON', async () => {
  const { out } = await callweave(['rooms']);
  expect(out.split('\n')[0]).toBe('daily  Daily  permanent, group');
  expect(out).not.toContain('\u001b');
  const { rooms } = (await callweave(['rooms', 'list', '--json'])).json() as { rooms: { room_id: string }[] };
  expect(rooms.map(({ room_id: id }) => id)).toEqual(['daily', 'weekly']);
});

test('shows a room with its PIN, its settings, and its participants', async () => {
  const { out } = await callweave(['rooms', 'show', 'daily']);
  expect(out).toMatch(/^daily .*\nPIN 246810\n(.*\n)* {2}mode: group\n/);
  expect(out).toMatch(/no participants\n$/);
});

test('prints a link with a token that lets one person in', async () => {
  const { out, code } = await callweave(['rooms', 'token', 'daily', '--name', 'Ann', '--role', 'moderator']);
  expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^${url}/room/daily#[\\w-]+\\.[\\w-]+\n$`))]);
  const made = (await callweave(['rooms', 'token', 'daily', '--name', 'Ann', '--json'])).json() as { link: string };
  expect(made.link).toContain('/room/daily#');
});

test('says what is wrong, and fails', async () => {
  const unknown = await callweave(['rooms', 'show', 'nowhere']);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('there is no room nowhere')]);
  const role = await callweave(['rooms', 'token', 'daily', '--name', 'Ann', '--role', 'king']);
  expect([role.code, role.err]).toEqual([2, expect.stringContaining('moderator')]);
  const audience = await callweave(['rooms', 'token', 'daily', '--name', 'Ann', '--role', 'audience']);
  expect([audience.code, audience.err]).toEqual([1, expect.stringContaining('the room has no audience')]);
  expect((await callweave(['rooms', 'token', 'daily'])).code).toBe(2);
});
