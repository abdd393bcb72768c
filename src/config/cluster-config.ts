/** Reads the section `cluster`: the shared Redis, the cluster key, the address of this node and the lease times. */
import { hostname } from 'node:os';
import { defined } from '../base/core/json.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

export interface ClusterConfig {
  readonly redis: {
    /** One URL; or several, of a primary with its replicas or of the sentinels. */
    readonly url: string | readonly string[];
    /** Name of the primary in the configuration of the sentinels. */
    readonly sentinel?: string;
    readonly username?: string;
    readonly password?: string;
    /** Paths of PEM files. */
    readonly tlsFiles?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  };
  /** Shared secret of all nodes. */
  readonly key: string;
  readonly durability: 'memory' | 'replica' | 'disk';
  readonly node: string;
  /** URL at which the other nodes reach this one. Default: the address of its HTTP listener. */
  readonly address?: string;
  readonly lease: { readonly expiresMs: number; readonly renewedMs: number; readonly trustedMs: number };
}

type Written = NonNullable<ConfigFile['cluster']>;

const MIN_KEY_LENGTH = 32;
const EVERY_ADDRESS = new Set(['0.0.0.0', '::', '[::]']);

export function readCluster(written: Written, http: ConfigFile['http'], context: ConfigContext): ClusterConfig {
  const { redis, durability, address } = written;
  if (address === undefined && EVERY_ADDRESS.has(http.host)) {
    const hint = 'write the address of this machine: address: http://10.0.0.5:8080';
    context.report('missing-key', `the other nodes cannot reach ${http.host}`, '/cluster', hint);
  }
  return defined<ClusterConfig>({
    redis: defined<ClusterConfig['redis']>({
      ...{ url: redis.url, sentinel: redis.sentinel, username: redis.username },
      password: context.optionalSecret(redis.password, '/cluster/redis/password'),
      tlsFiles: readTls(redis, context),
    }),
    key: readKey(written, context),
    durability,
    node: written.node ?? machineName(),
    address,
    lease: readLease(written, context),
  });
}

function readTls({ url, tls }: Written['redis'], context: ConfigContext): ClusterConfig['redis']['tlsFiles'] {
  if (tls === undefined) return undefined;
  if (![url].flat().every((each) => each.startsWith('rediss://'))) {
    context.report('wrong-keys', '`tls` requires a `rediss://` URL', '/cluster/redis/tls', 'write rediss:// in url');
  }
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    context.report('missing-key', '`cert` and `key` require each other', '/cluster/redis/tls', 'set both');
  }
  const names = ['ca', 'cert', 'key'] as const;
  const files = names.flatMap((name) => {
    const file = tls[name];
    return file === undefined ? [] : [[name, context.existingFile(file, `/cluster/redis/tls/${name}`)]];
  });
  return Object.fromEntries(files) as ClusterConfig['redis']['tlsFiles'];
}

function readKey(written: Written, context: ConfigContext): string {
  const key = context.secret(written.key, '/cluster/key');
  if (key !== '' && key.length < MIN_KEY_LENGTH) {
    const hint = 'create one with  openssl rand -base64 32  and set it on all nodes';
    context.report('weak-key', `\`cluster.key\` must have at least ${MIN_KEY_LENGTH} characters`, '/cluster/key', hint);
  }
  return key;
}

function readLease({ lease_ms: lease }: Written, context: ConfigContext): ClusterConfig['lease'] {
  const { expires: expiresMs, renewed: renewedMs, trusted: trustedMs } = lease;
  if (trustedMs >= expiresMs) {
    const hint = `write less than ${expiresMs}: a node must stop before another one adopts its calls`;
    context.report('wrong-range', '`trusted` must be less than `expires`', '/cluster/lease_ms/trusted', hint);
  }
  if (renewedMs * 2 > trustedMs) {
    const hint = `write ${Math.floor(trustedMs / 2)} or less: one renewal may be late`;
    context.report('wrong-range', '`renewed` must be at most half of `trusted`', '/cluster/lease_ms/renewed', hint);
  }
  return { expiresMs, renewedMs, trustedMs };
}

/** The host name, reduced to the characters that a node name allows. */
const machineName = (): string =>
  hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63) || 'node';
