/** Calls that end without a prompt after a question was given up, or after a queue or conference did not accept the caller. */
import { describe, expect, it } from 'vitest';
import { brief, check } from '../check-flow.ts';
import { findings, seeded } from './seeded.ts';

const PATIENT = 'exits: { collected: look_up, exhausted: message, limit: message }';
const WARD = 'exits: { heart: by_insurance, bone: by_insurance, exhausted: message }';
const WELCOME = '  welcome: { en-US: Welcome to the clinic. }\n';
const GREET = '  greet: { play: welcome, next: opening }';

describe('questions that are given up', () => {
  seeded('silent-end?', [
    [PATIENT, 'exits: { collected: look_up, «exhausted: bye, limit: message }'],
    [PATIENT, 'exits: { collected: look_up, «exhausted: $end, limit: message }'],
    [PATIENT, 'exits: { collected: look_up, «exhausted: report, limit: message }'],
    [WARD, 'exits: { heart: by_insurance, bone: by_insurance, «exhausted.no_input: bye, exhausted.no_match: message }'],
    [WARD, 'exits: { heart: by_insurance, bone: by_insurance, exhausted.no_input: message, «exhausted.no_match: bye }'],
    [WARD, 'exits: { heart: by_insurance, bone: by_insurance, «exhausted.no_input: bye, exhausted.no_match: $end }'],
    [WARD, 'exits: { heart: by_insurance, bone: by_insurance, «exhausted: busy }\n  busy: { hangup: busy }'],
    [
      PATIENT,
      'exits: { collected: look_up, limit: message }',
      WARD,
      'exits: { heart: by_insurance, bone: by_insurance }',
      'exits: { error: apologise }',
      'exits: { error: apologise, «exhausted: bye }',
    ],
    ['exits: { recorded: thanks, silence: thanks }', 'exits: { recorded: thanks, «silence: report }'],
    [
      WELCOME,
      '',
      GREET,
      '  greet: { menu: { each: "${ [1, 2] }", say: "For ${ item } press ${ key }.", more: "9", say_more: broken }, exits: { chosen: opening, «empty: bye, exhausted: bye } }',
    ],
    [
      WELCOME,
      '',
      GREET,
      '  greet: { assistant: { agent: desk, instructions: Open the door., tools: { opened: { description: The door is open. } }, limits: { turns: 5 } }, exits: { opened: opening, done: message, «limit: bye } }',
    ],
  ]);
});

describe('callers who are not connected', () => {
  seeded('silent-end?', [
    [
      WELCOME,
      '',
      GREET,
      '  greet: { queue: { name: desk, agents: ["user:anna"], timeout: 5m }, exits: { dequeued: opening, «full: bye, timeout: bye } }',
    ],
    [
      WELCOME,
      '',
      GREET,
      '  greet: { queue: { name: desk }, exits: { dequeued: opening, full: message, «no_agents: bye } }',
    ],
    [
      GREET,
      '  greet: { queue: { name: desk, agents: ["user:anna"] }, exits: { dequeued: bye, «full: bye } }\n  again: { play: welcome, next: opening }',
      'events: { hangup: report }',
      'events: { hangup: report, dtmf.0: again }',
    ],
    [
      WELCOME,
      '',
      GREET,
      '  greet: { conference: { name: ward }, exits: { left: opening, ended: opening, «full: bye } }',
    ],
  ]);
});

const ASK = 'menu: { prompt: ask, choices: { sales: { dtmf: "1" } }, no_input: [ask], no_match: [ask] }';
const around = (steps: string, more = ''): string => `flow: a
defaults: { exits: { error: bye } }
prompts: { ask: For sales press 1. }
start: ask
steps:
  ask: ${steps}
  bye: { hangup: normal }
${more}`;

it.each([
  ['plays a goodbye', `{ ${ASK}, exits: { sales: said, exhausted: said } }\n  said: { play: ask, next: bye }`],
  [
    'plays a goodbye after a report',
    `{ ${ASK}, exits: { sales: said, exhausted: noted } }\n  noted: { log: given up, next: said }\n  said: { play: ask, next: bye }`,
  ],
  [
    'transfers the caller',
    `{ ${ASK}, exits: { sales: said, exhausted: desk } }\n  desk: { transfer: { to: "user:anna" }, exits: { transferred: bye, returned: bye, failed: bye } }\n  said: { play: ask, next: bye }`,
  ],
  [
    'records a message',
    `{ ${ASK}, exits: { sales: said, exhausted: kept } }\n  kept: { record: { prompt: "Please speak, which we record." }, exits: { recorded: bye, silence: bye } }\n  said: { play: ask, next: bye }`,
  ],
  [
    'continues with another flow',
    `{ ${ASK}, exits: { sales: said, exhausted: more } }\n  more: { continue: b }\n  said: { play: ask, next: bye }`,
    'flows: { b: { start: end, steps: { end: { play: "The end is here.", exits: { done: $end, error: $end } } } } }\n',
  ],
  ['ends in silence in each case', `{ ${ASK}, exits: { sales: told, exhausted: bye } }\n  told: { log: x, next: bye }`],
  ['asks again or ends in silence', `{ ${ASK}, max_visits: 2, exits: { sales: ask, exhausted: bye, limit: bye } }`],
])('accepts a question that %s when it is given up', (_name, steps, more = '') => {
  expect(brief(check(around(steps, more)).diagnostics)).toEqual([]);
});

it('accepts a flow that returns to its caller', () => {
  const text = around(
    '{ subflow: pin, exits: { right: said, given_up: said } }\n  said: { play: ask, next: bye }',
    `flows:
  pin:
    start: pin
    prompts: { pin: Enter your PIN. }
    steps:
      pin: { collect: { prompt: pin, digits: { length: 4 }, no_input: [pin], no_match: [pin] }, exits: { collected: thanks, exhausted: none, error: none } }
      thanks: { play: "Thank you.", exits: { done: right, error: right } }
      right: { return: right }
      none: { return: given_up }
`,
  );
  expect(findings(text)).toEqual([]);
});
