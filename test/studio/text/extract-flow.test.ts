/** Extraction of steps as a local flow: what is written, what passes between both flows, and what is refused. */
import { describe, expect, it } from 'vitest';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { type Extraction, extractSteps } from '../../../src/language/flow/text/extract-flow.ts';
import { extractInTest } from '../../../src/language/flow/text/extract-in-test.ts';
import { ROOT } from '../../cli/command.ts';
import { errorsIn, LANGUAGE } from './extracted-calls.ts';

const BANK = `flow: bank
vars:
  account: { type: string, default: "" }
  pin: { type: string, sensitive: true } # never said
  balance: { type: number, default: 0 }
defaults:
  exits: { error: bye }
start: hello
steps:
  hello:
    collect: { prompt: Your account?, digits: { length: 4 }, no_input: [Please again.], no_match: [Please again.] }
    set: { account: "\${ result.digits }" }
    exits: { collected: ask_pin, exhausted: bye }

  # Only the bank knows it.
  ask_pin:
    collect: { prompt: Your PIN?, digits: { length: 4 }, no_input: [Please again.], no_match: [Please again.] }
    set: { pin: "\${ result.digits }" }
    exits:
      collected: check_pin # at once
      exhausted: bye
  check_pin:
    request: { post: "https://bank.example/\${ vars.account }", body: { pin: "\${ vars.pin }" } }
    set: { balance: "\${ result.body.balance }" }
    exits: { ok: say, failed: desk }
  say: { play: "You have \${ vars.balance }, as of \${ steps.check_pin.status }.", next: bye }
  desk: { bridge: { to: "user:desk" }, exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;

const extract = (text: string, steps: string[], more: Partial<Extraction> = {}) =>
  extractSteps(text, { steps, name: 'identify', language: LANGUAGE, ...more });

function written(text: string, steps: string[], more: Partial<Extraction> = {}): string {
  const made = extract(text, steps, more);
  if ('problems' in made) throw new Error(JSON.stringify(made));
  return applyEdits(text, made.edits);
}

const problems = (text: string, steps: string[], more: Partial<Extraction> = {}): string[] => {
  const made = extract(text, steps, more);
  return 'problems' in made ? made.problems.map(({ problem }) => problem) : [];
};

const stepsOf = (flow: string, steps: string): string =>
  `flow: f\nvars: { x: { type: string, default: "" }, y: { type: string } }\n${flow}start: a\nsteps:\n${steps}`;

describe('extraction as a local flow', () => {
  it('moves the steps with their comments, and writes inputs, results and ways on', () => {
    const text = written(BANK, ['ask_pin', 'check_pin']);
    expect(text).toMatchInlineSnapshot(`
      "flow: bank
      vars:
        account: { type: string, default: "" }
        balance: { type: number, default: 0 }
      defaults:
        exits: { error: bye }
      start: hello
      steps:
        hello:
          collect: { prompt: Your account?, digits: { length: 4 }, no_input: [Please again.], no_match: [Please again.] }
          set: { account: "\${ result.digits }" }
          exits: { collected: identify, exhausted: bye }

        identify:
          subflow:
            flow: identify
            input: { account: "\${ vars.account }" }
          set: { balance: "\${ result.balance }" }
          exits: { bye: bye, say: say, desk: desk }

        say: { play: "You have \${ vars.balance }, as of \${ steps.identify.check_pin_status }.", next: bye }
        desk: { bridge: { to: "user:desk" }, exits: { completed: bye, failed: bye } }
        bye: { hangup: normal }
      flows:
        identify:
          input:
            account: { type: string, default: "" }
          vars:
            pin: { type: string, sensitive: true } # never said
            balance: { type: number, default: 0 }
          defaults:
            exits: { error: to_bye }
          start: ask_pin
          steps:
            # Only the bank knows it.
            ask_pin:
              collect: { prompt: Your PIN?, digits: { length: 4 }, no_input: [Please again.], no_match: [Please again.] }
              set: { pin: "\${ result.digits }" }
              exits:
                collected: check_pin # at once
                exhausted: to_bye
            check_pin:
              request: { post: "https://bank.example/\${ input.account }", body: { pin: "\${ vars.pin }" } }
              set: { balance: "\${ result.body.balance }" }
              exits: { ok: to_say, failed: to_desk }
            to_bye: { return: { outcome: bye, output: { balance: "\${ vars.balance }" } } }
            to_say:
              return:
                outcome: say
                output: { balance: "\${ vars.balance }", check_pin_status: "\${ steps.check_pin.status }" }
            to_desk: { return: { outcome: desk, output: { balance: "\${ vars.balance }" } } }
      "
    `);
    expect(errorsIn({ file: `${ROOT}/flows/bank.flow.yaml` }, text)).toEqual([]);
  });

  it('uses given names for the ways on', () => {
    const text = written(BANK, ['ask_pin', 'check_pin'], { outcomes: { say: 'known', desk: 'broken' } });
    expect(text).toContain('known: say, broken: desk');
    expect(problems(BANK, ['ask_pin', 'check_pin'], { outcomes: { say: 'same', desk: 'same' } })).toEqual([
      'Two ways on are called same',
    ]);
  });

  it('offers the smallest set of steps with one way in', () => {
    const text = BANK.replace('failed: desk', 'failed: ask_pin');
    expect(extract(text, ['check_pin', 'bye'])).toMatchObject({
      problems: [{ problem: 'There are 2 ways in: check_pin, bye' }],
      closure: ['hello', 'ask_pin', 'check_pin', 'say', 'desk', 'bye'],
    });
  });

  it.each([
    ['a name that is taken', BANK, ['say'], { name: 'bank' }, 'There is a flow bank already'],
    [
      'a step that routes a hang-up',
      stepsOf('', '  a: { play: A., next: b, exits: { hangup: b } }\n  b: { hangup: normal }\n'),
      ['a'],
      {},
      'a handles a hang-up itself',
    ],
    [
      'a count of visits in a loop',
      stepsOf(
        '',
        '  a: { play: A., next: b }\n  b: { play: B., max_visits: 3, next: a, exits: { limit: c } }\n  c: { hangup: normal }\n',
      ),
      ['b'],
      {},
      'b counts its visits, and a loop outside would begin the count again',
    ],
    [
      'a value that is needed after an interrupt',
      stepsOf(
        'events: { dtmf.0: b }\n',
        '  a: { set: { x: "1" }, next: c }\n  c: { play: C., next: b }\n  b: { play: "${ vars.x }", next: d }\n  d: { hangup: normal }\n',
      ),
      ['a', 'c'],
      {},
      'x is set here and needed after dtmf.0',
    ],
    [
      'a variable that may be empty afterwards',
      stepsOf(
        '',
        '  a: { branch: [{ when: "vars.x = \'\'", next: b }, { else: c }] }\n  b: { set: { y: "1" }, next: c }\n  c: { play: "${ vars.y }", next: d }\n  d: { hangup: normal }\n',
      ),
      ['a', 'b'],
      {},
      'The variable y may still be empty after these steps, and is read afterwards',
    ],
    [
      'names that only the call knows',
      stepsOf('', '  a: { play: "${ $lookup(vars, call.from) }", next: b }\n  b: { hangup: normal }\n'),
      ['a'],
      {},
      'a reads values by names that only the call knows',
    ],
    [
      'one of two steps of a conversation',
      stepsOf('', '  a: { hold: {}, next: b }\n  b: { resume: {}, next: c }\n  c: { hangup: normal }\n'),
      ['a'],
      {},
      'a and b belong to one conversation, and only one of them is selected',
    ],
    [
      'a round that only one of two steps takes part in',
      stepsOf(
        '',
        '  a: { play: A., next: b }\n  b: { repeat: { do: a, times: 2 }, exits: { limit: c } }\n  c: { hangup: normal }\n',
      ),
      ['b'],
      {},
      'b repeats a, which is not selected',
    ],
    [
      'steps that a property names',
      stepsOf('properties: { greeted: { always: a } }\n', '  a: { play: A., next: b }\n  b: { hangup: normal }\n'),
      ['a'],
      {},
      'The properties of the flow name a',
    ],
  ])('refuses to extract %s', (_, text, steps, more, problem) => {
    expect(problems(text, steps, more)).toContain(problem);
  });

  it('gives a variable its value, if the steps read it before they set it', () => {
    const flow = stepsOf(
      '',
      '  a: { set: { x: "1" }, next: b }\n  b: { play: "${ vars.x }", set: { x: "2" }, next: c }\n  c: { play: "${ vars.x }", next: d }\n  d: { hangup: normal }\n',
    );
    const text = written(flow, ['b']);
    expect(text).toContain('begin: { set: { x: "${ input.x }" }, next: b }');
    expect(text).toContain('set: { x: "${ result.x }" }');
  });

  it('leaves a return step outside, because it ends the calling flow', () => {
    const flow = stepsOf('', '  a: { play: A., next: b }\n  b: { return: done }\n');
    expect(written(flow, ['a', 'b'])).toContain('b: { return: done }\nflows:');
  });

  it('follows in the path of a test', () => {
    const made = extract(BANK, ['ask_pin', 'check_pin']);
    if ('problems' in made) throw new Error('refused');
    const test = 'test: t\nflow: bank\nexpect:\n  path: [hello, ask_pin, check_pin, say, bye]\n';
    const edits = extractInTest(test, { flow: 'bank', made, runsOthers: false });
    if (isRefusal(edits)) throw new Error(edits.refused);
    const inner = (step: string) => `bank/identify/${step}`;
    const path = ['hello', 'identify', inner('ask_pin'), inner('check_pin'), inner('to_say'), 'say', 'bye'];
    expect(applyEdits(test, edits)).toContain(`path: [${path.join(', ')}]`);
  });
});
