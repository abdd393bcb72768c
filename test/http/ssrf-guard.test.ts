import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { ownListeners } from '../../src/base/http/own-listeners.ts';
import { isAllowedAddress, refusalOfUrl, type TargetPolicy } from '../../src/base/http/ssrf-guard.ts';
import { httpSender } from '../../src/service/observers/webhooks/http-sender.ts';

type Policy = TargetPolicy['privateTargets'];

/** address → policies that permit it */
const ADDRESSES: [address: string, allowedBy: Policy[]][] = [
  ['93.184.216.34', ['refused', 'loopback', 'allowed']],
  ['2606:2800:220:1:248:1893:25c8:1946', ['refused', 'loopback', 'allowed']],
  ['127.0.0.1', ['loopback', 'allowed']],
  ['127.255.255.254', ['loopback', 'allowed']],
  ['::1', ['loopback', 'allowed']],
  ['::ffff:127.0.0.1', ['loopback', 'allowed']],
  ['::ffff:7f00:1', ['loopback', 'allowed']],
  ['10.0.0.1', ['allowed']],
  ['172.16.0.1', ['allowed']],
  ['172.31.255.255', ['allowed']],
  ['192.168.1.1', ['allowed']],
  ['100.64.0.1', ['allowed']],
  ['fd00::1', ['allowed']],
  ['::ffff:10.0.0.1', ['allowed']],
  ['0.0.0.0', []],
  ['0.1.2.3', []],
  ['::', []],
  ['169.254.169.254', []],
  ['::ffff:169.254.169.254', []],
  ['fe80::1', []],
  ['fec0::1', []],
  ['224.0.0.1', []],
  ['ff02::1', []],
  ['255.255.255.255', []],
  ['240.0.0.1', []],
  ['192.0.2.1', []],
  ['198.18.0.1', []],
  ['2001:db8::1', []],
  ['::127.0.0.1', ['loopback', 'allowed']],
  ['::7f00:1', []],
  ['64:ff9b::7f00:1', []],
  ['64:ff9b:1::a00:1', []],
  ['2002:7f00:1::', []],
  ['2001:0:1234::1', []],
  ['::ffff:0:127.0.0.1', []],
  ['not an address', []],
  ['', []],
];
const POLICIES: Policy[] = ['refused', 'loopback', 'allowed'];

describe('addresses', () => {
  it.each(ADDRESSES)('checks the address %s by policy', (address, allowedBy) => {
    expect(POLICIES.filter((privateTargets) => isAllowedAddress(address, { privateTargets }))).toEqual(allowedBy);
  });
});

describe('URLs before name resolution', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://%31%32%37.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:0001]/',
    'http://user:pass@10.0.0.1:8080/',
    'https://169.254.169.254/latest/meta-data/',
    'http://0/',
    'http://0.0.0.0:80/',
    'http://①②⑦.0.0.1/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'gopher://example.com/',
    'not a url',
    '',
    '//example.com/',
    'http://',
  ])('is refused at once: %s', (url) => {
    expect(refusalOfUrl(url, { privateTargets: 'refused' })).toBeDefined();
  });

  it.each([
    'http://example.com/',
    'https://user:pass@example.com:8443/x?y#z',
    'http://93.184.216.34/',
    'http://localhost/',
  ])('is not refused yet: %s', (url) => {
    expect(refusalOfUrl(url, { privateTargets: 'refused' })).toBeUndefined();
  });
});

