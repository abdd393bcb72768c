/** Diagnostics of the real check in their places in the text, their repairs, and line ends of files. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/core/diagnostic.ts';
import { compileFlow } from '../../../src/flow/compile.ts';
import { verbs } from '../../../src/steps/index.ts';
import { withEndsOf, withPlainEnds } from '../../../src/studio/web/text/line-ends.ts';
import { namesIn } from '../../../src/studio/web/text/names.ts';
import { type Problem, problemsOf } from '../../../src/studio/web/text/problems.ts';

const TEXT = `flow: a
start: one
defaults: { exits: { error: two } }
steps:
  one: { pause: 1s, next: towers }
  two: { hangup: normal }
  towel: { hangup: normal }
`;

const problemsIn = (text: string): Problem[] =>
  problemsOf(text, compileFlow(text, 'a.flow.yaml', verbs).diagnostics, namesIn(text));
const repaired = (text: string, { repair }: Problem): string =>
  text.slice(0, repair!.from) + repair!.insert + text.slice(repair!.to);

test('a way to a step that is not there is marked at its word, in its step, with its repair', () => {
  const text = TEXT.replace('towers', 'towle');
  const problem = problemsIn(text).find(({ code }) => code === 'unknown-target')!;
  expect(text.slice(problem.from, problem.to)).toBe('towle');
  expect(problem.step).toBe('one');
  expect(repaired(text, problem)).toBe(TEXT.replace('towers', 'towel'));
});

test('a mistyped key is repaired where it stands', () => {
  const text = TEXT.replace('pause: 1s', 'puase: 1s').replace('towers', 'towel');
  const problem = problemsIn(text).find(({ repair }) => repair !== undefined)!;
  expect(repaired(text, problem)).toBe(TEXT.replace('towers', 'towel'));
});

test('what is not obvious has no repair', () => {
  const problems = problemsIn(TEXT.replace('towers', 'elsewhere_entirely'));
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.map(({ repair }) => repair)).toEqual(problems.map(() => undefined));
});

test('places beyond the text are at its end', () => {
  const far: Diagnostic = { file: 'a', line: 900, column: 7, severity: 'error', code: 'x', message: 'x' };
  const [problem] = problemsOf(TEXT, [far], namesIn(TEXT));
  expect(problem!.from).toBeLessThanOrEqual(TEXT.length);
  expect(problem!.to).toBeLessThanOrEqual(TEXT.length);
});

describe('line ends', () => {
  test.each([
    ['a\r\nb\r\nc\r\n', 'a\nB\nc\n', 'a\r\nB\r\nc\r\n'],
    ['a\nb\n', 'a\nB\n', 'a\nB\n'],
    ['a\r\nb\nc\n', 'a\nb\nC\nd\n', 'a\r\nb\nC\nd\n'],
    ['a\r\nb', 'a\nb\nc', 'a\r\nb\r\nc'],
  ])('%j edited to %j is saved as %j', (file, text, saved) => {
    expect(withEndsOf(file, text)).toBe(saved);
  });

  test('a text that was not edited is the file, and no other character changes', () => {
    const lines = fc.array(fc.tuple(fc.constantFrom('a', 'b', ''), fc.constantFrom('\n', '\r\n')), { maxLength: 8 });
    const fileOf = (parts: [string, string][]): string => parts.map(([line, end]) => line + end).join('');
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const file = fileOf(one);
        expect(withEndsOf(file, withPlainEnds(file))).toBe(file);
        const edited = withPlainEnds(fileOf(other));
        expect(withPlainEnds(withEndsOf(file, edited))).toBe(edited);
      }),
    );
  });
});
