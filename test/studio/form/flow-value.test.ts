/** Values of the flow itself, such as its durations, are set and cleared to the byte in each manner of writing. */
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { readFlow } from '../../../src/language/flow/text/flow-reader.ts';
import type { Path } from '../../../src/language/flow/text/flow-source.ts';
import { rewrite } from '../../../src/language/flow/text/rewrite.ts';
import { valueChanges } from '../../../src/language/flow/text/set-argument.ts';
import { language } from './samples.ts';

function set(text: string, path: Path, value: Json | undefined): string {
  const edits = rewrite(text, valueChanges(readFlow(text).value as JsonObject, { path, value }, language));
  if (isRefusal(edits)) throw new Error(edits.refused);
  return applyEdits(text, edits);
}

const END = 'start: bye\nsteps: { bye: hangup }\n';

const TABLE = [
  ['the flow itself', ['doc'], 'What it is for', `flow: a\n${END}`, `flow: a\ndoc: What it is for\n${END}`],
  [
    'a map that is not there',
    ['limits', 'max_duration'],
    '1h30m',
    `flow: a # first\n${END}`,
    `flow: a # first\n${END}limits: { max_duration: 1h30m }\n`,
  ],
  [
    'a block map',
    ['defaults', 'input', 'inter_digit_timeout'],
    '1m30s',
    `flow: a\ndefaults:\n  input:\n    start_timeout: 6s # long\n${END}`,
    `flow: a\ndefaults:\n  input:\n    start_timeout: 6s # long\n    inter_digit_timeout: 1m30s\n${END}`,
  ],
  [
    'a map in braces',
    ['defaults', 'input', 'start_timeout'],
    '20s',
    `flow: a\ndefaults: { exits: { error: bye } } # usual\n${END}`,
    `flow: a\ndefaults: { input: { start_timeout: 20s }, exits: { error: bye } } # usual\n${END}`,
  ],
] as const;

it.each(TABLE.flatMap((row) => ['\n', '\r\n'].map((end) => [row[0], JSON.stringify(end), end, row] as const)))(
  'sets and clears a value of %s to the byte, with line ends %s',
  (_, __, end, [, path, value, before, after]) => {
    const [from, to] = [before, after].map((text) => text.replaceAll('\n', end)) as [string, string];
    expect(set(from, path, value)).toBe(to);
    expect(set(to, path, undefined)).toBe(from);
    expect(set(to, path, value)).toBe(to);
  },
);
