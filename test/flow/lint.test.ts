import { describe, expect, it } from 'vitest';
import type { CompileOptions } from '../../src/language/flow/compile.ts';
import { around, brief, check } from './check-flow.ts';

const VARS = `vars: { tier: { type: string }, n: { type: integer, default: 0 }, pin: { type: string, sensitive: true }, plain: { type: string, default: x }, items: { type: array } }
`;
/** A flow whose step `first` stands on line 6, with the variables above. */
const flow = (steps: string, head = '') => around(steps, VARS + head);

type Row = [name: string, text: string, expected: string[], options?: CompileOptions];

const told = (text: string, options: CompileOptions = {}) => {
  const { diagnostics } = check(text, options);
  const lines = brief(diagnostics);
  return diagnostics.map(({ hint }, index) => `${lines[index]}${hint === undefined ? '' : ` | ${hint}`}`);
};

function table(rows: Row[]): void {
  it.each(rows)('finds in the flow: %s', (_name, text, expected, options) => {
    expect(told(text, options)).toEqual(expected);
  });
}

const ASK = 'no_input: [say it], no_match: [say it]';
const NET = 'exits: { failed: bye, not_found: bye }, next: bye';

describe('routes', () => {
  table([
    [
      'an unknown target of next',
      flow('  first: { pause: 1s, next: byee }'),
      ['6:29 unknown-target | did you mean bye?'],
    ],
    ['of exits', flow('  first: { pause: 1s, exits: { done: nowhere_at_all } }'), ['6:38 unknown-target']],
    [
      'of a case',
      flow('  first: { branch: [{ when: "true", next: byee }, { else: bye }] }'),
      ['6:43 unknown-target | did you mean bye?'],
    ],
    [
      'of a repeat',
      flow('  first: { repeat: { do: frist, times: 2 }, exits: { limit: bye } }'),
      ['6:26 unknown-target | did you mean first?'],
    ],
    [
      'of start',
      flow('  first: { pause: 1s, next: bye }').replace('start: first', 'start: fist'),
      ['4:8 unknown-target | did you mean first?'],
    ],
    [
      'of the defaults',
      flow('  first: { pause: 1s, next: bye }').replace('error: bye', 'error: by'),
      ['3:29 unknown-target | did you mean bye?'],
    ],
    [
      'of an interrupt',
      flow('  first: { pause: 1s, next: bye }', 'events: { dtmf.0: byee }\n'),
      ['3:19 unknown-target | did you mean bye?'],
    ],
    [
      'an outcome that the verb has not',
      flow('  first: { pause: 1s, next: bye, exits: { failed: bye } }'),
      ['6:43 unknown-outcome | its outcomes are done, hangup, error'],
    ],
    [
      'a misspelt outcome',
      flow('  first: { pause: 1s, exits: { doen: bye } }'),
      ['6:32 unknown-outcome | did you mean done?'],
    ],
    [
      'limit without max_visits',
      flow('  first: { pause: 1s, next: bye, exits: { limit: bye } }'),
      ['6:43 unknown-outcome | limit is the outcome of a step with max_visits'],
    ],
    [
      'an outcome that the webhook does not declare',
      flow(
        '  first: { webhook: { outcomes: [sales], timeout: 1s }, exits: { sales: bye, support: bye, timeout: bye } }',
      ),
      ['6:78 unknown-outcome | declare it in outcomes: [… support]'],
    ],
    [
      'an outcome of the defaults that nothing has',
      flow('  first: { pause: 1s, next: bye }').replace('error: bye', 'error: bye, purple: bye'),
      ['3:34 unknown-outcome | remove it'],
    ],
    [
      'an unrouted success',
      flow('  first: { pause: 1s }'),
      ['6:3 unrouted-outcome | add next: … or exits: { done: … }'],
    ],
    [
      'unrouted failures',
      flow('  first: { request: { get: "http://a/", timeout: 1s }, next: bye }'),
      ['6:3 unrouted-outcome | add exits: { failed: … }'],
    ],
    [
      'an unrouted error',
      flow('  first: { play: say it, next: bye }').replace('error: bye', 'hangup: bye'),
      ['6:3 unrouted-outcome | add exits: { error: … } here, or for all steps under defaults'],
    ],
    [
      'an unrouted limit',
      flow('  first: { pause: 1s, max_visits: 2, next: bye }'),
      ['6:3 unrouted-outcome | add exits: { limit: … }'],
    ],
    [
      'next without one success',
      flow('  first: { schedule: { open: [] }, next: bye }'),
      ['6:36 no-success | route open, closed, holiday by exits'],
    ],
    ['next after the end', flow('  first: { hangup: normal, next: bye }'), ['6:28 no-success | remove it']],
    [
      'when without one success',
      flow('  first: { schedule: { open: [] }, when: "true", exits: { open: bye, closed: bye, holiday: bye } }'),
      ['6:36 no-success | put a branch before it'],
    ],
    [
      'one outcome routed twice',
      flow('  first: { pause: 1s, next: bye, exits: { done: bye } }'),
      ['6:23 routed-twice | remove one of them'],
    ],
  ]);
});

