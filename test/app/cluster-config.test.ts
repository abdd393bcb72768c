/** The section `cluster` of the configuration. */
import { describe, expect, it } from 'vitest';
import { readConfigText } from '../../src/config.ts';

const KEY = 'k'.repeat(32);
const CLUSTER = { redis: { url: 'redis://127.0.0.1:6379' }, key: KEY };
const read = (cluster: object, more: object = {}, environment = {}) =>
  readConfigText(JSON.stringify({ cluster, ...more }), '/tmp/callweave.yaml', environment);

describe('a cluster', () => {
  it('needs Redis and a key', () => {
    const { config, diagnostics } = read({ ...CLUSTER, node: 'one' });
    expect(diagnostics).toEqual([]);
    expect(config!.cluster).toEqual({
      ...{ redis: CLUSTER.redis, key: KEY, durability: 'replica', node: 'one' },
      lease: { expiresMs: 1500, renewedMs: 500, trustedMs: 1200 },
    });
  });

  it('is none where the file does not name one', () => {
    expect(readConfigText('', '/tmp/callweave.yaml').config!.cluster).toBeUndefined();
  });

  it('has its secrets from the environment', () => {
    const redis = { url: 'rediss://redis.example/1', password: { env: 'REDIS_PASSWORD' } };
    const { config } = read({ redis, key: { env: 'KEY' } }, {}, { KEY, REDIS_PASSWORD: 'secret' });
    expect(config!.cluster).toMatchObject({ key: KEY, redis: { url: redis.url, password: 'secret' } });
  });

  it.each<[string, object, object, object]>([
    ['a key', { redis: CLUSTER.redis }, {}, { code: 'missing-key' }],
    ['a long key', { ...CLUSTER, key: 'short' }, {}, { code: 'weak-key', hint: expect.stringMatching(/openssl/) }],
    [
      'no password in the URL',
      { ...CLUSTER, redis: { url: 'redis://:pw@host' } },
      {},
      { message: expect.stringMatching(/redis:\/\/ or rediss:\/\/ with a host/) },
    ],
    [
      'an address where it listens everywhere',
      CLUSTER,
      { http: { host: '0.0.0.0' } },
      { message: 'the other nodes cannot reach 0.0.0.0', hint: expect.stringMatching(/^write the address/) },
    ],
    [
      'leases that are trusted for less than they last',
      { ...CLUSTER, lease_ms: { trusted: 1500 } },
      {},
      { code: 'wrong-range', message: '`trusted` must be less than `expires`' },
    ],
    [
      'leases that are renewed soon',
      { ...CLUSTER, lease_ms: { renewed: 700 } },
      {},
      { code: 'wrong-range', message: '`renewed` must be at most half of `trusted`' },
    ],
    [
      'a durability that exists',
      { ...CLUSTER, durability: 'paper' },
      {},
      { message: expect.stringMatching(/replica/) },
    ],
  ])('needs in its configuration %s', (_what, cluster, more, expected) => {
    expect(read(cluster, more).diagnostics).toMatchObject([expected]);
  });
});
