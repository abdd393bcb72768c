/** Renames inside of local flows, and of local flows, schedules and sections: the exact bytes of flows and tests. */
import { describe, expect, it } from 'vitest';
import { graphLanguageOf } from '../../../src/language/flow/graph-language.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import {
  type Renamed,
  renameInCaller,
  renameInFlow,
  renameInTest,
} from '../../../src/pages/studio/web/renames/renamed.ts';
import { verbs } from '../../../src/verbs/steps.ts';

const LANGUAGE = graphLanguageOf(verbs);

const FLOW = `flow: shop
start: pin
vars: { code: { type: string, default: "" } }
prompts: { sorry: Sorry. } # shared
schedules:
  office: { timezone: Europe/Paris, hours: { mon-fri: 9:00-17:00 } }
flows:
  # Asks for the PIN.
  ask_pin:
    start: ask
    input: { length: { type: integer } }
    vars: { tries: { type: integer, default: 0 } }
    prompts: { ask: "Your PIN, please." }
    properties: { once: { never: menu.again } }
    steps:
      ask:
        collect: { prompt: ask, digits: { length: "\${ input.length }" } }
        section: Door
        set: { tries: "\${ vars.tries + 1 }" }
        exits: { collected: menu, exhausted: out }
      menu:
        menu: { prompt: [sorry, "\${ steps.ask.digits }"], choices: { again: { dtmf: "1" } } }
        section: Door
        exits: { again: ask, exhausted: out }
      hours: { schedule: office, exits: { open: out, closed: out } }
      out: { return: done }
  other:
    start: hours
    schedules: { office: { timezone: Europe/Paris, hours: { sat: 9:00-12:00 } } }
    steps:
      hours: { schedule: office, exits: { open: $end, closed: $end } }
steps:
  pin: { subflow: { flow: ask_pin, input: { length: 4 } }, section: Door, next: again, exits: { error: end } }
  again: { subflow: { flow: shop/ask_pin, input: { length: 6 } }, section: Door, next: hours, exits: { error: end } }
  hours: { schedule: office, exits: { open: end, closed: end } }
  end: { hangup: normal }
`;
const TEST = `flow: shop
test: it asks
mocks: { shop/ask_pin/menu: [timeout, again] }
expect:
  path: [pin, shop/ask_pin/ask, shop/ask_pin/menu]
  outcomes: { shop/ask_pin/menu: again }
  reached: { shop/ask_pin/menu.again: 3s }
`;
const OWN_TEST = `flow: shop/ask_pin
input: { length: 4 }
script: [{ hear: ask }]
expect: { path: [ask, menu], vars: { tries: 1 } }
`;
const CALLER = `flow: door
start: call
steps:
  call: { subflow: { flow: shop/ask_pin, input: { length: 4 } }, next: $end, exits: { error: $end } }
`;

const inPin = { within: 'ask_pin' };
const all = (text: string, ...pairs: [RegExp, string][]): string =>
  pairs.reduce((made, [pattern, to]) => made.replaceAll(pattern, to), text);
/** The part of the flow from one line to the next one of a key, changed. */
const changedIn = (text: string, from: string, to: string, ...pairs: [RegExp, string][]): string => {
  const [start, end] = [text.indexOf(from), text.indexOf(to)];
  return text.slice(0, start) + all(text.slice(start, end), ...pairs) + text.slice(end);
};
const inLocal = (...pairs: [RegExp, string][]): string => changedIn(FLOW, '  ask_pin:', '  other:', ...pairs);

