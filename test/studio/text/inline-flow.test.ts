/** Steps of a local flow in the place of the step that runs it: what is written, and what is refused. */
import { describe, expect, it } from 'vitest';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { inlineStep } from '../../../src/language/flow/text/inline-flow.ts';
import { ROOT } from '../../cli/command.ts';
import { errorsIn, LANGUAGE } from './extracted-calls.ts';

const BANK = `flow: bank
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

  # Asks who calls.
  identify:
    subflow: { flow: identify, input: { account: "\${ vars.account }", language: en } }
    set: { balance: "\${ result.balance }" }
    exits: { known: say, unknown: bye }

  say: { play: "You have \${ vars.balance }, as of \${ steps.identify.status }.", next: bye }
  bye: { hangup: normal }
flows:
  identify:
    input:
      account: { type: string, default: "" }
      language: { type: string }
    vars:
      balance: { type: number, default: 0 } # in euros
      pin: { type: string, sensitive: true } # never said
    defaults:
      exits: { error: to_bye }
    start: ask_pin
    steps:
      # Only the bank knows it.
      ask_pin:
        collect: { prompt: Your PIN?, digits: { length: 4 }, no_input: [Please again.], no_match: [Please again.] }
        set: { pin: "\${ result.digits }" }
        exits:
          collected: say # at once
          exhausted: to_bye
      say:
        request: { post: "https://bank.example/\${ input.account }/\${ input.language }", body: { pin: "\${ vars.pin }" } }
        set: { balance: "\${ result.body.balance }" }
        exits: { ok: to_say, failed: to_bye }
      to_bye: { return: { outcome: unknown, output: { balance: "\${ vars.balance }" } } }
      # It is known now.
      to_say:
        return:
          outcome: known
          output: { balance: "\${ vars.balance }", status: "\${ steps.say.status }" }
`;

function inlined(text: string, step: string): string {
  const made = inlineStep(text, { step, language: LANGUAGE });
  if (isRefusal(made)) throw new Error(JSON.stringify(made));
  return applyEdits(text, made.edits);
}

const refusal = (text: string, step: string): string | undefined => {
  const made = inlineStep(text, { step, language: LANGUAGE });
  return isRefusal(made) ? made.refused : undefined;
};

const flowOf = (steps: string, local: string): string =>
  `flow: f\nvars: { x: { type: string, default: "" } }\ndefaults: { exits: { error: b } }\nstart: a\nsteps:\n${steps}flows:\n  part:\n${local}`;
const CALL = '  a: { subflow: part, next: b }\n  b: { hangup: normal }\n';
const PART =
  '    defaults: { exits: { error: $end } }\n    start: say\n    steps:\n      say: { play: A., next: $end }\n';

describe('steps of a local flow in the place of its step', () => {
  it('keeps steps and comments, frees names, and writes inputs, variables and results', () => {
    const text = inlined(BANK, 'identify');
    expect(text).toMatchInlineSnapshot(`
      "flow: bank
      vars:
        account: { type: string, default: "" }
        balance: { type: number, default: 0 }
        identify_balance: { type: number, default: 0 }
        pin: { type: string, sensitive: true } # never said
        language: { type: string }
      defaults:
        exits: { error: bye }
      start: hello
      steps:
        hello:
          collect: { prompt: Your account?, digits: { length: 4 }, no_input: [Please again.], no_match: [Please again.] }
          set: { account: "\${ result.digits }" }
          exits: { collected: begin_identify, exhausted: bye }

        # Asks who calls.
        begin_identify: { set: { language: en }, next: ask_pin }

        # Only the bank knows it.
        ask_pin:
          collect: { prompt: Your PIN?, digits: { length: 4 }, no_input: [Please again.], no_match: [Please again.] }
          set: { pin: "\${ result.digits }" }
          exits:
            collected: identify_say # at once
            exhausted: to_bye
            error: to_bye

        identify_say:
          request: { post: "https://bank.example/\${ vars.account }/\${ vars.language }", body: { pin: "\${ vars.pin }" } }
          set: { identify_balance: "\${ result.body.balance }" }
          exits: { ok: to_say, failed: to_bye, error: to_bye }

        to_bye: { set: { balance: "\${ vars.identify_balance }" }, next: bye }

        # It is known now.
        to_say: { set: { balance: "\${ vars.identify_balance }" }, next: say }

        say: { play: "You have \${ vars.balance }, as of \${ steps.identify_say.status }.", next: bye }
        bye: { hangup: normal }
      "
    `);
    expect(errorsIn({ file: `${ROOT}/flows/bank.flow.yaml` }, text)).toEqual([]);
  });

  it('keeps a flow that another step runs, too', () => {
    const text = inlined(
      flowOf(CALL.replace('next: b', 'next: c').concat('  c: { subflow: part, next: b }\n'), PART),
      'a',
    );
    expect(text).toContain('steps:\n  say: { play: A., next: c }\n  b:');
    expect(text).toContain('flows:\n  part:\n');
  });

  it('leads errors of the steps to where the step led them', () => {
    const steps =
      '  a: { subflow: part, exits: { done: b, error: c } }\n  b: { hangup: normal }\n  c: { hangup: busy }\n';
    expect(inlined(flowOf(steps, PART), 'a')).toContain('say: { play: A., next: b, exits: { error: c } }');
  });

  it.each([
    ['an expression', flowOf(CALL.replace('subflow: part', 'subflow: "${ vars.x }"'), PART), 'only the call knows'],
    [
      'a flow of another file',
      flowOf(CALL.replace('subflow: part', 'subflow: other'), PART),
      'not a flow of this file',
    ],
    ['a flow that runs itself', flowOf(CALL, PART.replace('play: A.', 'subflow: part')), 'part runs itself'],
    ['events of its own', flowOf(CALL, `    events: { dtmf.0: say }\n${PART}`), 'has its own events'],
    [
      'other defaults',
      flowOf(CALL, PART.replace('{ exits', '{ locale: de, exits')),
      'differ from those of the flow: locale',
    ],
    ['a condition', flowOf(CALL.replace('next', "when: vars.x = '', next"), PART), 'a has when'],
    [
      'a count that a loop begins again',
      flowOf(
        '  a: { subflow: part, next: b }\n  b: { play: B., max_visits: 2, next: a, exits: { limit: c } }\n  c: { hangup: normal }\n',
        PART.replace('next: $end', 'max_visits: 2, next: $end, exits: { limit: $end }'),
      ),
      'say counts its visits',
    ],
    [
      'a result that is computed',
      flowOf(
        '  a: { subflow: part, next: b }\n  b: { play: "${ steps.a.n }", next: c }\n  c: { hangup: normal }\n',
        `    output: { n: "\${ 1 + 1 }" }\n${PART}`,
      ),
      'The result n of a is read elsewhere',
    ],
    [
      'a result that the flow may change afterwards',
      flowOf(
        '  a: { subflow: { flow: part, input: { y: "${ vars.x }" } }, next: c }\n  c: { set: { x: "1" }, next: d }\n  d: { play: "${ steps.a.n }", next: b }\n  b: { hangup: normal }\n',
        `    input: { y: { type: string } }\n    output: { n: "\${ input.y }" }\n${PART}`,
      ),
      'The result n of a is read elsewhere',
    ],
  ])('refuses to put the steps in the place for %s', (_, text, reason) => {
    expect(refusal(text, 'a')).toContain(reason);
  });
});
