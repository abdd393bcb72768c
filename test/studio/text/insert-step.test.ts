/** A step of each verb, inserted at the exits of the flows that are shipped. */
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import { languageOf } from '../../../src/language/flow/language.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { openText } from '../../../src/language/flow/text/flow-source.ts';
import { SMALLEST } from '../../../src/pages/studio/web/flows/templates.ts';
import { type Inserted, type Insertion, insertStep } from '../../../src/pages/studio/web/text/insert-step.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { rounds } from '../../rounds.ts';
import { graphIn, pathOf, shippedFiles, textOf } from '../graph/flows.ts';
import { argumentsOf } from './first-answers.ts';
import { manners } from './manners.ts';

const language = languageOf(verbs).verbs;
const names = Object.keys(language);

const errorsIn = (text: string, file: string): string[] =>
  compileFlow(text, file, verbs, {}).diagnostics.flatMap(({ severity, code, message }) =>
    severity === 'error' ? `${code}: ${message}` : [],
  );

function inserted(text: string, insertion: Omit<Insertion, 'language'>): Inserted & { text: string } {
  const made = insertStep(text, { ...insertion, language });
  if (isRefusal(made)) throw new Error(`${made.refused}: ${made.hint}`);
  return { ...made, text: applyEdits(text, made.edits) };
}

/** Each exit gets every n-th verb, so that each verb is inserted at many exits. */
const EVERY = Math.max(1, Math.round(44 / rounds(1)));

describe.each(shippedFiles)('a step inserted in %s', (file) => {
  it('causes no error, and is undone to the byte', () => {
    const text = textOf(file);
    const before = errorsIn(text, pathOf(file));
    const graph = graphIn(text);
    const ways = graph.steps.flatMap(({ name: step, exits }) =>
      exits.flatMap(({ outcome }) => (outcome.endsWith('*') ? [] : { step, outcome })),
    );
    for (const [index, at] of ways.entries()) {
      for (const verb of names.filter((_, place) => (place + index) % EVERY === 0)) {
        const made = inserted(text, { verb, args: argumentsOf(verb, graph.start!), at });
        const after = errorsIn(made.text, pathOf(file)).filter((error) => !before.includes(error));
        // The check refuses a flow with a step to do.
        expect(after.filter((error) => verb !== 'todo' || !error.startsWith('todo:'))).toEqual([]);
        expect(applyEdits(made.text, inverseOf(text, made.edits))).toBe(text);
      }
    }
  });
});

describe('a first step', () => {
  it.each(names.filter((verb) => verb !== 'todo' && verb !== 'repeat'))(
    'makes a sound flow with the verb %s',
    (verb) => {
      const made = inserted('', { verb, args: argumentsOf(verb, ''), flow: 'new' });
      expect(errorsIn(made.text, '/flows/new.flow.yaml')).toEqual([]);
    },
  );

  it.each(['flow: new\n', 'flow: new\nsteps: {}\n', 'flow: new\nsteps:\n', 'flow: new\nstart: x\nsteps: {}\n'])(
    'goes into the text %j',
    (text) => {
      const made = inserted(text, { verb: 'play', args: '[What should be said?]' });
      expect(errorsIn(made.text, '/flows/new.flow.yaml')).toEqual([]);
      expect(applyEdits(made.text, inverseOf(text, made.edits))).toBe(text);
    },
  );
});

const FLOW = `flow: t
defaults: { exits: { error: sorry } }
start: ask
steps:
  ask:
    menu: { prompt: "Press 1 or 2.", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }
    exits: { one: bye, two: $end, exhausted: sorry }
  sorry: { play: "That did not work.", next: bye }
  bye: { hangup: normal }
`;

