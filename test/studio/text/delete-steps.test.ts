/** Steps and groups of steps deleted from the flows that are shipped. */
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { type DeleteOptions, deleteSteps, planDeletion } from '../../../src/pages/studio/web/text/delete-steps.ts';
import type { Rewired } from '../../../src/pages/studio/web/text/part-ways.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { rounds } from '../../rounds.ts';
import { graphIn, language, pathOf, shippedFiles, textOf } from '../graph/flows.ts';

const errorsIn = (text: string, file: string): string[] =>
  compileFlow(text, file, verbs, {}).diagnostics.flatMap(({ severity, code, message }) =>
    severity === 'error' ? `${code}: ${message}` : [],
  );

const made = (text: string, options: Omit<DeleteOptions, 'language'>): Rewired => {
  const found = deleteSteps(text, { ...options, language });
  if (isRefusal(found)) throw new Error(`${found.refused}: ${found.hint}`);
  expect(applyEdits(text, found.edits)).toBe(found.text);
  expect(applyEdits(found.text, inverseOf(text, found.edits))).toBe(text);
  return found;
};

const dangling = (text: string): string[] => {
  const graph = graphIn(text);
  const names = graph.steps.map(({ name }) => name);
  return graph.steps.flatMap(({ name, exits }) =>
    exits.flatMap(({ outcome, target }) =>
      target.startsWith('$') || names.includes(target) || target === '' ? [] : `${name} ${outcome} ${target}`,
    ),
  );
};

/** Each n-th step or group of steps is deleted. */
const EVERY = Math.max(1, Math.round(4 / rounds(1)));

describe.each(shippedFiles)('a step deleted from %s', (file) => {
  it('causes no error and leaves no way without target, whichever target is chosen', () => {
    const text = textOf(file);
    const before = errorsIn(text, pathOf(file));
    const names = graphIn(text).steps.map(({ name }) => name);
    const groups = [
      ...names.map((name) => [name]),
      ...names.flatMap((_, index) => (index % 3 === 0 ? [names.slice(index, index + 3)] : [])),
    ];
    let done = 0;
    for (const steps of groups.filter((_, index) => index % EVERY === 0)) {
      const plan = planDeletion(text, steps, language);
      if (isRefusal(plan)) {
        expect(plan.refused).toMatch(/reads the result of|begins with a step|at least one step/);
        continue;
      }
      for (const { target, lost } of plan.targets) {
        for (const along of lost.length > 0 ? [[], lost] : [[]]) {
          const found = deleteSteps(text, { steps, to: target, along, language });
          if (isRefusal(found)) {
            expect(found.refused).toMatch(/reads the result of/);
            continue;
          }
          done += 1;
          made(text, { steps, to: target, along });
          expect(dangling(found.text)).toEqual([]);
          const now = errorsIn(found.text, pathOf(file)).filter((error) => !before.includes(error));
          expect(now, `${steps} to ${target} along ${along}`).toEqual([]);
        }
      }
    }
    expect(done).toBeGreaterThan(0);
  });
});

const MENU = `flow: shop
defaults: { exits: { error: bye } }
start: hello
steps:
  # Says hello.
  hello: { play: Welcome., next: ask }
  ask: # the choice
    menu: { prompt: For bread press 1., choices: { bread: { dtmf: "1" }, cake: { dtmf: "2" } } }
    exits: { bread: bread, cake: cake, exhausted: bye }
  bread: { play: The bread is ready., next: bye }
  cake: { play: There is no cake., next: bye }
  # Ends it.
  bye: { hangup: normal }
`;

describe('a deletion', () => {
  it('offers the targets of a menu with the steps that each of them loses', () => {
    expect(planDeletion(MENU, ['ask'], language)).toEqual({
      steps: ['ask'],
      targets: [
        { target: 'bread', lost: ['cake'] },
        { target: 'cake', lost: ['bread'] },
        { target: 'bye', lost: ['bread', 'cake'] },
      ],
    });
  });

  it('offers the target of the success first', () => {
    const text = MENU.replace(
      '{ play: Welcome., next: ask }',
      '{ collect: { prompt: Well?, digits: 4 }, exits: { exhausted: bye, digits: ask } }',
    );
    expect(planDeletion(text, ['hello'], language)).toMatchObject({ targets: [{ target: 'ask' }, { target: 'bye' }] });
  });

  it('makes the successor of the first step the first', () => {
    expect(made(MENU, { steps: ['hello'] }).text).toContain('start: ask\n');
    expect(made(MENU, { steps: ['hello'] }).text).not.toContain('Says hello');
    expect(made(MENU, { steps: ['hello'] }).text).toContain('# Ends it.');
  });

  it('leads routes to the last step to the end', () => {
    const { text } = made(MENU, { steps: ['bye'] });
    expect(text).toContain('error: $end');
    expect(text).toContain('exits: { bread: bread, cake: cake, exhausted: $end }');
  });

  it('bounds a loop whose bound it deletes', () => {
    const loop = `flow: loop
start: ask
steps:
  ask:
    menu: { prompt: Press 1., choices: { one: { dtmf: "1" } } }
    exits: { one: again, exhausted: $end, error: $end }
  again: { play: Again., max_visits: 3, next: ask, exits: { limit: $end, error: $end } }
`;
    const { text, bounds } = made(loop, { steps: ['again'], to: 'ask' });
    expect(bounds).toEqual([{ step: 'ask', visits: 5, limit: '$end' }]);
    expect(text).toContain('max_visits: 5');
    expect(errorsIn(text, 'loop.flow.yaml')).toEqual([]);
  });

  it('is refused if another step reads the result, unless that is deleted, too', () => {
    const text = `flow: t
start: ask
steps:
  ask: { collect: { prompt: Well?, digits: 4 }, exits: { digits: say, exhausted: bye } }
  say: { play: "\${ steps.ask.digits }", next: bye }
  bye: { hangup: normal }
`;
    expect(planDeletion(text, ['ask'], language)).toMatchObject({ refused: 'say reads the result of ask' });
    expect(planDeletion(text, ['ask', 'say'], language)).toMatchObject({ targets: [{ target: 'bye' }] });
  });

  it('is refused for all steps', () => {
    const all = ['hello', 'ask', 'bread', 'cake', 'bye'];
    expect(deleteSteps(MENU, { steps: all, language })).toMatchObject({ refused: 'A flow has at least one step' });
  });
});
