/** Diagnostics of the real check at their positions in the text, their repairs, and line ends of files. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/core/diagnostic.ts';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import { namesIn } from '../../../src/language/flow/text/names.ts';
import { type Problem, problemsAfter, problemsOf } from '../../../src/language/flow/text/problems.ts';
import { withEndsOf, withPlainEnds } from '../../../src/pages/studio/web/text/line-ends.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { language } from '../graph/flows.ts';

const TEXT = `flow: a
start: one
defaults: { exits: { error: two } }
steps:
  one: { pause: 1s, next: towers }
  two: { hangup: normal }
  towel: { hangup: normal }
`;

const problemsIn = (text: string): Problem[] =>
  problemsOf(text, compileFlow(text, 'a.flow.yaml', verbs).diagnostics, namesIn(text, language));
const repaired = (text: string, { repair }: Problem): string =>
  text.slice(0, repair!.from) + repair!.insert + text.slice(repair!.to);

test('marks an exit to a missing step at its word, in its step, with its repair', () => {
  const text = TEXT.replace('towers', 'towle');
  const problem = problemsIn(text).find(({ code }) => code === 'unknown-target')!;
  expect(text.slice(problem.from, problem.to)).toBe('towle');
  expect(problem.step).toBe('one');
  expect(repaired(text, problem)).toBe(TEXT.replace('towers', 'towel'));
});

test('repairs a mistyped key at its position', () => {
  const text = TEXT.replace('pause: 1s', 'puase: 1s').replace('towers', 'towel');
  const problem = problemsIn(text).find(({ repair }) => repair !== undefined)!;
  expect(repaired(text, problem)).toBe(TEXT.replace('towers', 'towel'));
});

test('offers no repair for an ambiguous problem', () => {
  const problems = problemsIn(TEXT.replace('towers', 'elsewhere_entirely'));
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.map(({ repair }) => repair)).toEqual(problems.map(() => undefined));
});

test('moves positions beyond the text to its end', () => {
  const far: Diagnostic = { file: 'a', line: 900, column: 7, severity: 'error', code: 'x', message: 'x' };
  const [problem] = problemsOf(TEXT, [far], namesIn(TEXT, language));
  expect(problem!.from).toBeLessThanOrEqual(TEXT.length);
  expect(problem!.to).toBeLessThanOrEqual(TEXT.length);
});

describe('line ends', () => {
  test.each([
    ['a\r\nb\r\nc\r\n', 'a\nB\nc\n', 'a\r\nB\r\nc\r\n'],
    ['a\nb\n', 'a\nB\n', 'a\nB\n'],
    ['a\r\nb\nc\n', 'a\nb\nC\nd\n', 'a\r\nb\nC\nd\n'],
    ['a\r\nb', 'a\nb\nc', 'a\r\nb\r\nc'],
  ])('saves %j after the edit %j as %j', (file, text, saved) => {
    expect(withEndsOf(file, text)).toBe(saved);
  });

  test('keeps an unedited file byte for byte, and changes no other character', () => {
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

describe('problems of a text during edits', () => {
  const broken = TEXT.replace('towers', 'towle').replace('error: two', 'error: tow');
  const problems = problemsIn(broken).filter(({ repair }) => repair !== undefined);

  test.each([[[0, 1]], [[1, 0]]])(
    'are repaired one after another, in any order, before the next check: %j',
    (order) => {
      expect(problems).toHaveLength(2);
      let text = broken;
      let known = problems;
      for (const index of order) {
        const next = repaired(text, known[index]!);
        known = problemsAfter(text, next, known);
        text = next;
      }
      expect(text).toBe(TEXT.replace('towers', 'towel'));
    },
  );

  test('moves them with text inserted before, and drops the repair that is overwritten', () => {
    const typed = `# a remark\n${broken}`;
    for (const [index, { from, to, line, repair }] of problemsAfter(broken, typed, problems).entries()) {
      const before = problems[index]!;
      expect(typed.slice(from, to)).toBe(broken.slice(before.from, before.to));
      expect(line).toBe(before.line + 1);
      expect(repair).toBeDefined();
    }
    const over = broken.replace('towle', 'tower');
    expect(problemsAfter(broken, over, problems).map(({ repair }) => repair?.insert)).toEqual(['two', undefined]);
  });

  test('stays within the text after any change', () => {
    fc.assert(
      fc.property(fc.nat(broken.length), fc.nat(broken.length), fc.string(), (one, other, insert) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const after = broken.slice(0, from) + insert + broken.slice(to);
        for (const problem of problemsAfter(broken, after, problems)) {
          expect(problem.from).toBeGreaterThanOrEqual(0);
          expect(problem.to).toBeGreaterThanOrEqual(problem.from);
          expect(problem.to).toBeLessThanOrEqual(after.length);
          const { repair } = problem;
          if (repair) expect(['tow', 'towle']).toContain(after.slice(repair.from, repair.to));
        }
      }),
    );
  });
});