describe('connections to a resolved name', () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.end();
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  /** A resolver with the answers of the test, one after another. */
  const names = (...answers: string[][]): LookupFunction => {
    let asked = 0;
    return (_, options, done) => {
      const addresses = answers[Math.min(asked++, answers.length - 1)]!;
      const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      setImmediate(() => (options.all ? done(null, all) : done(null, all[0]!.address, all[0]!.family)));
    };
  };

  const attempt = async (url: string, privateTargets: Policy, lookup?: LookupFunction) => {
    const sender = httpSender(
      { privateTargets },
      { clock: systemClock, timeoutMs: 2000, connections: 2, ...(lookup ? { lookup } : {}) },
    );
    const before = requests;
    const result = await sender.send({ url, headers: {}, body: '{}' });
    await sender.close();
    return { result, reached: requests > before };
  };

  it.each([
    ['a name for loopback', ['127.0.0.1']],
    ['a name for IPv6 loopback', ['::1']],
    ['a name for a mapped address', ['::ffff:127.0.0.1']],
    ['a name for a private network', ['10.0.0.1']],
    ['a name for cloud metadata', ['169.254.169.254']],
    ['a name for several of them', ['127.0.0.1', '10.0.0.1', '::1']],
  ])('refuses the address %s', async (_, addresses) => {
    const { result, reached } = await attempt(`http://app.example:${port}/`, 'refused', names(addresses));
    expect(result).toEqual({ failure: 'refused_target' });
    expect(reached).toBe(false);
  });

  it('refuses a private address if the name changes after its check', async () => {
    const lookup = names(['127.0.0.1'], ['10.0.0.1']);
    const sender = httpSender(
      { privateTargets: 'loopback' },
      { clock: systemClock, timeoutMs: 2000, connections: 1, lookup },
    );
    const request = { url: `http://app.example:${port}/`, headers: { connection: 'close' }, body: '{}' };
    expect(await sender.send(request)).toMatchObject({ status: 200 });
    expect(await sender.send(request)).toEqual({ failure: 'refused_target' });
    await sender.close();
  });

  it('checks permission for each connection', async () => {
    let privateTargets: Policy = 'loopback';
    const sender = httpSender(
      {
        get privateTargets() {
          return privateTargets;
        },
      },
      { clock: systemClock, timeoutMs: 2000 },
    );
    const send = (host: string) =>
      sender.send({ url: `http://${host}:${port}/`, headers: { connection: 'close' }, body: '{}' });
    for (const host of ['127.0.0.1', 'localhost']) {
      expect(await send(host)).toMatchObject({ status: 200 });
      privateTargets = 'refused';
      expect(await send(host)).toEqual({ failure: 'refused_target' });
      privateTargets = 'loopback';
    }
    await sender.close();
  });

  it('refuses localhost unless loopback is allowed', async () => {
    const url = `http://localhost:${port}/`;
    expect(await attempt(url, 'refused')).toEqual({ result: { failure: 'refused_target' }, reached: false });
    expect(await attempt(url, 'loopback', names(['::1', '127.0.0.1']))).toMatchObject({ reached: true });
  });

  it('treats a literal address like a name', async () => {
    expect(await attempt(`http://127.0.0.1:${port}/`, 'refused')).toMatchObject({ reached: false });
    expect(await attempt(`http://2130706433:${port}/`, 'refused')).toMatchObject({ reached: false });
    expect(await attempt(`http://127.0.0.1:${port}/`, 'loopback')).toMatchObject({ reached: true });
  });

  it('tries only the allowed ones of several addresses', async () => {
    const { result, reached } = await attempt(
      `http://app.example:${port}/`,
      'loopback',
      names(['10.0.0.1', '169.254.169.254', '127.0.0.1']),
    );
    expect(result).toMatchObject({ status: 200 });
    expect(reached).toBe(true);
  });
});

describe('our own listeners', () => {
  const own = ownListeners(
    {
      http: { host: '0.0.0.0', port: 8080 },
      sip: { host: '192.0.2.7', port: 5060, advertisedHost: '198.51.100.9', tls: { port: 5061 } },
    },
    systemClock,
    () => ['127.0.0.1', '::1', '192.0.2.7', '2001:db8::7', 'fe80::1%eth0'],
  );
  const policy = { privateTargets: 'allowed', isOwn: own.isOwn } as const;

  it.each([
    'http://127.0.0.1:8080/admin',
    'http://127.9.9.9:8080/',
    'http://[::1]:8080/',
    'http://[::ffff:127.0.0.1]:8080/',
    'http://[::ffff:192.0.2.7]:8080/',
    'http://2130706433:8080/',
    'http://0.0.0.0:8080/',
    'http://[::]:8080/',
    'http://192.0.2.7:5060/',
    'https://198.51.100.9:5061/',
  ])('are never reached at %s', (url) => {
    expect(refusalOfUrl(url, policy)).toBe('address not allowed');
  });

  it.each(['http://127.0.0.1:9000/', 'http://10.0.0.1:8080/', 'http://93.184.216.34:8080/', 'http://93.184.216.34/'])(
    'does not include the address of another server: %s',
    (url) => {
      expect(refusalOfUrl(url, policy)).toBeUndefined();
    },
  );

  it('are not reached by a name, even a changing one, while other listeners of the machine are', async () => {
    const listeners = [createServer(), createServer()];
    const asked: string[] = [];
    const ports: number[] = [];
    for (const [index, server] of listeners.entries()) {
      server.on('request', (_request, response) => {
        asked.push(index === 0 ? 'own' : 'other');
        response.end('{}');
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      ports.push((server.address() as AddressInfo).port);
    }
    own.addPort(ports[0]!);
    const sender = httpSender(policy, {
      clock: systemClock,
      timeoutMs: 3000,
      lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const send = (port: number) => sender.send({ url: `http://rebound.example:${port}/`, headers: {}, body: '{}' });
    expect(await send(ports[0]!)).toEqual({ failure: 'refused_target' });
    expect(await send(ports[1]!)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['other']);
    await sender.close();
    for (const server of listeners) server.close();
  });
});
