/** The address of a client, with and without proxies in front. */
import { describe, expect, it } from 'vitest';
import { clientAddresses } from '../../src/service/api/client-address.ts';

const PROXIES = ['127.0.0.1', '10.0.0.0/8', '::1'];

describe('client address', () => {
  it.each<[string, string, string | string[] | undefined, string]>([
    ['that of the connection without a header', '192.0.2.7', undefined, '192.0.2.7'],
    ['that of the connection where a stranger sends the header', '192.0.2.7', '203.0.113.1', '192.0.2.7'],
    ['the last one that a trusted proxy has seen', '127.0.0.1', '198.51.100.1, 203.0.113.1', '203.0.113.1'],
    ['that before several trusted proxies', '127.0.0.1', '203.0.113.1, 10.1.2.3, 10.4.5.6', '203.0.113.1'],
    ['that of the proxy without a header', '127.0.0.1', undefined, '127.0.0.1'],
    ['that of the proxy where the header is not an address', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['the last good one where the header ends in nonsense', '127.0.0.1', 'nonsense, 10.1.2.3', '10.1.2.3'],
    ['over several headers', '127.0.0.1', ['198.51.100.1', '203.0.113.1'], '203.0.113.1'],
    ['without a port', '127.0.0.1', '203.0.113.1:4711', '203.0.113.1'],
    ['without brackets and port', '::1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['behind a socket for both families', '::ffff:127.0.0.1', '203.0.113.1', '203.0.113.1'],
  ])('is chosen from connection and headers: %s', (_what, remoteAddress, forwarded, expected) => {
    const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } };
    expect(clientAddresses(PROXIES).of(request as never)).toBe(expected);
  });
});
