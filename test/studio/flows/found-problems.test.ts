import { expect, it } from 'vitest';
import type { Problem } from '../../../src/language/flow/text/problems.ts';
import { FoundProblems } from '../../../src/pages/studio/web/flows/found-problems.ts';

const TEXT = 'flow: hello\nstart: sya\nsteps: { say: { hangup: } }\n';
const at = TEXT.indexOf('sya');
const PROBLEM: Problem = {
  severity: 'error',
  message: 'There is no step sya',
  code: 'unknown_step',
  line: 2,
  from: at,
  to: at + 3,
  repair: { title: 'Write say', from: at, to: at + 3, insert: 'say' },
};

it('moves the places of problems with the text, and keeps the shown list, so that a key draws nothing again', () => {
  const found = new FoundProblems();
  found.take([PROBLEM]);
  const shown = found.shown.value;
  const typed = TEXT.replace('hello', 'hello_all');
  found.move(TEXT, typed);
  expect(found.shown.value).toBe(shown);
  const { from, to, repair } = found.placeOf(shown[0]!);
  expect([typed.slice(from, to), typed.slice(repair!.from, repair!.to)]).toEqual(['sya', 'sya']);
  expect(found.placed).toEqual([found.placeOf(shown[0]!)]);
});

it('shows another line, and a problem whose repair was overwritten', () => {
  const found = new FoundProblems();
  found.take([PROBLEM]);
  const lower = `# A remark.\n${TEXT}`;
  found.move(TEXT, lower);
  expect(found.shown.value[0]!.line).toBe(3);
  found.move(lower, lower.replace('sya', 'sy'));
  expect(found.shown.value[0]!.repair).toBeUndefined();
});

it('keeps the list if a check finds the same problems at their present places', () => {
  const found = new FoundProblems();
  found.take([PROBLEM]);
  const shown = found.shown.value;
  found.move(TEXT, TEXT.replace('hello', 'hello_all'));
  found.take([...found.placed].map((problem) => ({ ...problem })));
  expect(found.shown.value).toBe(shown);
  found.take([]);
  expect(found.shown.value).toEqual([]);
});
