/** Steps of the flows that are shipped, moved into other routes. */
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import type { ExitRef } from '../../../src/pages/studio/web/text/edit.ts';
import { moveSteps } from '../../../src/pages/studio/web/text/move-steps.ts';
import type { Rewired } from '../../../src/pages/studio/web/text/part-ways.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { rounds } from '../../rounds.ts';
import { graphIn, language, pathOf, shippedFiles, textOf } from '../graph/flows.ts';

const errorsIn = (text: string, file = 'shop.flow.yaml'): string[] =>
  compileFlow(text, pathOf(file), verbs, {}).diagnostics.flatMap(({ severity, code, message }) =>
    severity === 'error' ? `${code}: ${message}` : [],
  );

function moved(text: string, steps: readonly string[], line: ExitRef): Rewired {
  const found = moveSteps(text, { steps, line, language });
  if (isRefusal(found)) throw new Error(`${found.refused}: ${found.hint}`);
  expect(applyEdits(text, found.edits)).toBe(found.text);
  expect(applyEdits(found.text, inverseOf(text, found.edits))).toBe(text);
  return found;
}

const commentsIn = (text: string): string[] => text.split('\n').filter((line) => /^\s*#/.test(line));
const namesIn = (text: string): string[] => graphIn(text).steps.map(({ name }) => name);

/** Each n-th move is made. */
const EVERY = Math.max(1, Math.round(18 / rounds(1)));

describe.each(shippedFiles)('a step of %s', (file) => {
  it('is moved into other routes without an error, and stays where it is in the text', () => {
    const text = textOf(file);
    const before = errorsIn(text, file);
    const { steps } = graphIn(text);
    const lines = steps.flatMap(({ name: step, exits }) =>
      exits.flatMap(({ outcome, own }) => (own && !outcome.endsWith('*') ? { step, outcome } : [])),
    );
    const acts = steps.flatMap(({ name }) => lines.map((line) => [name, line] as const));
    for (const [name, line] of acts.filter((_, index) => index % EVERY === 0)) {
      const found = moveSteps(text, { steps: [name], line, language });
      if (isRefusal(found)) {
        expect(found.refused).toMatch(/there already|ends the call|begins with a step/);
        continue;
      }
      moved(text, [name], line);
      const now = errorsIn(found.text, file).filter((error) => !before.includes(error));
      expect(now, `${name} to ${line.step} ${line.outcome}`).toEqual([]);
      expect(commentsIn(found.text)).toEqual(commentsIn(text));
      expect(namesIn(found.text)).toEqual(namesIn(text));
    }
  });
});

const CHAIN = `flow: chain
defaults: { exits: { error: bye } }
start: a
steps:
  a: { play: A., next: b } # first
  b: { play: B., next: c }
  c: { play: C., next: ask }
  ask:
    menu: { prompt: For bread press 1., choices: { bread: { dtmf: "1" }, cake: { dtmf: "2" } } }
    exits: { bread: d, cake: bye, exhausted: bye }
  d: { play: D., next: bye }
  bye: { hangup: normal }
`;

describe('a move', () => {
  it('changes the routes of the step and around it only', () => {
    expect(moved(CHAIN, ['b'], { step: 'd', outcome: 'done' }).text).toBe(
      CHAIN.replace('next: b }', 'next: c }')
        .replace('B., next: c', 'B., next: bye')
        .replace('D., next: bye', 'D., next: b'),
    );
  });

  it('takes several steps with one way in and one target as a whole', () => {
    expect(moved(CHAIN, ['b', 'c'], { step: 'ask', outcome: 'cake' }).text).toBe(
      CHAIN.replace('A., next: b', 'A., next: ask')
        .replace('C., next: ask', 'C., next: bye')
        .replace('cake: bye', 'cake: b'),
    );
  });

  it('moves the first step: its successor is the first', () => {
    const { text } = moved(CHAIN, ['a'], { step: 'd', outcome: 'done' });
    expect(text).toContain('start: b\n');
    expect(text).toContain('d: { play: D., next: a }');
  });

  it('bounds a loop that it closes', () => {
    const loop = CHAIN.replace('bread: d', 'bread: a')
      .replace('menu:', 'max_visits: 3\n    menu:')
      .replace('exhausted: bye }', 'exhausted: bye, limit: bye }');
    const { text } = moved(loop, ['ask'], { step: 'd', outcome: 'done' });
    expect(text).toContain('max_visits: 5');
    expect(errorsIn(text)).toEqual(errorsIn(loop));
  });

  it.each([
    ['bye ends the call', ['bye'], { step: 'a', outcome: 'done' }],
    ['b is there already', ['b'], { step: 'a', outcome: 'done' }],
    ['b is there already', ['b'], { step: 'b', outcome: 'done' }],
    ['The steps lead to d and bye', ['c', 'ask'], { step: 'd', outcome: 'done' }],
    ['Routes lead to b and d', ['b', 'd'], { step: 'c', outcome: 'done' }],
    ['There is no step x', ['x'], { step: 'c', outcome: 'done' }],
  ])('is refused with the reason: %s', (refused, steps, line) => {
    expect(moveSteps(CHAIN, { steps, line, language })).toMatchObject({ refused });
  });
});
