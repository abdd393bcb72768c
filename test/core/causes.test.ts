import { describe, expect, it } from 'vitest';
import {
  causeOf,
  causeOfSip,
  type DialOutcome,
  dialOutcome,
  isNetworkFault,
  NO_ANSWER,
  NO_ROUTE,
  NORMAL_CLEARING,
  sipStatusOf,
  TEMPORARY_FAILURE,
} from '../../src/base/core/causes.ts';

describe('a SIP failure as a cause', () => {
  // RFC 3398 §7.2.4.1; where common practice differs the reason stands beside it.
  it.each<[number, number]>([
    [400, 41],
    [401, 21],
    [402, 21],
    [403, 21],
    [404, 1],
    [405, 63],
    [406, 79],
    [407, 21],
    [408, 102],
    [410, 22],
    [413, 127],
    [414, 127],
    [415, 79],
    [416, 127],
    [420, 127],
    [421, 127],
    [423, 127],
    [480, 18],
    [481, 41],
    [482, 127], // RFC: 25, exchange routing error; the callee cannot tell a loop from interworking
    [483, 127], // RFC: 25
    [484, 28],
    [485, 1],
    [486, 17],
    [488, 65], // RFC: by the Warning header
    [500, 41],
    [501, 79],
    [502, 38],
    [503, 41],
    [504, 102],
    [505, 127],
    [513, 127],
    [600, 17],
    [603, 21],
    [604, 1],
    [606, 65],
  ])('%i is Q.850 %i', (status, code) => {
    expect(causeOfSip(status).code).toBe(code);
  });

  it.each([
    [487, 19],
    [499, 31],
    [599, 41],
    [699, 21],
  ])('maps %i, which the RFC does not define, to Q.850 %i', (status, code) => {
    expect(causeOfSip(status).code).toBe(code);
  });

  it('has words for every status there is', () => {
    for (let status = 300; status < 700; status++) {
      const cause = causeOfSip(status);
      expect(cause).toEqual(causeOf(cause.code));
      expect(cause.reason).toMatch(/^[A-Z][A-Za-z -]+$/);
    }
  });
});

describe('a cause', () => {
  it.each<[number, string, DialOutcome]>([
    [1, 'Unallocated Number', 'unreachable'],
    [16, 'Normal Clearing', 'declined'],
    [17, 'User Busy', 'busy'],
    [18, 'No User Responding', 'no_answer'],
    [19, 'No Answer', 'no_answer'],
    [21, 'Call Rejected', 'declined'],
    [28, 'Invalid Number Format', 'unreachable'],
    [38, 'Network Out Of Order', 'unreachable'],
    [41, 'Temporary Failure', 'unreachable'],
    [102, 'Recovery On Timer Expiry', 'unreachable'],
    [999, 'Normal Unspecified', 'unreachable'],
  ])('%i is “%s”, dials as %s', (code, reason, outcome) => {
    const cause = causeOf(code);
    expect(cause).toEqual({ code, reason });
    expect(dialOutcome(cause)).toBe(outcome);
  });

  it('has its own wording for each code of the table', () => {
    const known = Array.from({ length: 128 }, (_, code) => causeOf(code)).filter(
      ({ code, reason }) => code === 31 || reason !== 'Normal Unspecified',
    );
    expect(new Set(known.map(({ reason }) => reason)).size).toBe(known.length);
    expect(known.length).toBeGreaterThan(20);
  });

  it.each([
    [17, 486],
    [21, 603],
    [1, 404],
    [41, 503],
    [999, 480],
  ])('%i refuses a call with SIP %i', (code, status) => {
    expect(sipStatusOf(causeOf(code))).toBe(status);
  });

  it('always refuses with a final failure', () => {
    for (let code = 0; code < 128; code++) {
      const status = sipStatusOf(causeOf(code));
      expect(status >= 400 && status < 700, `${code} → ${status}`).toBe(true);
    }
  });

  it('blames the network or the party, never both', () => {
    for (const code of [3, 27, 34, 38, 41, 42, 63, 79, 102, 111, 127])
      expect(isNetworkFault(causeOf(code)), `${code}`).toBe(true);
    for (const code of [1, 16, 17, 18, 19, 20, 21, 22, 26, 28, 31, 57, 65])
      expect(isNetworkFault(causeOf(code)), `${code}`).toBe(false);
  });

  it('has names for those used most', () => {
    expect([NORMAL_CLEARING, NO_ANSWER, NO_ROUTE, TEMPORARY_FAILURE].map(({ code }) => code)).toEqual([16, 19, 3, 41]);
  });
});
