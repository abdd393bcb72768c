/** Redis and Valkey for tests: real servers on free ports of the loopback address, each with a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { systemClock } from '../src/base/core/clock.ts';
import type { Log } from '../src/base/core/log.ts';
import { ACCESS_RULES, DISK_RULES } from '../src/service/store/redis/connection/access.ts';
import type { RedisConnection } from '../src/service/store/redis/connection/redis-client.ts';
import { openRedis, type RedisSettings } from '../src/service/store/redis/connection/redis-connection.ts';
import { program } from './programs.ts';

export interface ServerProgram {
  name: 'Redis' | 'Valkey';
  path: string;
  missing: boolean;
  /** For the name of the test. */
  why: string;
}

/** Server of the tests. */
export const redisProgram: ServerProgram = { name: 'Redis', path: 'redis-server', ...program('redis-server') };

/** `bash bench/peers/valkey.sh DIR` unpacks one there. */
const UNPACKED = join(tmpdir(), 'callweave-valkey/valkey-server');
export const valkeyProgram: ServerProgram = existsSync(UNPACKED)
  ? { name: 'Valkey', path: UNPACKED, missing: false, why: '' }
  : { name: 'Valkey', path: 'valkey-server', ...program('valkey-server') };

export interface ServerOptions {
  program?: ServerProgram;
  replicaOf?: RedisServer;
  /** A cluster of this one server: it refuses functions whose keys are not in one slot. */
  isCluster?: boolean;
  password?: string;
  /** More arguments of the command line. */
  args?: readonly string[];
}

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** As `redis-cli` would. */
  command(...args: string[]): Promise<unknown>;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void;
  /** Starts it again, after it was killed, with what it had written. */
  start(): Promise<void>;
  /** Ends it and deletes its folder. */
  stop(): Promise<void>;
}

export async function startRedis(options: ServerOptions = {}): Promise<RedisServer> {
  const { program: { path } = redisProgram, replicaOf, isCluster = false, password, args = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'callweave-redis-'));
  const port = await freePort();
  const line = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
  line.push('--repl-diskless-sync-delay', '0', ...args);
  if (replicaOf) line.push('--replicaof', `127.0.0.1 ${replicaOf.port}`);
  if (isCluster) {
    line.push(
      '--cluster-enabled',
      'yes',
      '--cluster-port',
      `${await freePort()}`,
      '--cluster-announce-ip',
      '127.0.0.1',
    );
  }
  if (password !== undefined) line.push('--requirepass', password);
  // With any password.
  const rules = [...ACCESS_RULES, ...(path.includes('valkey') ? DISK_RULES : ['+command|info'])];
  line.push('--user', NODE_USER, 'on', 'nopass', ...rules);
  let child: ChildProcess | undefined;
  const own = new Redis({ port, lazyConnect: true, retryStrategy: () => 20, ...(password ? { password } : {}) });
  own.on('error', () => undefined);
  const command = (name: string, ...rest: string[]) => own.call(name, ...rest);

  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    signal: (name) => void child?.kill(name),
    async start() {
      child = spawn(path, line, { stdio: ['ignore', 'pipe', 'ignore'] });
      await new Promise<void>((resolve, reject) => {
        child!.once('error', reject).once('exit', () => reject(new Error(`${path} ended at once`)));
        createInterface({ input: child!.stdout! }).on('line', (text) => {
          if (text.includes('Ready to accept connections')) resolve();
        });
      });
    },
    async stop() {
      own.disconnect();
      if (child && child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  if (isCluster) await command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  if (isCluster) await until(async () => String(await command('CLUSTER', 'INFO')).includes('cluster_state:ok'));
  if (replicaOf)
    await until(async () => String(await command('INFO', 'replication')).includes('master_link_status:up'));
  return server;
}

/** Has the rights that the documentation names, and no others. */
export const NODE_USER = 'callweave';
/** For a test that asks Redis more than a node does. */
export const EVERY_RIGHT = { username: 'default', password: 'any' } as const;

const SILENT = () => undefined;
const silentLog: Log = { debug: SILENT, info: SILENT, warn: SILENT, error: SILENT, child: () => silentLog };

export const connectTo = (
  server: RedisServer | readonly RedisServer[],
  settings: Partial<RedisSettings> = {},
): Promise<RedisConnection> =>
  openRedis({
    settings: {
      ...{ url: [server].flat().map(({ url }) => url), durability: 'memory' },
      ...(settings.password === undefined && !settings.isCluster ? { username: NODE_USER, password: 'any' } : {}),
      ...settings,
    },
    clock: systemClock,
    log: silentLog,
  });

/** Asks again and again: servers do not say when they have found each other. */
export async function until(isSo: () => Promise<boolean>, limitMs = 10_000): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`not so within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
