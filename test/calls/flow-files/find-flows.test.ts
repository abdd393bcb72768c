/** Name of the flow in a text, valid or not. */
import { expect, it } from 'vitest';
import { nameInText } from '../../../src/service/calls/flow-files/find-flows.ts';

it.each([
  ['flow: hello\nsteps: {}', 'hello'],
  ['# a note\r\nflow: hello\r\nsteps:\r\n', 'hello'],
  ['"flow": "hello" # said so\nsteps: [', 'hello'],
  ["'flow' : 'hello'", 'hello'],
  ['\uFEFFflow: hello', 'hello'],
  ['{ "flow": "hello", "steps": ', 'hello'],
  ['steps:\n  flow: hello\n', undefined],
  ['flow: [', undefined],
  ['flow: ../hello', undefined],
  ['flow:', undefined],
  ['', undefined],
])('reads from %j the name %j', (text, name) => {
  expect(nameInText(text)).toBe(name);
});
