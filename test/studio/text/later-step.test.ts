/** Steps that are filled in later, and that then become steps of a verb. */
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import { languageOf } from '../../../src/language/flow/language.ts';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { firstArguments } from '../../../src/pages/studio/web/text/first-arguments.ts';
import { insertStep } from '../../../src/pages/studio/web/text/insert-step.ts';
import { verbOfLater } from '../../../src/pages/studio/web/text/later-step.ts';
import { turnStep } from '../../../src/pages/studio/web/text/turn-step.ts';
import { verbs as specs } from '../../../src/verbs/steps.ts';
import { documentIn } from '../graph/flows.ts';
import { argumentsOf } from './first-answers.ts';

const language = languageOf(specs).verbs;
const FLOW = `flow: t
defaults: { exits: { error: sorry } }
start: hello
steps:
  hello: { play: Hello to you., next: bye }
  sorry: { play: That did not work., next: bye }
  bye: { hangup: normal }
`;
const AT = { step: 'hello', outcome: 'done' };
type Steps = Record<string, Record<string, unknown>>;
const stepsIn = (text: string): Steps => (documentIn(text) as { steps: Steps }).steps;
const errorsIn = (text: string): string[] =>
  compileFlow(text, '/flows/t.flow.yaml', specs, {}).diagnostics.flatMap(({ severity, code, message }) =>
    severity === 'error' ? `${code}: ${message}` : [],
  );

function later(verb: string): string {
  const args = firstArguments(language[verb]!);
  const made = insertStep(FLOW, { verb, args, at: AT, language, later: 'Do this' });
  if (isRefusal(made)) throw new Error(made.refused);
  expect(made.name).toBe(verb);
  return applyEdits(FLOW, made.edits);
}

function turned(text: string, step: string, verb = step): string {
  const made = turnStep(text, { step, verb, args: argumentsOf(verb, 'hello'), language });
  if (isRefusal(made)) throw new Error(made.refused);
  return applyEdits(text, made.edits);
}

const asking = Object.keys(language).filter((verb) => verb !== 'todo' && language[verb]!.picker!.asks !== undefined);

describe.each(asking)('a step %s that is filled in later', (verb) => {
  it('has no error but that it is to do, and is a sound step once it is filled in', () => {
    const text = later(verb);
    expect(errorsIn(text)).toEqual(['todo: this step is still to be written: Do this']);
    expect(verbOfLater(stepsIn(text)[verb]!['todo'] as never, language)).toBe(verb);
    const whole = turned(text, verb);
    expect(errorsIn(whole)).toEqual([]);
    expect(stepsIn(whole)[verb]).toHaveProperty(verb);
  });
});

describe('the ways of a step that is filled in later', () => {
  it('are those of the verb that was chosen', () => {
    expect(stepsIn(later('bridge'))['bridge']).toEqual({
      todo: { what: 'Do this', outcomes: ['completed', 'failed'], source: { bridge: {} } },
      exits: { completed: 'bye', failed: 'sorry' },
    });
  });

  it('keeps those that were led elsewhere, with the other keys of the step', () => {
    const text = later('bridge')
      .replace('failed: sorry', 'failed: bye')
      .replace('bridge:\n', 'bridge:\n    label: Desk\n');
    const whole = turned(text, 'bridge');
    expect(stepsIn(whole)['bridge']).toMatchObject({ bridge: '+33612345678', next: 'bye', exits: { failed: 'bye' } });
  });

  it('leads as a new step does if another verb is chosen', () => {
    const whole = turned(later('bridge'), 'bridge', 'pause');
    expect(stepsIn(whole)['bridge']).toMatchObject({ next: 'bye' });
    expect(errorsIn(whole)).toEqual([]);
  });
});
