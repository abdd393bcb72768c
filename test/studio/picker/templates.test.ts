/** Templates of several steps: checked, called, and inserted at the exits of the flows that are shipped. */
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import { languageOf } from '../../../src/language/flow/language.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { asksOf } from '../../../src/pages/studio/web/picker/answers.ts';
import { listedTemplates } from '../../../src/pages/studio/web/picker/search-steps.ts';
import { sectionsFor } from '../../../src/pages/studio/web/picker/sections.ts';
import type { ExitRef } from '../../../src/pages/studio/web/text/edit.ts';
import { type InsertedTemplate, insertTemplate } from '../../../src/pages/studio/web/text/insert-template.ts';
import { readTemplate, type StepTemplate } from '../../../src/pages/studio/web/text/step-template.ts';
import { loadScenario, playScenario } from '../../../src/proof/testkit/index.ts';
import { verbs as specs } from '../../../src/verbs/steps.ts';
import { rounds } from '../../rounds.ts';
import { documentIn, graphIn, pathOf, shippedFiles, textOf } from '../graph/flows.ts';

const language = languageOf(specs).verbs;
const files = shippedFiles.filter((file) => file.startsWith('flows/templates/'));
const templates = files.map((file) => readTemplate(textOf(file), language)!);
const named = (name: string): StepTemplate => templates.find((template) => template.name === name)!;

const problemsIn = (text: string, file: string) => compileFlow(text, pathOf(file), specs, {}).diagnostics;
const errorsIn = (text: string, file: string): string[] =>
  problemsIn(text, file).flatMap(({ severity, code, message }) => (severity === 'error' ? `${code}: ${message}` : []));

/** Answers of a person, by the kind of the asked part or by question. */
const answersTo = (template: StepTemplate): string[] =>
  template.asks.map(({ question, value, hint }) => {
    if (question.startsWith('At which address')) return 'https://a.example/x';
    return question.startsWith('Whom') ? 'user:bob' : (value ?? (hint === '49.90' ? hint : 'support'));
  });

function inserted(text: string, template: StepTemplate, at: ExitRef | undefined): InsertedTemplate {
  const answers = answersTo(template);
  const made = insertTemplate(text, { template, answers, at, title: template.name, language, flow: 'shop' });
  if (isRefusal(made)) throw new Error(`${template.name}: ${made.refused}: ${made.hint}`);
  expect(applyEdits(text, made.edits)).toBe(made.text);
  expect(applyEdits(made.text, inverseOf(text, made.edits))).toBe(text);
  return made;
}

const stepsIn = (text: string) =>
  (documentIn(text) as { steps: Record<string, { section?: string; next?: string; exits?: Record<string, string> }> })
    .steps;

describe.each(files)('the template %s', (file) => {
  it('has no error and no warning', () => {
    expect(problemsIn(textOf(file), file)).toEqual([]);
  });

  it('has a name and a sentence, and asks for values that it has', () => {
    const { name, sentence, asks } = readTemplate(textOf(file), language)!;
    expect(name.length).toBeLessThanOrEqual(40);
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    for (const { at } of asks) {
      const value = at
        .split('/')
        .slice(1)
        .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], documentIn(textOf(file)));
      expect(['string', 'number']).toContain(typeof value);
    }
  });
});

