/** Selection of the calls of a canary, and comparison of versions. */
import { describe, expect, it } from 'vitest';
import {
  type BackWhen,
  type CallOfCanary,
  emptySide,
  isCandidateFor,
  type Side,
  takesCanary,
  worseIn,
} from '../../../src/service/calls/canaries/canary.ts';

const inbound = (from: string, more: Partial<CallOfCanary> = {}): CallOfCanary => ({
  ...{ callId: 'c', direction: 'inbound', from, to: '1000' },
  ...more,
});

const versions = Array.from({ length: 20 }, (_, index) => `version ${index}`);
const callers = Array.from({ length: 500 }, (_, index) => inbound(`+33612${String(index).padStart(6, '0')}`));
const sharers = (version: string, percent: number): CallOfCanary[] =>
  callers.filter((call) => takesCanary({ version, percent }, call));

describe('the share', () => {
  it.each([0.1, 1, 5, 20, 50, 95])('is near %s percent, within chance, for each version', (percent) => {
    const rate = percent / 100;
    const deviation = Math.sqrt(callers.length * rate * (1 - rate));
    for (const version of versions) {
      const off = Math.abs(sharers(version, percent).length - callers.length * rate);
      expect([version, off <= 4.5 * deviation + 1]).toEqual([version, true]);
    }
  });

  it('is every call at 100 percent', () => {
    for (const version of versions) expect(sharers(version, 100)).toHaveLength(500);
  });

  it('grows without removing a caller', () => {
    for (const version of versions) {
      let before: CallOfCanary[] = [];
      for (const percent of [0.1, 3, 20, 21, 80, 100]) {
        const now = sharers(version, percent);
        expect(before.filter((call) => !now.includes(call))).toEqual([]);
        before = now;
      }
    }
  });

  it('selects other callers for another version', () => {
    const [one, other] = [sharers('one', 20), sharers('other', 20)];
    // A fifth of a fifth of 500.
    expect(one.filter((call) => other.includes(call)).length).toBeLessThan(45);
  });

  it.each([
    ['marks between digits', '+33 6.12-(34)56', '33612 3456'],
    ['a tel: URI', 'tel:+33612', '+33612'],
    ['capitals of a SIP URI', 'sip:Ann@Example.com', 'sip:ann@example.com'],
  ])('ignores formatting of a number: %s', (_, one, other) => {
    for (const version of versions) {
      const canary = { version, percent: 50 };
      expect(takesCanary(canary, inbound(one))).toBe(takesCanary(canary, inbound(other)));
    }
  });

  it.each(['', 'anonymous', 'Anonymous', 'unknown', 'restricted'])(
    'is by call for callers without a number (%s)',
    (from) => {
      const calls = Array.from({ length: 200 }, (_, index) => inbound(from, { callId: `call ${index}` }));
      const taken = calls.filter((call) => takesCanary({ version: 'v', percent: 50 }, call));
      expect(Math.abs(taken.length - 100)).toBeLessThanOrEqual(29);
    },
  );

  it('is by called number for outgoing calls', () => {
    for (const version of versions) {
      const canary = { version, percent: 50 };
      const call = { ...inbound('1000'), direction: 'outbound', to: '+33699' } as const;
      expect(takesCanary(canary, call)).toBe(takesCanary(canary, inbound('+33699')));
    }
  });

  it('is limited to calls to its numbers, and outgoing calls that show them', () => {
    const canary = { numbers: ['+33 1 99'] };
    expect(isCandidateFor({}, inbound('1'))).toBe(true);
    expect(isCandidateFor(canary, inbound('1', { to: '33199' }))).toBe(true);
    expect(isCandidateFor(canary, inbound('33199'))).toBe(false);
    expect(isCandidateFor(canary, inbound('33199', { direction: 'outbound' }))).toBe(true);
  });
});

const side = (calls: number, errors: number, abandoned = 0): Side => ({ ...emptySide('v'), calls, errors, abandoned });

const judged = (canary: Side, inForce: Side, more: Partial<BackWhen> = {}) =>
  worseIn({
    compared: { canary, inForce },
    backWhen: { errorsWorseBy: 5, abandonedWorseBy: 10, afterCalls: 20, ...more },
  });

describe('a canary', () => {
  it.each([
    ['has had too few calls', side(19, 19), side(100, 0), undefined],
    ['has errors where there were none', side(20, 20), side(80, 0), 'errors'],
    ['has as many errors', side(40, 4), side(160, 16), undefined],
    ['has fewer errors', side(40, 0), side(160, 16), undefined],
    ['had one unlucky call of twenty', side(20, 1), side(80, 0), undefined],
    ['is within the margin', side(1000, 45), side(4000, 0), undefined],
    ['is beyond the margin', side(1000, 55), side(4000, 0), 'errors'],
    ['is beyond the margin by what chance explains', side(30, 5), side(120, 10), undefined],
    ['is compared with two calls', side(20, 4), side(2, 0), undefined],
    ['has errors in half of its calls, and there is nothing to compare with', side(20, 10), side(0, 0), 'errors'],
    ['is left by its callers', side(50, 0, 40), side(200, 0, 100), 'abandoned'],
    ['is left by its callers as before', side(50, 0, 27), side(200, 0, 100), undefined],
    ['is left by its callers, and there is nothing to compare with', side(50, 0, 50), side(0, 0), undefined],
    ['is worse in both: errors are named', side(50, 40, 40), side(200, 0, 0), 'errors'],
  ] as const)('is judged by its calls: it %s', (_, canary, inForce, worse) => {
    expect(judged(canary, inForce)).toBe(worse);
  });

  it('is never judged worse by a margin above 100', () => {
    expect(judged(side(1000, 1000), side(1000, 0), { errorsWorseBy: 100 })).toBeUndefined();
  });

  it('is rarely judged worse if it is equally good, whenever it is checked', () => {
    let seed = 7;
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    let returned = 0;
    for (let trial = 0; trial < 200; trial++) {
      const [canary, inForce] = [side(0, 0), side(0, 0)];
      for (let call = 0; call < 500 && judged(canary, inForce) === undefined; call++) {
        const at = random() < 0.2 ? canary : inForce;
        at.calls++;
        if (random() < 0.3) at.abandoned++;
      }
      if (judged(canary, inForce) !== undefined) returned++;
    }
    expect(returned).toBeLessThan(20);
  });
});
