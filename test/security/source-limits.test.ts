/** Limits per source count an IPv6 prefix as one host, which has more addresses than there are limits. */
import { describe, expect, it } from 'vitest';
import { sourceKey } from '../../src/base/core/source-key.ts';
import {
  AbuseGuard,
  FAILED_LOGINS_OF_USER,
  FAILED_LOGINS_PER_MINUTE,
} from '../../src/media/telephony/sip/abuse-guard.ts';
import { Admission } from '../../src/media/telephony/sip/admission.ts';
import { KnownPeers } from '../../src/media/telephony/sip/known-peers.ts';
import type { SipRequest } from '../../src/media/telephony/sip/message.ts';
import { parseMessage } from '../../src/media/telephony/sip/parser.ts';
import type { Peer } from '../../src/media/telephony/sip/transport.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const at = (host: string): Peer => ({ transport: 'udp', host, port: 5060 });

const INVITE = readRequest([
  'INVITE sip:100@y SIP/2.0',
  'Via: SIP/2.0/UDP a;branch=z9hG4bK1',
  'From: <sip:stranger@b>;tag=f',
  'To: <sip:100@y>',
  'Call-ID: 1',
  'CSeq: 1 INVITE',
]);

const OPTIONS = readRequest([
  'OPTIONS sip:y SIP/2.0',
  'Via: SIP/2.0/UDP a;branch=z9hG4bK2',
  'From: <sip:stranger@b>;tag=f',
  'To: <sip:y>',
  'Call-ID: 2',
  'CSeq: 1 OPTIONS',
]);

function admissionOf(carrier = 'none') {
  const clock = new VirtualClock(0);
  const guard = new AbuseGuard(clock, () => false);
  const known = new KnownPeers({
    clock,
    isCarrier: ({ host }) => host === carrier,
    isEdge: () => false,
    phones: () => [],
    farEnds: () => [],
  });
  const limits = { invitesPerSecond: 1, inviteBurst: 5, dropScanners: true };
  return { clock, guard, admission: new Admission(limits, { clock, realm: 'r', guard, known }) };
}

function readRequest(lines: readonly string[]): SipRequest {
  const parsed = parseMessage(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));
  if (parsed.kind !== 'request') throw new Error(parsed.kind);
  return parsed.request;
}

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::2:3:4:5', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
  ['2001:DB8:0:1::1', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['nonsense', 'nonsense'],
])('counts %s as the source %s', (address, household) => {
  expect(sourceKey(address)).toBe(household);
});

describe('a host with many addresses', () => {
  const address = (index: number): string => `2001:db8::${(index + 1).toString(16)}`;

  it('has the same call limit as a host with one', () => {
    const { admission } = admissionOf();
    const takes = (host: string) => admission.takesCall(INVITE, at(host));
    const taken = Array.from({ length: 50 }, (_, index) => takes(address(index))).filter(Boolean);
    expect(taken).toHaveLength(5);
    expect(takes('2001:db8:0:1::1')).toBe(true);
  });

  it('has the same limit of password guesses', () => {
    const guard = new AbuseGuard(new VirtualClock(0), () => false);
    for (let index = 0; index < FAILED_LOGINS_OF_USER; index++) guard.failedLogin(address(index), 'alice');
    expect(guard.isGuessing(address(999), 'alice')).toBe(true);
    for (let index = 0; index < FAILED_LOGINS_PER_MINUTE; index++) guard.failedLogin(address(index), `user${index}`);
    expect([guard.admits(at(address(999))), guard.admits(at('2001:db8:0:1::1'))]).toEqual([false, true]);
  });
});

describe('a source of requests outside of calls', () => {
  it('is ignored above its limit, without effect on other sources, on its connections and on carriers', async () => {
    const { clock, guard, admission } = admissionOf('203.0.113.7');
    const admitted = (host: string, count: number): number =>
      Array.from({ length: count }, () => admission.admits(OPTIONS, at(host))).filter(Boolean).length;
    expect([admitted('203.0.113.1', 700), guard.counts.dropped]).toEqual([500, 200]);
    expect([admitted('203.0.113.2', 10), admitted('203.0.113.7', 700)]).toEqual([10, 700]);
    expect(admission.admits(OPTIONS, { ...at('203.0.113.1'), transport: 'tcp' })).toBe(true);
    await clock.advance(1000);
    expect(admitted('203.0.113.1', 700)).toBe(100);
  });
});

describe('the source of a call for limits of the host', () => {
  it('is the network of its peer, and absent for carriers, which have many callers', () => {
    const { admission } = admissionOf('203.0.113.7');
    expect(admission.sourceOf(at('2001:db8::1'))).toBe('2001:db8:0:0::/64');
    expect(admission.sourceOf(at('203.0.113.7'))).toBeUndefined();
  });
});