describe('the graph', () => {
  const bound = 'give one of the steps max_visits and route its limit';
  table([
    [
      'a step that nothing leads to',
      flow('  first: { pause: 1s, next: bye }\n  lost: { pause: 1s, next: bye }'),
      ['7:3 unreachable-step? | route an outcome to it, or remove it'],
    ],
    [
      '… but by an interrupt',
      flow('  first: { pause: 1s, next: bye }\n  key: { pause: 1s, next: bye }', 'events: { dtmf.9: key }\n'),
      [],
    ],
    [
      '… but by an application',
      flow(
        '  first: { webhook: { outcomes: [a], may: [goto], timeout: 1s }, exits: { a: bye, timeout: bye } }\n  lost: { pause: 1s, next: bye }',
      ),
      [],
    ],
    [
      'a loop that never waits',
      flow('  first: { set: { n: 1 }, next: more }\n  more: { notify: x, next: first }'),
      [`6:3 busy-loop | ${bound}`],
    ],
    [
      '… that a condition may end',
      flow(
        '  first: { set: { n: "${ vars.n + 1 }" }, next: more }\n  more: { branch: [{ when: "vars.n < 3", next: first }, { else: bye }] }',
      ),
      [`6:3 busy-loop? | ${bound}`],
    ],
    [
      '… that visits end',
      flow(
        '  first: { set: { n: 1 }, max_visits: 3, exits: { limit: bye }, next: more }\n  more: { notify: x, next: first }',
      ),
      [],
    ],
    [
      '… that a repeat ends',
      flow(
        '  first: { set: { n: 1 }, next: more }\n  more: { repeat: { do: first, times: 3 }, exits: { limit: bye } }',
      ),
      [],
    ],
    [
      'a request again and again',
      flow(
        '  first: { request: { get: "http://a/", timeout: 1s }, exits: { failed: first, not_found: bye }, next: bye }',
      ),
      [`6:3 unbounded-cycle | ${bound}`],
    ],
    [
      '… that asks the caller between',
      flow(
        '  first: { request: { get: "http://a/", timeout: 1s }, exits: { failed: more, not_found: bye }, next: bye }\n  more: { play: say it, next: first }',
      ),
      [],
    ],
    [
      'waiting in silence',
      flow(
        '  first: { pause: 1s, next: more }\n  more: { branch: [{ when: "vars.n = 1", next: first }, { else: bye }] }',
      ),
      ['6:3 silent-loop? | play something in the loop'],
    ],
    [
      'a caller who cannot get out',
      flow('  first: { play: say it, next: more }\n  more: { pause: 1s, next: first }').replace(
        'error: bye',
        'error: first',
      ),
      [
        '6:3 cycle-without-end? | route an outcome to a step that hangs up or returns',
        '8:3 unreachable-step? | route an outcome to it, or remove it',
      ],
    ],
    [
      '… but by an interrupt',
      flow(
        '  first: { play: say it, next: more }\n  more: { pause: 1s, next: first }',
        'events: { dtmf.0: bye }\n',
      ).replace('error: bye', 'error: first'),
      [],
    ],
    [
      'a menu that comes again',
      flow(
        `  first: { menu: { prompt: say it, choices: { a: { dtmf: "1" } }, ${ASK} }, exits: { a: more, exhausted: over } }\n  more: { play: say it, next: first }\n  over: { play: say it, next: bye }`,
      ),
      [],
    ],
    [
      'a handler of errors that breaks',
      around('  first: { play: say it, next: bye }\n  sorry: { play: so sorry, next: bye }').replace(
        'error: bye',
        'error: sorry',
      ),
      [],
    ],
  ]);
});

