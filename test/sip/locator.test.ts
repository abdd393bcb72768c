/** Targets of a URI, and the order in which they are tried. */
import { beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import { Locator } from '../../src/media/telephony/sip/locator.ts';
import { inOrder, type ServiceRecord } from '../../src/media/telephony/sip/service-records.ts';
import { type Peer, peerText, type TransportName } from '../../src/media/telephony/sip/transport.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const record = (name: string, priority = 1, weight = 1, port = 5060): ServiceRecord => ({
  name,
  priority,
  weight,
  port,
});

describe('records of a service', () => {
  it('are tried by priority', () => {
    const records = [record('c', 30), record('a', 10), record('b', 20)];
    expect(inOrder(records, () => 0.5).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it.each<[drawn: number, order: string]>([
    [0, 'nothing some much'],
    [0.1, 'some nothing much'],
    [0.25, 'some much nothing'],
    [0.5, 'much some nothing'],
    [0.999, 'much some nothing'],
  ])('are drawn by weight within one priority: %d', (drawn, order) => {
    const records = [record('much', 1, 7), record('some', 1, 3), record('nothing', 1, 0)];
    expect(
      inOrder(records, () => drawn)
        .map(({ name }) => name)
        .join(' '),
    ).toBe(order);
  });

  it('shares the calls in proportion to their weights', () => {
    const random = seededRandom(7);
    const first = { a: 0, b: 0 };
    const records = [record('a', 1, 30), record('b', 1, 10)];
    for (let draw = 0; draw < 4000; draw++) first[inOrder(records, random)[0]!.name as 'a' | 'b']++;
    expect(first.a / first.b).toBeGreaterThan(2.5);
    expect(first.a / first.b).toBeLessThan(3.4);
  });
});

describe('a URI', () => {
  const clock = new VirtualClock();
  const hosts: Record<string, readonly string[]> = {
    'one.example': ['192.0.2.1'],
    'many.example': ['192.0.2.1', '2001:db8::1', '192.0.2.2'],
    'a.example': ['192.0.2.10'],
    'b.example': ['192.0.2.20', '192.0.2.21'],
    local: ['127.0.0.9'],
    'broken.example': ['192.0.2.99'],
    'closed.example': ['192.0.2.1'],
    'wide.example': Array.from({ length: 30 }, (_, index) => `192.0.2.${index + 1}`),
  };
  const services: Record<string, readonly ServiceRecord[]> = {
    '_sip._udp.srv.example': [record('b.example', 2, 0, 5070), record('a.example', 1, 0, 5080)],
    '_sip._tcp.srv.example': [record('a.example', 1, 0, 5090)],
    '_sip._tcp.stream.example': [record('a.example')],
    '_sips._tcp.secret.example': [record('a.example', 1, 0, 5070)],
    '_sip._udp.closed.example': [record('.', 0, 0, 0)],
    '_sip._udp.halves.example': [record('unknown.example', 1), record('a.example', 2), record('a.example', 3, 1, 0)],
    '_sip._udp.literal.example': [record('192.0.2.77')],
  };
  let asked: string[];
  let transports: TransportName[];
  let family: 0 | 4 | 6;
  let locator: Locator;
  beforeEach(() => {
    asked = [];
    transports = ['udp', 'tcp'];
    family = 4;
    locator = new Locator({
      clock,
      random: () => 0.5,
      log: (_level, message) => asked.push(message),
      has: (transport) => transports.includes(transport),
      get family() {
        return family;
      },
      lookup: {
        addresses: async (host) => {
          asked.push(host);
          return hosts[host] ?? [];
        },
        services: async (name) => {
          asked.push(name);
          if (name.endsWith('broken.example')) throw new Error('no answer');
          return services[name] ?? [];
        },
      },
    });
  });
  const places = (uri: string) =>
    new Promise<string>((resolve) => locator.locate(uri, (found) => resolve(found.map(peerText).join(' '))));

  it.each<[uri: string, found: string]>([
    ['sip:x@192.0.2.5', 'udp:192.0.2.5:5060'],
    ['sip:x@192.0.2.5:5999;transport=tcp', 'tcp:192.0.2.5:5999'],
    ['sip:[2001:db8::7]', 'udp:[2001:db8::7]:5060'],
    ['sip:one.example', 'udp:192.0.2.1:5060'],
    ['sip:one.example;transport=TCP', 'tcp:192.0.2.1:5060'],
    ['sip:many.example:5070', 'udp:192.0.2.1:5070 udp:192.0.2.2:5070'],
    ['sip:srv.example', 'udp:192.0.2.10:5080 udp:192.0.2.20:5070 udp:192.0.2.21:5070 tcp:192.0.2.10:5090'],
    ['sip:srv.example;transport=tcp', 'tcp:192.0.2.10:5090'],
    ['sip:srv.example:5060', ''],
    ['sip:stream.example', 'tcp:192.0.2.10:5060'],
    ['sip:halves.example', 'udp:192.0.2.10:5060'],
    ['sip:literal.example', 'udp:192.0.2.77:5060'],
    ['sip:closed.example', ''],
    ['sip:broken.example', 'udp:192.0.2.99:5060'],
    ['sip:local', 'udp:127.0.0.9:5060'],
    ['sip:unknown.example', ''],
    ['sips:one.example', ''],
    ['sip:one.example;transport=ws', ''],
    ['tel:+123', ''],
    ['nonsense', ''],
  ])('resolves %s to %s', async (uri, found) => {
    expect(await places(uri)).toBe(found);
  });

  it.each<[uri: string, found: string, serverName: string | undefined]>([
    ['sips:one.example', 'tls:192.0.2.1:5061', 'one.example'],
    ['sip:one.example;transport=tls', 'tls:192.0.2.1:5061', 'one.example'],
    ['sips:one.example:5099;transport=tcp', 'tls:192.0.2.1:5099', 'one.example'],
    // The record names another host, but the certificate must be for the domain.
    ['sips:secret.example', 'tls:192.0.2.10:5070', 'secret.example'],
    ['sips:192.0.2.5', 'tls:192.0.2.5:5061', undefined],
    ['sips:one.example;transport=udp', '', undefined],
    ['sip:one.example', 'udp:192.0.2.1:5060', undefined],
  ])('%s is %s where there is TLS, of %s', async (uri, found, serverName) => {
    transports = ['udp', 'tcp', 'tls'];
    const peers = await new Promise<readonly Peer[]>((resolve) => locator.locate(uri, resolve));
    expect(peers.map(peerText).join(' ')).toBe(found);
    expect(peers[0]?.serverName).toBe(serverName);
  });

  it.each<[uri: string, questions: string[]]>([
    ['sip:192.0.2.5', []],
    ['sip:one.example:5060', ['one.example']],
    ['sip:local', ['local']],
    ['sip:one.example;transport=udp', ['_sip._udp.one.example', 'one.example']],
    ['sip:closed.example;transport=udp', ['_sip._udp.closed.example']],
  ])('%s is resolved with the fewest queries', async (uri, questions) => {
    await places(uri);
    expect(asked).toEqual(questions);
  });

  it('is queried once for many waiting requests, and again when the result has expired', async () => {
    await Promise.all([places('sip:one.example:5060'), places('sip:one.example:5060')]);
    await places('sip:one.example:5060');
    expect(asked).toEqual(['one.example']);
    await clock.advance(30_000);
    await places('sip:one.example:5060');
    expect(asked).toEqual(['one.example', 'one.example']);
  });

  it('is resolved synchronously if it is cached', async () => {
    await places('sip:one.example:5060');
    let found = 0;
    locator.locate('sip:one.example:5060', ({ length }) => {
      found = length;
    });
    expect(found).toBe(1);
  });

  it('is queried again soon if it is unknown', async () => {
    await places('sip:unknown.example:5060');
    await clock.advance(3_000);
    await places('sip:unknown.example:5060');
    expect(asked).toHaveLength(2);
  });

  it('resolves to addresses of a reachable family', async () => {
    family = 6;
    expect(await places('sip:many.example:5060')).toBe('udp:[2001:db8::1]:5060');
  });

  it('resolves to targets of available transports', async () => {
    transports = ['udp'];
    expect(await places('sip:srv.example;transport=tcp')).toBe('');
    expect(await places('sip:stream.example')).toBe('');
  });

  it('resolves to few targets', async () => {
    expect((await places('sip:wide.example:5060')).split(' ')).toHaveLength(8);
  });

  it('orders targets that failed recently last', async () => {
    locator.avoid({ transport: 'udp', host: '192.0.2.1', port: 5060 });
    expect(await places('sip:many.example:5060')).toBe('udp:192.0.2.2:5060 udp:192.0.2.1:5060');
    await clock.advance(30_000);
    expect(await places('sip:many.example:5060')).toBe('udp:192.0.2.1:5060 udp:192.0.2.2:5060');
  });

  it('survives errors of the requests that wait for it', async () => {
    locator.locate('sip:one.example:5060', () => {
      throw new Error('no');
    });
    expect(await places('sip:one.example:5060')).toBe('udp:192.0.2.1:5060');
    expect(asked).toEqual(['one.example', 'sip.lookup_crashed']);
  });
});