/** A call of each template in the usual case. */
const CALLS: Readonly<Record<string, string>> = {
  'Greeting and menu': `
script: [{ hear: "To hear our opening hours" }, { press: "2" }, { hear: "12 Main Street" }, { hear: goodbye }]
expect: { path: [greeting, menu, address, goodbye] }`,
  'Menu with voicemail': `
mocks: { bridge: { user:reception: no_answer } }
script:
  - { hear: "To talk to us" }
  - { press: "1" }
  - { hear: "Nobody can take your call" }
  - { hear: beep }
  - { speak: 5s }
  - { press: "#" }
  - { hear: "We will call you back." }
expect:
  path: [menu, connect, nobody, leave_message, tell_us, thanks, goodbye]
  notified: [{ event: voicemail.left }]`,
  'Opening hours': `
at: 2026-12-05T12:00:00+01:00
script: [{ hear: "We are closed now" }]
expect: { path: [are_we_open, closed, end_call] }`,
  'Ask for a PIN': `
mocks: { check_pin: [{ status: 404 }, { status: 200 }] }
script:
  - { hear: "Please enter your PIN" }
  - { press: "1111" }
  - { hear: "That PIN is not right." }
  - { hear: "Please enter your PIN" }
  - { press: "2222" }
  - { hear: "Your PIN is right" }
expect:
  path: [ask_pin, check_pin, wrong_pin, ask_pin, check_pin, welcome]
  never: { trace_contains: ["1111", "2222"] }`,
  'Find the caller': `
mocks: { find_caller: { status: 200, body: { name: Ann } } }
script: [{ hear: "Hello Ann." }]
expect: { path: [find_caller, greet_by_name, goodbye] }`,
  'AI agent with hand-over': `
mocks:
  talk: { agent: [{ say: Good morning. }, { call: human }] }
  bridge: { user:reception: { talk: 10s } }
script: [{ hear: Good morning }, { hear: I will connect you }]
expect: { path: [talk, hand_over, connect, goodbye] }`,
  'Waiting line with callback': `
script: [{ hear: "press 2 and we will call you back" }, { hear: hold_music }, { wait: 3s }, { press: "2" }, { hear: "when it is your turn" }]
expect: { path: [offer, wait, promised, end_call] }`,
  'Ring several, then voicemail': `
mocks: { bridge: { user:alice: no_answer, user:bob: { talk: 10s } } }
expect: { path: [moment, ring, goodbye], dialled: [user:alice, user:bob] }`,
  'Language choice': `
script: [{ hear: "For English" }, { press: "2" }, { hear: "Merci de votre appel" }]
expect: { path: [choose_language, welcome] }`,
  'Survey of 3 questions': `
script:
  - { hear: "How was our service?" }
  - { press: "5" }
  - { hear: "prices" }
  - { press: "4" }
  - { hear: "recommend us" }
  - { press: "3" }
  - { hear: "Thank you for your answers." }
expect: { notified: [{ event: survey.answered, body: { service: 5, price: 4, recommend: 3 } }] }`,
  'Take a payment': `
script: [{ hear: "Press star to cancel" }, { press: "42424242424242421230123" }, { hear: "Your payment was successful." }]
expect: { path: [announce, pay, thanks, goodbye] }`,
  'Reminder: confirm or cancel': `
script: [{ hear: "To confirm, press 1" }, { press: "2" }, { hear: "Your appointment is cancelled" }]
expect: { notified: [{ event: appointment.cancelled }] }`,
};

describe('a call of a template', () => {
  it.each(templates.map(({ name, text }) => [name, text]))('leads the caller through %s', async (name, text) => {
    const { flow } = compileFlow(text, pathOf('flows/templates/template.flow.yaml'), specs, {});
    const file = '/templates.test.yaml';
    const { scenario, diagnostics } = loadScenario(`test: a call\nflow: ${flow!.name}${CALLS[name]}\n`, file);
    expect(diagnostics).toEqual([]);
    const report = await playScenario(scenario!, flow!);
    expect(report.failures).toEqual([]);
  });
});

/** Each n-th exit gets a template, the next one each time. With many rounds, each exit gets each template. */
const EVERY = Math.max(1, Math.round((4 * templates.length) / rounds(1)));

