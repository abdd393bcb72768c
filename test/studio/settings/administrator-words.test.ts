/** Texts of the page of administrators. */
import { describe, expect, it } from 'vitest';
import {
  accessOf,
  isLocalHost,
  lastSeenWords,
  roleTitle,
} from '../../../src/pages/studio/web/settings/administrator-words.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

describe('the last request', () => {
  it.each([
    [undefined, 'never'],
    [minutesAgo(0), 'now'],
    [minutesAgo(9), 'now'],
    [minutesAgo(25), '25 minutes ago'],
    [minutesAgo(60), '1 hour ago'],
    [minutesAgo(47 * 60), '1 day ago'],
    [minutesAgo(3 * 24 * 60), '3 days ago'],
  ])('shows the time %s as %s', (at, words) => {
    expect(lastSeenWords(at, NOW)).toBe(words);
  });
});

describe('the access', () => {
  it.each([
    [true, undefined, 'Token'],
    [false, undefined, 'No access yet'],
    [false, 'noon', 'Invited until noon'],
    [true, 'noon', 'Token, invited until noon'],
  ])('describes a token (%s) and an invitation until %s as: %s', (hasToken, until, words) => {
    const person = { name: 'bea', role: 'full', configured: false, you: false, has_token: hasToken };
    expect(accessOf({ ...person, ...(until === undefined ? {} : { invited_until: until }) }, (at) => at)).toBe(words);
  });
});

it('shows a role that this page does not know by its name', () => {
  expect([roleTitle('read'), roleTitle('auditor')]).toEqual(['Read only', 'auditor']);
});

it('knows the host names of this machine', () => {
  expect(['localhost', '127.0.0.1', '[::1]'].every(isLocalHost)).toBe(true);
  expect(['voice.example.com', '10.0.0.1', 'localhost.example.com'].some(isLocalHost)).toBe(false);
});