describe('arguments', () => {
  table([
    [
      'a question without an answer to silence',
      flow(
        '  first: { collect: { prompt: say it, digits: { length: 1 }, no_match: [say it] }, exits: { exhausted: bye }, next: bye }',
      ),
      ['6:12 missing-no-input? | add no_input: [ … ] to the collect of `first`, or to defaults.input'],
    ],
    [
      '… to a wrong key',
      flow(
        '  first: { menu: { prompt: say it, choices: { a: { dtmf: "1" } }, no_input: [say it] }, exits: { a: bye, exhausted: bye } }',
      ),
      ['6:12 missing-no-match? | add no_match: [ … ] to the menu of `first`, or to defaults.input'],
    ],
    [
      '… asked once only',
      flow(
        '  first: { collect: { prompt: say it, digits: { length: 1 }, attempts: 1 }, exits: { exhausted: bye }, next: bye }',
      ),
      [],
    ],
    [
      'min over max',
      flow(
        `  first: { collect: { prompt: say it, digits: { min: 5, max: 3 }, ${ASK} }, exits: { exhausted: bye }, next: bye }`,
      ),
      ['6:54 digits-range'],
    ],
    [
      'length and max',
      flow(
        `  first: { collect: { prompt: say it, digits: { length: 5, max: 5 }, ${ASK} }, exits: { exhausted: bye }, next: bye }`,
      ),
      ['6:49 digits-range | remove min and max'],
    ],
    [
      'a pattern that is none',
      flow(
        `  first: { collect: { prompt: say it, digits: { pattern: "(" }, ${ASK} }, exits: { exhausted: bye }, next: bye }`,
      ),
      ['6:58 bad-pattern'],
    ],
    [
      'one key for two choices',
      flow(
        `  first: { menu: { prompt: say it, choices: { a: { dtmf: "1" }, b: { dtmf: "1" } }, ${ASK} }, exits: { a: bye, b: bye, exhausted: bye } }`,
      ),
      ['6:76 same-digit | choose another key'],
    ],
    [
      'one phrase for two choices',
      flow(
        `  first: { menu: { prompt: say it, choices: { a: { dtmf: "1", say: [the bill] }, b: { dtmf: "2", say: [x, "The  Bill!"] } }, ${ASK} }, exits: { a: bye, b: bye, exhausted: bye } }`,
      ),
      ['6:107 same-phrase'],
    ],
    [
      'phrases that are nearly the same',
      flow(
        `  first: { menu: { prompt: say it, choices: { a: { say: [my open bill] }, b: { say: [open bill, the paid bill] } }, ${ASK} }, exits: { a: bye, b: bye, exhausted: bye } }`,
      ),
      ['6:86 overlapping-phrases? | choose words that sound different'],
    ],
    [
      'no else',
      flow('  first: { branch: [{ when: "true", next: bye }] }'),
      ['6:12 branch-without-else | end the list with { else: a_step }'],
    ],
    [
      'else before the end',
      flow('  first: { branch: [{ else: bye }, { when: "true", next: bye }] }'),
      ['6:23 else-not-last'],
    ],
    [
      'two cases of one name',
      flow(
        '  first: { branch: [{ when: "true", name: a, next: bye }, { when: "true", name: a, next: bye }, { else: bye }] }',
      ),
      ['6:81 same-case'],
    ],
    [
      'a schedule that is not there',
      flow('  first: { schedule: ofice, exits: { open: bye, closed: bye, holiday: bye } }'),
      ['6:22 unknown-schedule | did you mean office?'],
      { schedules: ['office'] },
    ],
    [
      'a schedule of the configuration',
      flow('  first: { schedule: office, exits: { open: bye, closed: bye, holiday: bye } }'),
      [],
      { schedules: ['office'] },
    ],
    [
      'a time zone that is not there',
      flow(
        '  first: { schedule: h, exits: { open: bye, closed: bye, holiday: bye } }',
        'schedules: { h: { timezone: Europe/Atlantis, open: [] } }\n',
      ),
      ['3:29 unknown-timezone | zones are named by a city: Europe/Paris'],
    ],
    [
      'a POST tried again',
      flow(`  first: { request: { post: "http://a/", timeout: 1s, retry: { times: 1 } }, ${NET} }`),
      ['6:55 retry-not-idempotent? | add idempotent: true if that does no harm, or remove retry'],
    ],
    [
      '… that does no harm',
      flow(`  first: { request: { post: "http://a/", timeout: 1s, retry: { times: 1 }, idempotent: true }, ${NET} }`),
      [],
    ],
    [
      'a GET tried again',
      flow(`  first: { request: { get: "http://a/", timeout: 1s, retry: { times: 1 } }, ${NET} }`),
      [],
    ],
    [
      'a long silence',
      flow(`  first: { request: { get: "http://a/", timeout: 3s }, ${NET} }`),
      ['6:12 no-meanwhile? | add meanwhile: a_prompt to the request'],
    ],
    [
      'a long silence of a webhook',
      flow('  first: { webhook: { outcomes: [a] }, exits: { a: bye, timeout: bye } }'),
      ['6:12 no-meanwhile? | add meanwhile: a_prompt to the webhook'],
    ],
    [
      'an unknown flow',
      flow('  first: { subflow: pyament, next: bye }'),
      ['6:21 unknown-flow | did you mean payment?'],
      { knownFlows: new Map([['payment', { returns: [], calls: [] }]]) },
    ],
    [
      'flows in a circle',
      flow('  first: { subflow: { flow: b }, next: bye }'),
      ['6:29 cyclic-subflow'],
      {
        knownFlows: new Map([
          ['b', { returns: ['done'], calls: ['c'] }],
          ['c', { returns: [], calls: ['a'] }],
        ]),
      },
    ],
    [
      'a flow that calls itself',
      flow('  first: { subflow: a, next: bye }'),
      ['6:21 cyclic-subflow'],
      { knownFlows: new Map([['a', { returns: ['done'], calls: ['a'] }]]) },
    ],
    [
      'a schema that is none',
      flow(`  first: { request: { get: "http://a/", timeout: 1s, returns: { type: nothing } }, ${NET} }`),
      ['6:63 bad-schema'],
    ],
    [
      'a variable whose schema is none',
      around('  first: { pause: 1s, next: bye }', 'vars: { x: { type: txt } }\n'),
      ['2:12 bad-schema'],
    ],
    [
      'a default that does not fit',
      around('  first: { pause: 1s, next: bye }', 'vars: { x: { type: integer, default: many } }\n'),
      ['2:38 wrong-default'],
    ],
    [
      'a template in the table of prompts',
      around('  first: { play: hi, next: bye }', 'prompts: { hi: "Hi ${ call.from }" }\n'),
      ['2:16 template-here | write the text in the step, where it can be filled in'],
    ],
  ]);
});

