import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stepArguments } from './step-arguments.ts';

it('the types of step arguments are what the schemas of verbs say', () => {
  const file = new URL('../../src/steps/step-arguments.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(stepArguments());
});
