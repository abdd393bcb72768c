/** Floods of HTTP requests from one address, behind a proxy that names it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { AddressLimit } from '../../src/service/api/address-limit.ts';
import { ApiRig, SHOP } from '../api/rig.ts';

const TOKEN = 'a-token-of-the-administrator';
let rig: ApiRig;
beforeAll(async () => {
  rig = await ApiRig.open({
    config: `numbers: [{ number: "1000" }]\nadmin: { token: ${TOKEN} }\n`,
    http: 'trusted_proxies: [127.0.0.1]',
  });
});
afterAll(() => rig.close());

const ask = async (address: string, path = '/ready', headers: Record<string, string> = {}): Promise<number> => {
  const { status } = await rig.request('GET', path, undefined, {
    as: false,
    headers: { 'x-forwarded-for': address, ...headers },
  });
  return status;
};

describe('a flood of requests from one address', () => {
  it('gets 429 above its rate, without effect on other addresses and on clients with credentials', async () => {
    const known = { authorization: `Basic ${Buffer.from(`${SHOP.id}:${SHOP.key}`).toString('base64')}` };
    expect(await ask('203.0.113.1', '/voice/v1/call', known)).toBe(200);
    const statuses: number[] = [];
    for (let batch = 0; batch < 21; batch++) {
      statuses.push(...(await Promise.all(Array.from({ length: 50 }, () => ask('203.0.113.1')))));
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(51);
    expect(await ask('203.0.113.2')).toBe(200);
    expect(await ask('203.0.113.1', '/voice/v1/call', known)).toBe(200);
    expect(await ask('203.0.113.1', '/admin/v1/projects', { authorization: `Bearer ${TOKEN}` })).toBe(200);
    expect(await ask('203.0.113.1', '/admin/v1/projects', { authorization: 'Bearer wrong' })).toBe(429);
    const wrong = { authorization: `Basic ${Buffer.from(`${SHOP.id}:wrong`).toString('base64')}` };
    expect(await ask('203.0.113.1', '/voice/v1/call', wrong)).toBe(429);
    await rig.clock.advance(1000);
    expect(await ask('203.0.113.1')).toBe(200);
  }, 60_000);
});

describe('the limit of a source', () => {
  const limitOf = () => new AddressLimit(new VirtualClock(), { perSecond: 1, burst: 2 });
  const admitted = (limit: AddressLimit, addresses: readonly string[]): boolean[] =>
    addresses.map((address) => limit.admits(address));

  it('counts an IPv6 /64 as one source', () => {
    const limit = limitOf();
    expect(admitted(limit, ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'])).toEqual([
      ...[true, true, false, true],
    ]);
  });

  it('does not apply to this machine, which may run proxies', () => {
    const limit = limitOf();
    const local = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
    expect(new Set(admitted(limit, [...local, ...local, ...local]))).toEqual(new Set([true]));
  });

  it('remembers a bounded number of sources', () => {
    const limit = limitOf();
    for (let number = 0; number < 20_001; number++)
      limit.admits(`10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`);
    expect(admitted(limit, ['10.0.0.0', '10.0.0.0', '10.0.0.0'])).toEqual([true, true, false]);
  });
});