describe('steps that are still to be written', () => {
  const fix = 'write the step, or lead past it';
  table([
    ['in short', flow('  first: { todo: send an SMS, next: bye }'), [`6:18 todo | ${fix}`]],
    [
      'with outcomes, each of which needs a route',
      flow('  first: { todo: { what: pay, outcomes: [paid, refused] }, exits: { paid: bye } }'),
      ['6:3 unrouted-outcome | add exits: { refused: … }', `6:18 todo | ${fix}`],
    ],
  ]);
});

describe('prompts', () => {
  const prompts =
    'prompts: { hello: Hello you, fr: { fr-FR: Bonjour, default: { text: Hello } }, only_fr: { fr: Salut } }\n';
  table([
    ['a key of the table', flow('  first: { play: hello, next: bye }', prompts), []],
    [
      'a misspelt key',
      flow('  first: { play: [hello, helo], next: bye }', prompts),
      ['7:26 missing-prompt | did you mean hello?'],
    ],
    [
      'a word that was meant as text',
      flow('  first: { play: Welcome, next: bye }'),
      ['6:18 missing-prompt | add it to prompts, or write { text: Welcome } to have the word spoken'],
    ],
    [
      'a sound that is not there',
      flow('  first: { play: { audio: jingle.wav }, next: bye }'),
      ['6:27 missing-prompt | put the file into the prompts directory'],
    ],
    [
      'a directory that is still to be made',
      flow('  first: { play: welcome, next: bye }', 'prompts: ./sounds\n'),
      ['7:18 missing-prompt? | add it to prompts, or write { text: welcome } to have the word spoken'],
    ],
    [
      'in a retry',
      flow(
        '  first: { collect: { prompt: say it, digits: { length: 1 }, no_input: [hello], no_match: [sory] }, exits: { exhausted: bye }, next: bye }',
        'prompts: { hello: Hello you, sorry: So sorry }\n',
      ),
      ['7:92 missing-prompt | did you mean sorry?'],
    ],
    ['in the language of the step', flow('  first: { play: fr, locale: fr-FR, next: bye }', prompts), []],
    [
      'in another language only',
      flow('  first: { play: only_fr, locale: de-DE, next: bye }', `${prompts}`).replace(
        'defaults: {',
        'defaults: { locale: fr-FR,',
      ),
      ['7:18 prompt-language? | add de-DE to the prompt'],
    ],
    [
      'SSML that is sound, and what a template makes of it',
      flow(
        '  first: { play: [{ ssml: "<speak>Hello<break time=\'1s\'/></speak>" }, { ssml: "<speak>${ vars.plain }</speak>" }], next: bye }',
      ),
      [],
    ],
    [
      'SSML that is none',
      flow('  first: { play: { ssml: "<speak>Hello <b>you</b></speak>" }, next: bye }'),
      ['6:26 wrong-ssml | the elements that are taken are in docs/speech.md'],
    ],
    [
      'SSML that is none, in the table of prompts',
      flow('  first: { play: hi, next: bye }', 'prompts: { hi: { default: { ssml: "<speak>Hello" } } }\n'),
      ['3:35 wrong-ssml | the elements that are taken are in docs/speech.md'],
    ],
    [
      'texts and templates are no keys',
      flow('  first: { play: ["Hello you", "${ vars.plain }", { silence: 1s }, { tone: 440 }], next: bye }'),
      [],
    ],
  ]);
});

