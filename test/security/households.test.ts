/** Limits per source count those as one who are one: a host with IPv6 has more addresses than there are limits. */
import { describe, expect, it } from 'vitest';
import { householdOf } from '../../src/core/household.ts';
import { Admission } from '../../src/telephony/sip/admission.ts';
import { FAILED_LOGINS_OF_USER, FAILED_LOGINS_PER_MINUTE, NoiseGuard } from '../../src/telephony/sip/noise-guard.ts';
import { VirtualClock } from '../../src/testkit/virtual-clock.ts';

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
])('%s belongs to %s', (address, household) => {
  expect(householdOf(address)).toBe(household);
});

describe('a host with many addresses', () => {
  const address = (index: number): string => `2001:db8::${(index + 1).toString(16)}`;

  it('makes as many calls as one with one', () => {
    const clock = new VirtualClock(0);
    const guard = new NoiseGuard(clock, () => false);
    const admission = new Admission(
      { invitesPerSecond: 1, inviteBurst: 5, dropScanners: true },
      { clock, realm: 'r', guard, isCarrier: () => false },
    );
    const taken = Array.from({ length: 50 }, (_, index) => admission.takesCall(address(index))).filter(Boolean);
    expect(taken).toHaveLength(5);
    expect(admission.takesCall('2001:db8:0:1::1')).toBe(true);
  });

  it('guesses as many passwords', () => {
    const guard = new NoiseGuard(new VirtualClock(0), () => false);
    for (let index = 0; index < FAILED_LOGINS_OF_USER; index++) guard.failedLogin(address(index), 'alice');
    expect(guard.isGuessing(address(999), 'alice')).toBe(true);
    for (let index = 0; index < FAILED_LOGINS_PER_MINUTE; index++) guard.failedLogin(address(index), `user${index}`);
    expect([guard.admits(address(999)), guard.admits('2001:db8:0:1::1')]).toEqual([false, true]);
  });
});
