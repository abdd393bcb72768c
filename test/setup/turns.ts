/**
 * Tests that talk in real time take turns, of two kinds: those whose sound is listened to would wait for each other's
 * processor, and their phones are all at one address of this machine; those that exchange messages with sipp or with what
 * they make themselves go on beside them. Whoever holds the port has the turn, in whichever worker, or run, it is; when its
 * process ends, so does its turn.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export type Turn = 'sound' | 'signalling';

const HOST = '127.0.0.250';
const PORTS: Readonly<Record<Turn, number>> = { sound: 15_999, signalling: 15_998 };
const ASK_AGAIN_MS = 100;

/** Undefined for those that go on beside anything. */
export function turnOf(file: string): Turn | undefined {
  if (/\/test\/(e2e\/(broadcast|canary|crash|fraud|signalling|torture)|crash\/kills)\b/.test(file)) return 'signalling';
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