describe('expressions', () => {
  const set = (expression: string) => flow(`  first: { set: { plain: "\${ ${expression} }" }, next: bye }`);
  const when = (expression: string) =>
    flow(`  first: { branch: [{ when: "${expression}", next: bye }, { else: bye }] }`);
  table([
    ['a syntax error, to the character', set('1 + + 2'), ['6:34 expression-syntax']],
    [
      'an open template',
      flow('  first: { log: "x ${ vars.n", next: bye }'),
      ['6:20 template-syntax | close it, or write $${ for a literal ${'],
    ],
    ['a template where JSONata is bare', when('${ vars.n }'), ['6:40 expression-syntax | write it without ${ }']],
    [
      'the name of a time zone that is not there',
      set("$now('[H]', 'Europe/Pariss')"),
      ['6:43 unknown-timezone | did you mean Europe/Paris?'],
    ],
    ['one that is, and an offset', set("$now('[H]', 'Europe/Paris') & $now('[H]', '-0330')"), []],
    ['an unknown scope', set('var.tier'), ['6:30 unknown-scope | did you mean vars?']],
    ['a variable without its scope', set('tier'), ['6:30 unknown-scope | did you mean vars.tier?']],
    ['an unknown variable', set('vars.teir'), ['6:30 unknown-variable | did you mean tier?']],
    ['… inside a function', set("$uppercase('a' & vars.teir)"), ['6:47 unknown-variable | did you mean tier?']],
    [
      '… in a filter, where names are of the item',
      set('vars.items[vars.tier = tier and $$.vars.teir = 1]'),
      ['6:41 name-in-item? | write $$.vars.tier', '6:65 unknown-variable | did you mean tier?'],
    ],
    [
      '… in a lambda',
      set('$map(vars.items, function($i) { $i & vars.teir })'),
      ['6:67 unknown-variable | did you mean tier?'],
    ],
    ['… through the root', set('$$.vars.teir'), ['6:33 unknown-variable | did you mean tier?']],
    [
      'names of an item are not judged',
      set("$count(vars.items.{ 'a': whatever, 'b': $sum(other.x) }) > 0 ? 'some'"),
      [],
    ],
    ['an unknown step', set('steps.frist.x'), ['6:30 unknown-step | did you mean first?']],
    ['an unknown input', set('input.vip'), ['6:30 unknown-input']],
    ['an unknown field of the call', set('call.form'), ['6:30 unknown-field? | did you mean from?']],
    ['an unknown env', set('env.TOKNE'), ['6:30 unknown-env | did you mean TOKEN?'], { env: ['TOKEN'] }],
    [
      'an undeclared assignment',
      flow('  first: { pause: 1s, set: { tire: 1 }, next: bye }'),
      ['6:30 unknown-variable | did you mean tier?'],
    ],
    [
      'an undeclared assignment by the verb',
      flow('  first: { set: { color: 1 }, next: bye }'),
      ['6:19 unknown-variable | declare it under vars: color: { type: … }'],
    ],
    [
      'result too early',
      flow('  first: { log: "${ result.x }", next: bye }'),
      ['6:21 no-result | use it in set, or read steps.<name> in a later step'],
    ],
    [
      'result where it is',
      flow('  first: { record: null, set: { plain: "${ result.ended_by }" }, exits: { recorded: bye, silence: bye } }'),
      [],
    ],
    [
      'a secret in the body',
      flow(`  first: { request: { post: "http://a/", timeout: 1s, body: "\${ secrets.key }" }, ${NET} }`),
      ['6:65 secret-place'],
    ],
    ['a secret in a log', flow('  first: { log: "${ secrets.key }", next: bye }'), ['6:21 secret-place']],
    [
      'a secret where it belongs',
      flow(
        `  first: { request: { get: "https://a/", timeout: 1s, headers: { x: "\${ secrets.a }" }, auth: { bearer: "\${ secrets.b }" } }, ${NET} }`,
      ),
      [],
    ],
  ]);

  describe('traps', () => {
    table([
      ['a text and a number', when("'1' = 1"), ['6:34 compare-types? | convert one side: $number(…) or $string(…)']],
      ['… of a variable', when('vars.tier = 5'), ['6:40 compare-types? | convert one side: $number(…) or $string(…)']],
      [
        '… of a variable that is a number',
        when("vars.n = '5'"),
        ['6:37 compare-types? | convert one side: $number(…) or $string(…)'],
      ],
      [
        'digits are texts',
        flow(
          `  first: { collect: { prompt: say it, digits: { length: 1 }, ${ASK} }, exits: { collected: more, exhausted: bye } }\n  more: { branch: [{ when: "steps.first.digits = 1", next: bye }, { else: bye }] }`,
        ),
        ['7:48 compare-types? | convert one side: $number(…) or $string(…)'],
      ],
      [
        'an order of text and number',
        when("'10' > 9"),
        ['6:35 compare-order? | convert one side: $number(…) or $string(…)'],
      ],
      [
        'the number of the caller is a text',
        when('call.from > 5'),
        ['6:40 compare-order? | convert one side: $number(…) or $string(…)'],
      ],
      [
        'not equal to what may be missing',
        when("vars.tier != 'gold'"),
        ['6:40 not-equal-missing? | write $not(vars.tier = …)'],
      ],
      [
        '… of an answer',
        flow(
          `  first: { request: { get: "http://a/", timeout: 1s }, exits: { ok: more, not_found: bye, failed: bye } }\n  more: { branch: [{ when: "steps.first.body.x != 'a'", next: bye }, { else: bye }] }`,
        ),
        ['7:48 not-equal-missing? | write $not(steps.first.body.x = …)'],
      ],
      ['not equal to what has a default', when("vars.plain != 'gold'"), []],
      ['fair comparisons', when("vars.n > 1 and vars.tier = 'a' and $number(vars.tier) = 1 and -1 < vars.n"), []],
      [
        'a list of one',
        flow(
          `  first: { request: { get: "http://a/", timeout: 1s }, set: { items: "\${ result.body.items.name }" }, ${NET} }`,
        ),
        ['6:74 list-collapses? | write result.body.items.name[]'],
      ],
      [
        'a list of one, kept',
        flow(
          `  first: { request: { get: "http://a/", timeout: 1s }, set: { items: "\${ result.body.items.name[] }" }, ${NET} }`,
        ),
        [],
      ],
    ]);
  });

  describe('sensitive values', () => {
    const pin = flow(
      `  first: { collect: { prompt: say it, digits: { length: 4 }, ${ASK}, sensitive: true }, set: { pin: "\${ result.digits }" }, exits: { collected: more, exhausted: bye } }\n  more: MORE`,
    );
    const followedBy = (step: string) => pin.replace('MORE', step);
    table([
      [
        'in the body of a request',
        followedBy(`{ request: { post: "http://a/", timeout: 1s, body: { pin: "\${ vars.pin }" } }, ${NET} }`),
        [],
      ],
      [
        'in a URL',
        followedBy(`{ request: { get: "http://a/?p=\${ vars.pin }", timeout: 1s }, ${NET} }`),
        ['7:43 sensitive-leak | send it in the body or in a header'],
      ],
      ['in a log', followedBy('{ log: "pin ${ vars.pin }", next: bye }'), ['7:24 sensitive-leak']],
      [
        'in a log, from the step',
        followedBy('{ log: { message: x, fields: { d: "${ steps.first.digits }" } }, next: bye }'),
        ['7:47 sensitive-leak'],
      ],
      [
        'in an event',
        followedBy('{ notify: { event: x, body: "${ { \'p\': vars.pin } }" }, next: bye }'),
        ['7:48 sensitive-leak'],
      ],
      [
        'in a prompt',
        followedBy('{ play: "You said ${ vars.pin }", next: bye }').replace('exhausted: bye', 'exhausted: more'),
        ['7:30 sensitive-leak?'],
      ],
      [
        'in a plain variable',
        followedBy('{ set: { plain: "${ \'x\' & vars.pin }" }, next: bye }'),
        ['7:35 sensitive-leak | declare plain with sensitive: true'],
      ],
      [
        'a result in a plain variable',
        pin.replace('MORE', '{ pause: 1s, next: bye }').replace('set: { pin:', 'set: { plain:'),
        ['6:139 sensitive-leak | declare plain with sensitive: true'],
      ],
      [
        'only compared',
        followedBy('{ log: "ok ${ vars.pin = \'1234\' } ${ $length(vars.pin) } ${ vars.pin ? 1 : 2 }", next: bye }'),
        [],
      ],
    ]);
  });
});