describe.each(shippedFiles)('a template inserted in %s', (file) => {
  it('causes no error, and is undone to the byte', () => {
    const text = textOf(file);
    const before = errorsIn(text, file);
    const ways = graphIn(text).steps.flatMap(({ name: step, exits }) =>
      exits.flatMap(({ outcome }) => (outcome.endsWith('*') ? [] : { step, outcome })),
    );
    for (const [index, at] of ways.entries()) {
      for (const template of templates.filter((_, place) => (place + index) % EVERY === 0)) {
        const made = inserted(text, template, at);
        const after = errorsIn(made.text, file).filter((error) => !before.includes(error));
        expect(after, `${template.name} at ${at.step} ${at.outcome}`).toEqual([]);
      }
    }
  });
});

const SHOP = `flow: shop
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: Welcome to our shop., next: bye }
  bye: { play: Thank you. Goodbye., next: $end }
`;

describe('an inserted template', () => {
  const menu = named('Menu with voicemail');

  it('is one group between the two steps, without its own goodbye', () => {
    const made = inserted(SHOP, menu, { step: 'hello', outcome: 'done' });
    const steps = stepsIn(made.text);
    expect(steps['hello']!.next).toBe(made.entry);
    const own = [...made.names.values()];
    expect(own.map((name) => steps[name]!.section)).toEqual(own.map(() => 'Menu with voicemail'));
    expect(own).not.toContain('goodbye');
    expect(steps['thanks']!.next).toBe('bye');
    expect(steps['connect']).toMatchObject({ bridge: { to: 'user:bob' }, exits: { completed: 'bye' } });
  });

  it('says goodbye where the flow ends', () => {
    const steps = stepsIn(inserted(SHOP, menu, { step: 'bye', outcome: 'done' }).text);
    expect(steps['thanks']!.next).toBe('goodbye');
    expect(steps['goodbye']!.next).toBe('$end');
  });

  it('is a second group with names of its own when it is inserted again', () => {
    const once = inserted(SHOP, menu, { step: 'hello', outcome: 'done' }).text;
    const twice = inserted(once, menu, { step: 'hello', outcome: 'done' });
    expect(stepsIn(twice.text)[twice.entry]!.section).toBe('Menu with voicemail 2');
    expect(errorsIn(twice.text, 'flows/shop.flow.yaml')).toEqual([]);
  });

  it('leaves words as placeholders in a language that has none', () => {
    const french = SHOP.replace('defaults: { ', 'defaults: { locale: fr-FR, ');
    const steps = stepsIn(inserted(french, menu, { step: 'hello', outcome: 'done' }).text);
    expect(steps['menu']).toMatchObject({
      menu: {
        prompt: '[To talk to us, press 1. To leave a message, press 2.]',
        no_input: 'Je ne vous ai pas entendu.',
      },
    });
  });

  it.each(['', 'flow: shop\nsteps: {}\n'])('makes a sound flow of the text %j', (text) => {
    for (const template of templates) {
      const made = inserted(text, template, undefined);
      expect(errorsIn(made.text, 'flows/shop.flow.yaml'), template.name).toEqual([]);
      expect((documentIn(made.text) as { start: string }).start).toBe(made.entry);
    }
  });
});

describe('templates in the list of steps', () => {
  const source = { verbs: language, suggested: [], recent: [], uses: new Map([['play', 1]]), templates };

  it('are the last group, in the order of their names', () => {
    const last = sectionsFor('', source).at(-1)!;
    expect(last.id).toBe('templates');
    expect(last.items).toHaveLength(12);
    expect(last.items[0]!.name).toBe('AI agent with hand-over');
  });

  it('are found after the steps: voicemail finds both', () => {
    const [steps, several] = sectionsFor('voicemail', source);
    expect(steps!.items[0]!.verb).toBe('record');
    expect(several!.items.map(({ name }) => name)).toEqual(['Menu with voicemail', 'Ring several, then voicemail']);
  });

  it('proposes parties, queues and flows as the steps do', () => {
    const kinds = (name: string) => asksOf(listedTemplates([named(name)])[0]!, language).map(({ kind }) => kind);
    expect(kinds('Ring several, then voicemail')).toEqual(['party', 'party']);
    expect(kinds('Waiting line with callback')).toEqual(['queue', 'flow']);
  });
});
