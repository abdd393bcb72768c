/** The application of 14-room with a service over HTTP and a simulated callee; both links admit a participant. */
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { openRoom } from '../../examples/14-room/room.ts';
import { createApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { readConfigText } from '../../src/config.ts';
import { SimulatedRoomEngine } from '../../src/media/rooms/simulated-engine.ts';
import { SimulatedEngine } from '../../src/proof/testkit/index.ts';
import { createMemoryStore } from '../memory-store.ts';

const KEY = 'key-of-the-example-0014';

async function openService(): Promise<string> {
  const { config } = readConfigText(
    `
projects: [{ app_id: demo, app_key: ${KEY} }]
http: { port: 0 }
numbers: [{ number: "1000" }]
`,
    `${import.meta.dirname}/callweave.yaml`,
  );
  const engine = new SimulatedEngine({
    ...{ clock: systemClock, ids: randomIds, audio: { durationMs: () => 5 } },
    callee: () => ({ does: 'answer' }),
  });
  const app = await createApp(config!, {
    store: createMemoryStore(),
    telephony: { engine, sounds: { refusal: () => undefined } },
    roomEngine: new SimulatedRoomEngine(),
  });
  const { http } = await app.start();
  onTestFinished(() => {
    app.endCallsNow();
    return app.stop(0);
  });
  return `http://127.0.0.1:${http.port}`;
}

/** Joins in the same way as the page of the room. */
async function enter(link: string): Promise<string> {
  const { host, hash } = new URL(link);
  const socket = new WebSocket(`ws://${host}/video/v2/connect`);
  onTestFinished(() => socket.terminate());
  await new Promise((resolve) => socket.once('open', resolve));
  const answered = new Promise<string>((resolve) => socket.once('message', (data) => resolve(data.toString())));
  socket.send(JSON.stringify({ type: 'join', token: hash.slice(1) }));
  return (JSON.parse(await answered) as { type: string }).type;
}

test('14-room: opens the room by both links, with the telephone in it', async () => {
  const service = await openService();
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const order = { service, appId: 'demo', appKey: KEY, from: '1000', to: 'sip:me@127.0.0.1', print };
  const room = await openRoom(order);
  expect(printed).toEqual([
    expect.stringMatching(`^room ${room}, PIN \\d{6} for those who dial in$`),
    expect.stringContaining(`Ann: ${service}/room/${room}#`),
    expect.stringContaining(`Ben: ${service}/room/${room}#`),
    expect.stringContaining('calling sip:me@127.0.0.1 into the room: '),
  ]);
  for (const line of printed.slice(1, 3)) expect(await enter(line.replace(/^\w+: /, ''))).toBe('welcome');
  const headers = { authorization: `Basic ${Buffer.from(`demo:${KEY}`).toString('base64')}` };
  const users = async () => {
    const answer = await fetch(`${service}/video/v2/rooms/${room}/users`, { headers });
    const { users: inside } = (await answer.json()) as { users: { name: string }[] | null };
    return inside?.map(({ name }) => name).sort();
  };
  await expect.poll(users).toEqual(['Ann', 'Ben', 'order line']);
});
