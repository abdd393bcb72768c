/**
 * Connections to Redis or Valkey: one server, the primary among several addresses, Sentinel, or a cluster.
 *
 * Invariants
 *  - Commands are not queued while there is no connection: `command-groups.ts` does that for writes.
 *  - If several addresses are given, only the server that reports itself as primary is used.
 *  - The permissions of the user are checked before anything else is sent.
 *  - The functions are loaded before the first command, and after a reconnect if the server lacks them.
 */
import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { AbstractConnector, Cluster, Redis, type RedisOptions } from 'ioredis';
import { atMost, type Clock } from '../../../../base/core/clock.ts';
import type { Log } from '../../../../base/core/log.ts';
import { checkAccess } from './access.ts';
import { loadFunctions } from './functions.ts';
import { millisecondsOf } from './membership.ts';
import type { Durability, RedisClient, RedisConnection } from './redis-client.ts';
import { isLasting } from './start-errors.ts';

export interface RedisSettings {
  /**
   * `redis://host:6379/0`, `rediss://` for TLS. Several: a primary with its replicas, the sentinels, or nodes of a
   * cluster.
   */
  url: string | readonly string[];
  username?: string;
  password?: string;
  /** Name of the primary in Sentinel; the URLs are those of the sentinels. */
  sentinel?: string;
  isCluster?: boolean;
  /**
   * Paths of PEM files: the certificate authority of the servers, if it is not a system one, and the certificate and
   * key of this client.
   */
  tlsFiles?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  durability: Durability;
}

export interface RedisConnectionParts {
  settings: RedisSettings;
  clock: Clock;
  log: Log;
}

const CONNECT_TIMEOUT_MS = 2000;
const START_TIMEOUT_MS = 10_000;
const RECONNECT_AFTER_MS = 50;
const MAX_RECONNECT_AFTER_MS = 1000;

/** Rejects if no primary is reachable, the credentials are wrong, or the server cannot provide `durability`. */
export async function openRedis({ settings, clock, log }: RedisConnectionParts): Promise<RedisConnection> {
  await access(settings, clock);
  const clients = ['client', 'writer', 'subscriber'].map((name) => createClient(settings, name));
  const [client, writer, subscriber] = clients as [RedisClient, RedisClient, RedisClient];
  const close = (): void => {
    for (const each of clients) each.disconnect();
  };
  let lastError: Error | undefined;
  for (const each of clients) {
    each.on('error', (error: Error) => {
      lastError = error;
      log.debug('redis.error', { error: error.message });
    });
  }
  try {
    await atMost(clock, START_TIMEOUT_MS, Promise.all(clients.map(untilReady)));
    if (clients.some(({ status }) => status !== 'ready')) {
      throw new Error(lastError?.message ?? 'no answer from a primary', { cause: lastError });
    }
    await loadFunctions(writer);
    if (settings.durability === 'disk') await checkDisk(client);
  } catch (error) {
    close();
    throw failed(settings, error);
  }
  const addresses = addressesOf(settings);
  return { durability: settings.durability, addresses, client, writer, subscriber, close };
}

const failed = (settings: RedisSettings, error: unknown): Error =>
  new Error(`Redis at ${addressesOf(settings)}: ${(error as Error).message}`, { cause: error });

/** Rejects if the user lacks permissions. An unreachable server is reported by the connections that follow. */
async function access(settings: RedisSettings, clock: Clock): Promise<void> {
  const client = createClient({ ...settings, isCluster: false }, 'access', { enableReadyCheck: false });
  client.on('error', () => undefined);
  try {
    const isConnected = await atMost(
      clock,
      CONNECT_TIMEOUT_MS,
      untilReady(client).then(
        () => true,
        () => false,
      ),
    );
    if (isConnected) await checkAccess(client as Redis, userIn(settings) ?? 'default', clock, CONNECT_TIMEOUT_MS);
  } catch (error) {
    throw failed(settings, error);
  } finally {
    client.disconnect();
  }
}

/** Read-only connection for diagnosis: writes nothing, and loads no functions. Rejects if no primary is reachable. */
export async function lookAtRedis(settings: RedisSettings, clock: Clock) {
  await access(settings, clock);
  const client = createClient(settings, 'look');
  let reason = 'no answer from a primary';
  client.on('error', ({ message }: Error) => {
    reason = message;
  });
  try {
    await atMost(clock, CONNECT_TIMEOUT_MS, untilReady(client));
    if (client.status !== 'ready') throw new Error(reason);
  } catch (error) {
    client.disconnect();
    throw error;
  }
  const server = client instanceof Cluster ? client.nodes('master')[0]! : client;
  return {
    ...{ client, durability: settings.durability, addresses: addressesOf(settings) },
    close: () => client.disconnect(),
    /** Time of the server's clock. */
    async nowMs(): Promise<number> {
      return millisecondsOf(await server.time());
    },
  };
}

