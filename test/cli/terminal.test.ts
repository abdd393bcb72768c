/** What is drawn in place: as many lines as were drawn before are drawn over, and nothing else. */
import { expect, test } from 'vitest';
import { redrawSequence } from '../../src/cli/terminal.ts';

test('the first time nothing is drawn over', () => {
  expect(redrawSequence(['a', 'b'], 0, 80)).toBe('\x1b[2Ka\n\x1b[2Kb\n\x1b[0J');
});

test('then the cursor goes up first, and what is left below is cleared', () => {
  expect(redrawSequence(['c'], 2, 80)).toBe('\x1b[2A\x1b[2Kc\n\x1b[0J');
  expect(redrawSequence([], 1, 80)).toBe('\x1b[1A\x1b[0J');
});

test('a line that the screen would wrap is cut, without its colours', () => {
  expect(redrawSequence(['\x1b[1m123456\x1b[22m'], 0, 5)).toBe('\x1b[2K1234\n\x1b[0J');
  expect(redrawSequence(['\x1b[1m1234\x1b[22m'], 0, 5)).toBe('\x1b[2K\x1b[1m1234\x1b[22m\n\x1b[0J');
});

test('what it shows moves nothing itself', () => {
  expect(redrawSequence(['a\x1b[5Ab\nc'], 0, 80)).toBe('\x1b[2Ka\\u001b[5Ab\\u000ac\n\x1b[0J');
});
