/**
 * Permissions that a node needs in Redis: all commands that it sends, directly or within functions, and its keys and
 * channels. Used to define a Redis user with exactly these rights, and to check that the user has them.
 *
 * Invariant: the tests of the stores run as such a user (`test/redis-server.ts`). `durability: disk` also needs
 * `DISK_RULES`: Redis 7.0 rejects rules about unknown commands.
 */
import type { Redis } from 'ioredis';
import { atMost, type Clock } from '../../../../base/core/clock.ts';

export const KEYS = 'cw:*';
const PROBE = 'cw:{probe}';
const PROBE_CHANNEL = 'cw:probe';

/**
 * Command → arguments with which Redis accepts it into a transaction. `|` separates a subcommand, as in an ACL rule.
 */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'client|setname': ['callweave'],
  del: [PROBE],
  discard: [],
  exists: [PROBE],
  fcall: ['cw_awaited', '1', PROBE],
  'function|list': [],
  'function|load': ['#!lua name=callweave_probe'],
  get: [PROBE],
  hdel: [PROBE, 'a'],
  hexists: [PROBE, 'a'],
  hget: [PROBE, 'a'],
  hgetall: [PROBE],
  hincrby: [PROBE, 'a', '1'],
  hkeys: [PROBE],
  hlen: [PROBE],
  hmget: [PROBE, 'a'],
  hscan: [PROBE, '0'],
  hset: [PROBE, 'a', '1'],
  hsetnx: [PROBE, 'a', '1'],
  hvals: [PROBE],
  incr: [PROBE],
  info: [],
  lindex: [PROBE, '0'],
  lrange: [PROBE, '0', '0'],
  lrem: [PROBE, '0', 'a'],
  multi: [],
  persist: [PROBE],
  pexpire: [PROBE, '1'],
  pttl: [PROBE],
  publish: [PROBE_CHANNEL, ''],
  rpush: [PROBE, 'a'],
  sadd: [PROBE, 'a'],
  select: ['0'],
  set: [PROBE, ''],
  smembers: [PROBE],
  srem: [PROBE, 'a'],
  subscribe: [PROBE_CHANNEL],
  time: [],
  unlink: [PROBE],
  wait: ['0', '1'],
  zadd: [PROBE, '1', 'a'],
  zcard: [PROBE],
  zpopmin: [PROBE],
  zrange: [PROBE, '0', '0'],
  zrangebylex: [PROBE, '-', '+'],
  zrangebyscore: [PROBE, '0', '1'],
  zrem: [PROBE, 'a'],
  zrevrangebyscore: [PROBE, '1', '0'],
  zscore: [PROBE, 'a'],
};

/** Sent before or around a transaction, or only to some servers: not tried. */
const NOT_TRIED = new Set(['multi', 'discard', 'select', 'client|setname']);

export const ACCESS_RULES: readonly string[] = [
  ...['resetkeys', `~${KEYS}`, 'resetchannels', `&${KEYS}`, '-@all'],
  ...Object.keys(COMMANDS).map((command) => `+${command}`),
];

export const DISK_RULES: readonly string[] = ['+command|info', '+waitaof'];

/** Thrown if the Redis user lacks permissions that a node needs. */
export class AccessError extends Error {
  constructor(user: string, lacking: readonly string[]) {
    super(`the user ${user} of Redis lacks rights: ${lacking.join(', ')}`);
  }
}

/**
 * Throws an `AccessError` if the user lacks permissions. The commands are queued in a transaction, which checks them
 * without running them. Resolves if the server is unreachable, which other code reports.
 */
export async function checkAccess(client: Redis, user: string, clock: Clock, limitMs: number): Promise<void> {
  const refusals = new Set<string>();
  const send = async (command: string, args: readonly string[]): Promise<void> => {
    const [name = '', ...sub] = command.split('|');
    await client.call(name, ...sub, ...args).catch(({ message }: Error) => {
      if (message.startsWith('NOPERM')) refusals.add(lackOf(command, message));
    });
  };
  const tried = Object.entries(COMMANDS).filter(([command]) => !NOT_TRIED.has(command));
  const all = [send('multi', []), ...tried.map(([command, args]) => send(command, args)), send('discard', [])];
  await atMost(clock, limitMs, Promise.all(all));
  if (refusals.size > 0) throw new AccessError(user, [...refusals]);
}

function lackOf(command: string, message: string): string {
  if (/\bkeys?\b/.test(message)) return `keys ~${KEYS}`;
  if (/\bchannels?\b/.test(message)) return `channels &${KEYS}`;
  return `+${command}`;
}
