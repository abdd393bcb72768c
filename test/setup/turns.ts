/**
 * Tests that talk in real time take turns, of three kinds: those whose sound is listened to would wait for each other's
 * processor, and their phones are all at one address of this machine; those that exchange messages with sipp or with what
 * they make themselves go on beside them; those that keep a processor busy by themselves, with a browser, pictures or
 * hundreds of calls, come one at a time, too. The process that holds the port has the turn, in any worker of any run; when it ends, so
 * does its turn.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

export type Turn = 'sound' | 'signalling' | 'busy';

const HOST = '127.0.0.250';
const PORTS: Readonly<Record<Turn, number>> = { sound: 15_999, signalling: 15_998, busy: 15_997 };
const ASK_AGAIN_MS = 100;

const IMPORTS_BROWSER = /from '[^']*\/(browser|chromium)\.ts'/;

/** Undefined for those that go on beside anything. */
export function turnOf(file: string): Turn | undefined {
  if (
    /\/test\/(e2e\/canary|rooms\/engine-contract|rooms\/janus\/janus-contract)\b/.test(file) ||
    IMPORTS_BROWSER.test(readFileSync(file, 'utf8'))
  )
    return 'busy';
  if (/\/test\/(e2e\/(broadcast|crash|fraud|signalling|torture)|crash\/kills)\b/.test(file)) return 'signalling';
  return /\/test\/(e2e\/|engine\/softphones)/.test(file) ? 'sound' : undefined;
}

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