describe('an inserted step', () => {
  const stepIn = (text: string, step: string): unknown => {
    const read = openText(text);
    return isRefusal(read) ? read : (read.value['steps'] as Record<string, unknown>)[step];
  };

  it('leads the success to the previous target, and failures to where the flow leads them', () => {
    const made = inserted(FLOW, { verb: 'bridge', args: 'user:bob', at: { step: 'ask', outcome: 'one' } });
    expect(stepIn(made.text, 'bridge')).toEqual({ bridge: 'user:bob', next: 'bye', exits: { failed: 'sorry' } });
    expect(stepIn(made.text, 'ask')).toMatchObject({ exits: { one: 'bridge', two: '$end', exhausted: 'sorry' } });
    expect(made).toMatchObject({ name: 'bridge', next: 'bye' });
  });

  it('leads the choices of a menu to the previous target, and a silent caller to where others lead', () => {
    const args = argumentsOf('menu', '');
    const made = inserted(FLOW, { verb: 'menu', args, at: { step: 'ask', outcome: 'two' } });
    expect(stepIn(made.text, 'menu')).toMatchObject({ exits: { first: '$end', second: '$end', exhausted: 'sorry' } });
  });

  it.each([
    ['en-US', 'I did not hear you.'],
    ['de-DE', 'Ich habe nichts gehört.'],
    ['pt-BR', '[I did not hear you.]'],
  ])('answers a silent caller in the language of the flow, %s', (locale, words) => {
    const text = FLOW.replace('defaults: { ', `defaults: { locale: ${locale}, `);
    const made = inserted(text, { verb: 'menu', args: argumentsOf('menu', ''), at: { step: 'ask', outcome: 'one' } });
    expect(stepIn(made.text, 'menu')).toMatchObject({ menu: { no_input: words } });
  });

  it('leaves the answers to mistakes to the defaults of the flow', () => {
    const text = FLOW.replace('defaults: { ', 'defaults: { input: { no_input: "Hello?", no_match: "Again." }, ');
    const made = inserted(text, { verb: 'menu', args: argumentsOf('menu', ''), at: { step: 'ask', outcome: 'one' } });
    expect(Object.keys((stepIn(made.text, 'menu') as { menu: object }).menu)).toEqual(['prompt', 'choices']);
  });

  it('leads a question that is given up to a goodbye rather than to a hangup, in the blank template, too', () => {
    const silent = FLOW.replace('exhausted: sorry', 'exhausted: bye');
    const made = inserted(silent, { verb: 'menu', args: argumentsOf('menu', ''), at: { step: 'ask', outcome: 'one' } });
    expect(stepIn(made.text, 'menu')).toMatchObject({ exits: { exhausted: 'sorry' } });
    const args = argumentsOf('menu', '');
    const menu = inserted(SMALLEST, { verb: 'menu', args, at: { step: 'hello', outcome: 'done' } });
    const said = inserted(menu.text, { verb: 'play', args: 'It rains.', at: { step: 'menu', outcome: 'first' } });
    const { diagnostics } = compileFlow(said.text, '/flows/new.flow.yaml', verbs, {});
    expect(diagnostics.map(({ code }) => code).filter((code) => code.startsWith('silent'))).toEqual([]);
    expect(stepIn(said.text, 'menu')).toMatchObject({ exits: { exhausted: 'bye' } });
  });

  it('leads the cases of a branch on, in its arguments', () => {
    const args = argumentsOf('branch', '');
    const made = inserted(FLOW, { verb: 'branch', args, at: { step: 'ask', outcome: 'one' } });
    expect(stepIn(made.text, 'branch')).toEqual({
      branch: [{ when: "call.from = '1'", next: 'bye' }, { else: 'bye' }],
    });
  });

  it('leads closed hours to where failures go, and open ones on', () => {
    const args = argumentsOf('schedule', '');
    const made = inserted(FLOW, { verb: 'schedule', args, at: { step: 'ask', outcome: 'one' } });
    expect(stepIn(made.text, 'schedule')).toMatchObject({ exits: { open: 'bye', closed: 'sorry', holiday: 'sorry' } });
  });

  it('never leads a failure back to the step, because that would be a loop', () => {
    const again = FLOW.replace('next: bye }', 'next: ask }').replace('error: sorry', 'error: bye');
    const made = inserted(again, { verb: 'bridge', args: 'user:bob', at: { step: 'ask', outcome: 'one' } });
    expect(stepIn(made.text, 'bridge')).toMatchObject({ exits: { failed: 'bye' } });
  });

  it('leads its own error on, not back to the handling of errors that it follows', () => {
    const text = FLOW.replace('sorry: { play: "That did not work."', 'sorry: { log: failed');
    const made = inserted(text, { verb: 'notify', args: { event: 'x' }, at: { step: 'sorry', outcome: 'done' } });
    expect(stepIn(made.text, 'notify')).toEqual({ notify: { event: 'x' }, next: 'bye', exits: { error: 'bye' } });
    expect(compileFlow(made.text, '/flows/new.flow.yaml', verbs, {}).diagnostics.map(({ code }) => code)).not.toContain(
      'busy-loop',
    );
  });

  it('gives the flow one route for errors, if it has none', () => {
    const without = FLOW.replace('defaults: { exits: { error: sorry } }\n', '')
      .replace('"That', '"[That')
      .replace('next: bye }', 'exits: { done: bye, error: bye } }');
    const made = inserted(without, { verb: 'play', args: 'Hello there.', at: { step: 'sorry', outcome: 'done' } });
    expect(made.broken).toBe('bye');
    expect(made.text).toContain('defaults: { exits: { error: bye } }\n');
  });

  it('declares the variable that it sets', () => {
    const made = inserted(FLOW, { verb: 'set', args: { tier: 'gold', age: 3 }, at: { step: 'ask', outcome: 'one' } });
    expect(openText(made.text)).toMatchObject({
      value: { vars: { tier: { type: 'string' }, age: { type: 'number' } } },
    });
  });

  it('has a name with a counter if the verb is a step already', () => {
    const once = inserted(FLOW, { verb: 'play', args: 'One more.', at: { step: 'ask', outcome: 'one' } });
    const twice = inserted(once.text, { verb: 'play', args: 'And more.', at: { step: 'play', outcome: 'done' } });
    expect([once.name, twice.name]).toEqual(['play', 'play_2']);
  });

  it.each(manners)('is the same in every manner of writing: $name', ({ text }) => {
    const made = inserted(text, { verb: 'bridge', args: 'user:bob', at: { step: 'ask', outcome: 'one' } });
    expect(stepIn(made.text, 'bridge')).toEqual({ bridge: 'user:bob', next: 'first', exits: { failed: 'sorry' } });
  });

  it('is refused after a step that ends the call', () => {
    const made = insertStep(FLOW, { verb: 'play', args: 'Hi.', at: { step: 'bye', outcome: 'done' }, language });
    expect(made).toMatchObject({ refused: expect.stringContaining('ends') });
  });
});