/** Rejects at once if waiting would not help. */
function untilReady(client: RedisClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('ready', resolve);
    client.on('error', (error: Error) => {
      if (isLasting(error)) reject(error);
    });
  });
}

async function checkDisk(client: RedisClient): Promise<void> {
  const [known] = (await client.call('COMMAND', 'INFO', 'WAITAOF')) as unknown[];
  if (!known) throw new Error('durability disk needs WAITAOF: Redis 7.2, Valkey 7.2, or later');
}

function createClient(settings: RedisSettings, name: string, more: RedisOptions = {}): RedisClient {
  const urls = urlsOf(settings);
  const common = commonOptions(settings, urls[0]!, name);
  if (settings.isCluster) {
    return new Cluster(urls.map(addressOf), {
      enableOfflineQueue: false,
      clusterRetryStrategy: retryAfterMs,
      slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
      redisOptions: common,
    });
  }
  const options = { ...common, enableOfflineQueue: false, retryStrategy: retryAfterMs, ...more };
  if (settings.sentinel !== undefined) {
    return new Redis({ ...options, sentinels: urls.map(addressOf), name: settings.sentinel, role: 'master' });
  }
  return new Redis({ ...options, Connector: primaryAmong(urls.map(addressOf), options.tls) });
}

function commonOptions(settings: RedisSettings, first: URL, name: string): RedisOptions {
  const username = userIn(settings);
  const password = settings.password ?? (decodeURIComponent(first.password) || undefined);
  const db = Number(first.pathname.slice(1) || 0);
  return {
    connectionName: `callweave-${name}`,
    // Redis 7.0 does not know the command.
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Commands in flight fail at once when the connection breaks: only their callers know if they may be repeated.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // The primary has become a replica.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(settings.isCluster ? {} : { db }),
    ...(first.protocol === 'rediss:' ? { tls: tlsOf(settings, first) } : {}),
  };
}

/** Host names are verified against the certificate; an IP address cannot be sent as SNI. */
function tlsOf({ tlsFiles = {} }: RedisSettings, { hostname }: URL): ConnectionOptions {
  const contents = Object.entries(tlsFiles).map(([name, file]) => [name, readFileSync(file)]);
  return { ...(isIP(hostname) ? {} : { servername: hostname }), ...Object.fromEntries(contents) };
}

const userIn = (settings: RedisSettings): string | undefined =>
  settings.username ?? (decodeURIComponent(urlsOf(settings)[0]!.username) || undefined);

const retryAfterMs = (times: number): number => Math.min(RECONNECT_AFTER_MS * times, MAX_RECONNECT_AFTER_MS);

interface Address {
  host: string;
  port: number;
}

const DEFAULT_PORT = 6379;

const addressOf = ({ hostname, port }: URL): Address => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port || DEFAULT_PORT),
});

function urlsOf({ url }: RedisSettings): URL[] {
  const urls = [url].flat().map((each) => URL.parse(each));
  const isRedis = (each: URL | null): each is URL => each?.protocol === 'redis:' || each?.protocol === 'rediss:';
  if (urls.length === 0 || !urls.every(isRedis)) throw new Error('the URL of Redis begins with redis:// or rediss://');
  return urls;
}

const addressesOf = (settings: RedisSettings): string =>
  urlsOf(settings)
    .map(({ host }) => host)
    .join(', ');

/** Tries one address after another until one is a primary. */
function primaryAmong(addresses: readonly Address[], tls: ConnectionOptions | undefined) {
  return class extends AbstractConnector {
    #next = 0;

    constructor() {
      super(CONNECT_TIMEOUT_MS);
    }

    override async connect(): ReturnType<AbstractConnector['connect']> {
      const address = addresses[this.#next++ % addresses.length]!;
      this.connecting = true;
      const stream = tls ? connectTls({ ...address, ...tls }) : connectTcp(address);
      // TLS may report a second error, such as the alert of a server that requires a certificate.
      stream.on('error', (error: Error) => {
        this.firstError = error;
      });
      this.stream = stream;
      return stream;
    }

    override check({ role }: { role?: string }): boolean {
      return role === undefined || role === 'master';
    }
  };
}
