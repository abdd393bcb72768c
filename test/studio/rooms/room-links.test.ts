/** PINs of rooms as people read them aloud. */
import { expect, it } from 'vitest';
import { pinWords } from '../../../src/pages/studio/web/rooms/room-links.ts';

it.each([
  [123456, '123 456'],
  [1234567, '1 234 567'],
  [42, '42'],
])('groups the digits of the PIN %i as %s', (pin, words) => {
  expect(pinWords(pin)).toBe(words);
});
