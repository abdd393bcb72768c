/** coturn with the configuration file of docs/rooms.md: its relay targets and its users. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { iceServersFor, iceServersOfToken } from '../../src/media/rooms/ice-servers.ts';
import { startTurnServer, turnserver } from '../e2e/turn-server.ts';

const ADDRESS = '127.0.0.216';
const SECRET = 'the-secret-of-coturn';
const needed = [turnserver];
const OWN = ['use-auth-secret', 'static-auth-secret', 'realm'];

/** Options of the page other than the address and the secret. */
function documented(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/rooms.md'), 'utf8');
  const file = /# \/etc\/turnserver\.conf\n([^`]*)```/.exec(page)![1]!;
  return file.split('\n').filter((line) => /^[a-z]/.test(line) && !OWN.includes(line.split('=')[0]!));
}

const SERVER = { urls: [], sharedSecret: SECRET, lifetimeMs: 4 * 3_600_000 };
let people = 0;
/** Credentials of another participant. */
const server = (nowMs = Date.now()) => iceServersFor([SERVER], { participant: `p-${++people}`, nowMs })[0]!;

/** Result of the client for a relay to this peer, over IPv4. */
function relay(peer: string, { username, credential } = server()): Promise<string> {
  const who = ['-u', username!, '-w', credential!];
  const args = [...who, '-e', peer, '-n', '1', '-m', '1', '-c', ADDRESS];
  return new Promise((resolve) => {
    execFile('turnutils_uclient', args, { timeout: 4000, killSignal: 'SIGKILL' }, (_error, out) => resolve(out));
  });
}

describe.skipIf(needed.some(({ missing }) => missing))(`coturn${needed.map(({ why }) => why).join('')}`, () => {
  let turn: Awaited<ReturnType<typeof startTurnServer>>;
  beforeAll(async () => {
    turn = await startTurnServer(ADDRESS, SECRET, documented());
  });
  afterAll(() => turn?.stop());

  it.each(['10.0.0.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.1.1', '198.18.0.1'])(
    'refuses to relay to %s',
    async (peer) => {
      expect(await relay(peer)).toMatch(/403/);
    },
  );

  it('limits one participant to a dozen relays', async () => {
    const one = server();
    const tries = await Promise.all(Array.from({ length: 8 }, () => relay('9.9.9.9', one)));
    expect(tries.join('\n')).toMatch(/486/);
  });

  it('relays to a public address, except with expired credentials', async () => {
    expect(await relay('9.9.9.9')).not.toMatch(/error/i);
    expect(await relay('9.9.9.9', server(Date.now() - SERVER.lifetimeMs - 60_000))).toMatch(/error/i);
  });
});

describe('credentials of a webphone', () => {
  it('are the same for each look at its token, and end 5 minutes after it', () => {
    const token = { tokenId: 'token-1', expiresMs: 1_700_000_120_000 };
    const [first] = iceServersOfToken([SERVER], token);
    expect(first!.username).toBe('1700000420:token-1');
    expect(iceServersOfToken([SERVER], token)).toEqual([first]);
  });
});