const CASES: [what: string, renamed: Renamed, flow: string, test: string, own: string, caller: string][] = [
  [
    'a step of a local flow',
    { kind: 'step', from: 'ask', to: 'question', ...inPin },
    inLocal(
      [/start: ask$/gm, 'start: question'],
      [/^ {6}ask:/gm, '      question:'],
      [/steps\.ask/g, 'steps.question'],
      [/again: ask,/g, 'again: question,'],
    ),
    all(TEST, [/ask_pin\/ask/g, 'ask_pin/question']),
    all(OWN_TEST, [/\[ask,/g, '[question,']),
    CALLER,
  ],
  [
    'a step of a local flow with an outcome in a test',
    { kind: 'step', from: 'menu', to: 'choose', ...inPin },
    inLocal(
      [/collected: menu/g, 'collected: choose'],
      [/^ {6}menu:/gm, '      choose:'],
      [/never: menu/g, 'never: choose'],
    ),
    all(TEST, [/ask_pin\/menu/g, 'ask_pin/choose']),
    all(OWN_TEST, [/, menu\]/g, ', choose]']),
    CALLER,
  ],
  [
    'a variable of a local flow',
    { kind: 'variable', from: 'tries', to: 'attempts', ...inPin },
    inLocal([/tries/g, 'attempts']),
    TEST,
    all(OWN_TEST, [/tries/g, 'attempts']),
    CALLER,
  ],
  [
    'an input of a local flow',
    { kind: 'input', from: 'length', to: 'digits', ...inPin },
    all(
      FLOW,
      [/length: \{ type/g, 'digits: { type'],
      [/input\.length/g, 'input.digits'],
      [/input: \{ length/g, 'input: { digits'],
    ),
    TEST,
    all(OWN_TEST, [/length/g, 'digits']),
    all(CALLER, [/length/g, 'digits']),
  ],
  [
    'a prompt of a local flow',
    { kind: 'prompt', from: 'ask', to: 'please', ...inPin },
    inLocal([/prompts: \{ ask/g, 'prompts: { please'], [/prompt: ask/g, 'prompt: please']),
    TEST,
    all(OWN_TEST, [/hear: ask/g, 'hear: please']),
    CALLER,
  ],
  [
    'a choice of a local flow',
    { kind: 'choice', step: 'menu', from: 'again', to: 'retry', ...inPin },
    inLocal([/again/g, 'retry']),
    all(TEST, [/again/g, 'retry']),
    OWN_TEST,
    CALLER,
  ],
  [
    'a local flow',
    { kind: 'flow', from: 'ask_pin', to: 'pin-entry' },
    all(FLOW, [/ask_pin/g, 'pin-entry']),
    all(TEST, [/ask_pin/g, 'pin-entry']),
    all(OWN_TEST, [/ask_pin/g, 'pin-entry']),
    all(CALLER, [/ask_pin/g, 'pin-entry']),
  ],
  [
    'a schedule, also in the local flows that use it',
    { kind: 'schedule', from: 'office', to: 'shop hours' },
    changedIn(FLOW, 'schedules:', '  other:', [/office/g, 'shop hours']).replace(
      '  hours: { schedule: office, exits: { open: end',
      '  hours: { schedule: shop hours, exits: { open: end',
    ),
    TEST,
    OWN_TEST,
    CALLER,
  ],
  [
    'a schedule of a local flow',
    { kind: 'schedule', from: 'office', to: 'sat', within: 'other' },
    changedIn(FLOW, '  other:', '\nsteps:', [/office/g, 'sat']),
    TEST,
    OWN_TEST,
    CALLER,
  ],
  [
    'a section of the flow',
    { kind: 'section', from: 'Door', to: 'The entrance' },
    all(FLOW, [/section: Door, next/g, 'section: The entrance, next']),
    TEST,
    OWN_TEST,
    CALLER,
  ],
  [
    'a section of a local flow',
    { kind: 'section', from: 'Door', to: 'PIN', ...inPin },
    all(FLOW, [/section: Door$/gm, 'section: PIN']),
    TEST,
    OWN_TEST,
    CALLER,
  ],
];

describe('a rename', () => {
  it.each(CASES)(
    'changes every place of %s and nothing else, and is undone',
    (_what, renamed, flow, test, own, caller) => {
      for (const [before, after, edits] of [
        [FLOW, flow, renameInFlow(FLOW, 'shop', renamed, LANGUAGE)],
        [TEST, test, renameInTest(TEST, 'shop', renamed, LANGUAGE)],
        [OWN_TEST, own, renameInTest(OWN_TEST, 'shop', renamed, LANGUAGE)],
        [CALLER, caller, renameInCaller(CALLER, 'shop', renamed, LANGUAGE)],
      ] as const) {
        if (isRefusal(edits)) throw new Error(edits.refused);
        const made = applyEdits(before, edits);
        expect(made).toBe(after);
        expect(applyEdits(made, inverseOf(before, edits))).toBe(before);
      }
    },
  );

  it.each<[Renamed, string]>([
    [{ kind: 'flow', from: 'ask_pin', to: 'other' }, 'There is a flow other already'],
    [{ kind: 'flow', from: 'ask_pin', to: 'shop' }, 'There is a flow shop already'],
    [{ kind: 'flow', from: 'none', to: 'x' }, 'There is no flow none in this file'],
    [{ kind: 'flow', from: 'ask_pin', to: 'a b' }, '"a b" is not a name for a flow'],
    [{ kind: 'schedule', from: 'none', to: 'x' }, 'There is no schedule none'],
    [{ kind: 'schedule', from: 'office', to: ' ' }, '" " is not a name for a schedule'],
    [{ kind: 'section', from: 'None', to: 'x' }, 'There is no section None'],
    [{ kind: 'section', from: 'Door', to: 'x'.repeat(61) }, `"${'x'.repeat(61)}" is not a title for a section`],
    [{ kind: 'step', from: 'ask', to: 'menu', within: 'ask_pin' }, 'There is a step menu already'],
  ])('refuses the change %j', (renamed, refused) => {
    expect(renameInFlow(FLOW, 'shop', renamed, LANGUAGE)).toMatchObject({ refused });
  });
});
