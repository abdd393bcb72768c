/** coturn, configured as in `docs/rooms.md`, on a loopback address. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../programs.ts';

export const turnserver = program('turnserver');

const PORT = 3478;
const LOOK_EVERY_MS = 50;
/** RFC 8489 §5: a binding request. */
const BINDING_REQUEST = Buffer.from('000100002112a442000000000000000000000000', 'hex');

export const turnUrl = (address: string): string => `turn:${address}:${PORT}?transport=udp`;

/** Resolves when it answers. `more`: lines of its file; default: it relays within this machine. */
export async function startTurnServer(
  address: string,
  secret: string,
  more: readonly string[] = ['allow-loopback-peers'],
): Promise<{ stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-turn-'));
  const settings = [
    ...['use-auth-secret', `static-auth-secret=${secret}`, 'realm=turn.example'],
    ...[`listening-ip=${address}`, `relay-ip=${address}`, `listening-port=${PORT}`, ...more],
    ...['no-cli', 'no-tls', 'no-dtls', 'relay-threads=1', 'log-file=stdout', `pidfile=${join(directory, 'pid')}`],
    `userdb=${join(directory, 'users')}`,
  ];
  const file = join(directory, 'turnserver.conf');
  writeFileSync(file, `${settings.join('\n')}\n`);
  const child = spawn('turnserver', ['-c', file], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const socket = createSocket('udp4');
  await new Promise<void>((resolve, reject) => {
    const timer = setInterval(() => socket.send(BINDING_REQUEST, PORT, address), LOOK_EVERY_MS);
    socket.on('error', () => undefined);
    socket.once('message', () => resolve());
    socket.once('close', () => clearInterval(timer));
    void ended.then(() => reject(new Error('turnserver has ended')));
  }).finally(() => socket.close());
  return {
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
