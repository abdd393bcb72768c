/**
 * Mutual exclusion of real-time tests. There are four kinds, and one file of each kind runs at a time: tests with
 * softphone programs, whose audio is recorded and which share addresses; tests with simulated phones or sipp; tests
 * that send audio and video through rooms; and tests with the studio in a browser, which occupy a processor. The lock
 * is a TCP port, so that it works across workers and test runs and is released when its process ends. Files of
 * different kinds share no addresses.
 */
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { resolve } from 'node:path';

export type Turn = 'softphones' | 'telephones' | 'rooms' | 'busy';

const HOST = '127.0.0.250';
const PORTS: Readonly<Record<Turn, number>> = { telephones: 15_999, rooms: 15_998, busy: 15_997, softphones: 15_996 };
const ASK_AGAIN_MS = 100;

const IMPORTS_ROOMS = /from '[^']*\/(rooms-page|room-visitors)\.ts'/;
const IMPORTS_SOFTPHONES = /from '[^']*\/(baresip|cast|linphone|softphone)\.ts'/;
const MEDIA_OF_ROOMS = /\/test\/rooms\/(engine-contract|live-encoding|transcoding|janus\/janus-contract)\b/;
const IMPORTS_BROWSER = /from '[^']*\/(browser|chromium)\.ts'/;

/** Undefined for files that run in parallel with all others. */
export function turnOf(file: string): Turn | undefined {
  const text = readFileSync(file, 'utf8');
  if (IMPORTS_ROOMS.test(text) || MEDIA_OF_ROOMS.test(file)) return 'rooms';
  if (IMPORTS_BROWSER.test(text)) return 'busy';
  if (!/\/test\/(e2e\/|crash\/|engine\/softphones)/.test(file)) return undefined;
  return IMPORTS_SOFTPHONES.test(text) ? 'softphones' : 'telephones';
}

/** Files with pages in a browser, or with pictures and sound in rooms: `npm run test:browser`. */
export const browserFiles = (): string[] =>
  globSync('test/**/*.test.ts').filter((file) => ['rooms', 'busy'].includes(turnOf(resolve(file)) ?? ''));

export async function takeTurn(turn: Turn): Promise<Server> {
  for (;;) {
    const server = createServer().unref();
    const taken = await Promise.race([
      once(server.listen({ host: HOST, port: PORTS[turn], exclusive: true }), 'listening'),
      once(server, 'close'),
    ]).catch((error: NodeJS.ErrnoException) => error);
    if (!(taken instanceof Error)) return server;
    if (taken.code !== 'EADDRINUSE') throw taken;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}
