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
    const clock = new VirtualClock(0);
    const guard = new AbuseGuard(clock, () => false);
    const known = new KnownPeers({
      clock,
      isCarrier: () => false,
      isEdge: () => false,
      phones: () => [],
      farEnds: () => [],
    });
    const admission = new Admission(
      { invitesPerSecond: 1, inviteBurst: 5, dropScanners: true },
      { clock, realm: 'r', guard, known },
    );
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