describe('calling others', () => {
  const calls = (exits: string) =>
    flow(`  first: { bridge: "+441", exits: { ${exits} } }\n  sorry: { play: say it, next: bye }`);
  table([
    [
      'who talked hears the excuse',
      calls('completed: sorry, failed: sorry'),
      ['6:3 same-after-talk? | route completed to another step'],
    ],
    ['who talked goes on', calls('completed: bye, failed: sorry'), []],
    [
      'a queue that was left and one that was served',
      flow(
        '  first: { queue: { name: q, agents: ["+1"], timeout: 5m }, exits: { dequeued: sorry, timeout: sorry, full: sorry } }\n  sorry: { record: {}, exits: { recorded: bye, silence: bye } }',
      ),
      ['6:3 same-after-talk? | route dequeued to another step'],
    ],
    [
      'a machine that is not looked for',
      calls('completed: bye, failed: sorry, machine: bye'),
      [
        '6:68 unknown-outcome | its outcomes are completed, failed.no_answer, failed.busy, failed.declined, failed.unreachable, error, hangup',
      ],
    ],
  ]);
});

describe('flows beside each other', () => {
  const options: CompileOptions = {
    knownFlows: new Map([
      ['says', { returns: ['done'], calls: [], speaks: true }],
      ['asks', { returns: ['done'], calls: [], speaks: true }],
      ['works', { returns: ['done'], calls: [], speaks: false }],
      ['circles', { returns: ['done'], calls: ['a'], speaks: false }],
    ]),
  };
  const running = (branches: string) => flow(`  first: { parallel: { branches: { ${branches} } }, next: bye }`);
  table([
    ['one that speaks', running('a: says, b: works'), [], options],
    [
      'two that speak',
      running('a: says, b: { flow: asks }'),
      ['6:56 both-heard? | let one of them speak, and the others work'],
      options,
    ],
    ['one that is not there', running('a: sayz'), ['6:39 unknown-flow | did you mean says?'], options],
    ['one that comes back', running('a: circles'), ['6:39 cyclic-subflow'], options],
  ]);
});

