/** Redrawing in place: exactly the lines drawn before are overwritten. */
import { expect, test } from 'vitest';
import { redrawSequence } from '../../src/cli/terminal.ts';

test('draws over nothing at first', () => {
  expect(redrawSequence(['a', 'b'], 0, 80)).toBe('\x1b[2Ka\n\x1b[2Kb\n\x1b[0J');
});

test('moves the cursor up and clears the rest afterwards', () => {
  expect(redrawSequence(['c'], 2, 80)).toBe('\x1b[2A\x1b[2Kc\n\x1b[0J');
  expect(redrawSequence([], 1, 80)).toBe('\x1b[1A\x1b[0J');
});

test('cuts a line that would wrap, without its colours', () => {
  expect(redrawSequence(['\x1b[1m123456\x1b[22m'], 0, 5)).toBe('\x1b[2K1234\n\x1b[0J');
  expect(redrawSequence(['\x1b[1m1234\x1b[22m'], 0, 5)).toBe('\x1b[2K\x1b[1m1234\x1b[22m\n\x1b[0J');
});

test('escapes control characters in lines', () => {
  expect(redrawSequence(['a\x1b[5Ab\nc'], 0, 80)).toBe('\x1b[2Ka\\u001b[5Ab\\u000ac\n\x1b[0J');
});