describe('recordings and transcripts during a sensitive question', () => {
  const asked = (first: string, between = 'ask') =>
    flow(`  first: { ${first}, exits: { started: ${between}, failed: ask } }
  stop: { recording: pause, exits: { done: ask, failed: ask } }
  ask: { collect: { prompt: say it, digits: { length: 4 }, ${ASK}, sensitive: true }, exits: { collected: bye, exhausted: stop } }`);
  table([
    ['a recording', asked('recording: start'), ['6:3 sensitive-kept? | pause it before ask: { recording: pause }']],
    ['a recording that is paused', asked('recording: start', 'stop'), []],
    [
      'a transcript',
      asked('transcribe: { action: start }', 'stop'),
      ['6:3 sensitive-kept? | stop it before ask: { transcribe: stop }'],
    ],
    [
      'a stream',
      asked('stream: { action: start, url: "wss://a/" }'),
      ['6:3 sensitive-kept? | stop it before ask: { stream: stop }'],
    ],
  ]);
});

describe('SIP headers that are set', () => {
  const OUT = 'exits: { completed: bye, failed: bye, error: bye }';
  const bridge = (headers: string) =>
    flow(`  first: { bridge: { to: "+33612345678", headers: { ${headers} } }, ${OUT} }`);
  const OWN = 'use a header of your own, such as X-Customer';
  table([
    ['rightly', bridge('X-Customer: "17", Subject: "${ vars.plain }", User-to-User: null'), []],
    [
      'with a name that is none',
      bridge('"X Customer": a'),
      ['6:53 sip-header | write letters, digits and -, such as X-Customer'],
    ],
    ['with the name of the stack', bridge('contact: a'), [`6:53 sip-header | ${OWN}`]],
    ['of the body', bridge('Content-Disposition: a'), [`6:53 sip-header | ${OWN}`]],
    ['with the short form of a name', bridge('m: a'), ['6:53 sip-header | write its long name, such as Subject']],
    ['as the number', bridge('From: a'), ['6:53 sip-header | the number that is shown is the argument from']],
    ['with a line break', bridge('X-A: "1\\r\\nX-B: 2"'), ['6:53 sip-header']],
    ['twice', bridge('X-A: a, x-a: b'), ['6:61 sip-header | write one value, with commas']],
    ['too long', bridge(`X-A: ${'a'.repeat(513)}`), ['6:53 sip-header']],
    [
      'too many bytes',
      bridge(`X-A: ${'a'.repeat(500)}, X-B: ${'b'.repeat(500)}, X-C: ${'c'.repeat(100)}`),
      ['6:42 sip-header'],
    ],
    [
      'to hang up',
      flow('  first: { hangup: { headers: { Via: a } } }'),
      [`6:33 sip-header | ${OWN}`, '7:3 unreachable-step? | route an outcome to it, or remove it'],
    ],
    ['with a secret', bridge('X-Key: "${ secrets.key }"'), ['6:64 secret-place']],
  ]);
});

describe('SIP headers that are read', () => {
  const read = (expression: string) => flow(`  first: { log: "\${ ${expression} }", next: bye }`);
  const IN_BACKTICKS = 'names with - go in backticks: call.headers.`x-customer`';
  const CONFIGURED = 'add it to sip.headers.read of the configuration';
  table([
    ['in backticks', read('call.headers.`x-customer` & call.headers.subject'), []],
    ['with a minus', read('call.headers.x-vars.n'), [`6:21 unread-header? | ${IN_BACKTICKS}`]],
    ['in capitals', read('call.headers.Subject'), ['6:21 unread-header? | write subject']],
    ['without a configuration', read('call.headers.priority'), []],
    [
      'that are not configured',
      read('call.headers.priority'),
      [`6:21 unread-header? | ${CONFIGURED}`],
      { headers: [] },
    ],
    ['that are', read('call.headers.priority'), [], { headers: ['priority'] }],
  ]);
});
