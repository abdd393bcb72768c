/** SWML as flows: each method with its arguments, sections and labels, expressions, and unsupported parts. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import type { Fidelity } from '../../src/language/importers/imported.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported } from './imported.ts';

const END = '$end';

const document = (...main: Json[]): Readonly<Record<string, string>> => ({
  'source.json': JSON.stringify({ version: '1.0.0', sections: { main } }),
});

const KEYS = '${ result.digits }';
const KEYS_OR_WORDS = '${ $exists(result.digits) ? result.digits : result.speech }';

type Row = [method: Json, steps: Record<string, JsonObject>, fidelity?: Fidelity];

/** Each with nothing else in its section. */
const METHODS: Row[] = [
  [{ play: 'say: Hello there.' }, { say_hello_there: { play: 'Hello there.', next: END } }],
  [
    {
      play: {
        urls: ['https://a.example/intro.mp3', 'silence: 1.5', 'say:Bon jour'],
        say_gender: 'male',
        say_language: 'fr-FR',
      },
    },
    {
      say_intro_wav: {
        play: [{ audio: 'intro.wav' }, { silence: '1500ms' }, { text: 'Bon jour', voice: 'male', language: 'fr-FR' }],
        next: END,
      },
    },
  ],
  [
    { play: { url: 'say: You call from %{call.from}, ${params.name}.' } },
    { say_you_call_from_call: { play: 'You call from ${ call.from }, ${ input.name }.', next: END } },
  ],
  [
    { prompt: { play: 'say: Press 1 for sales.' } },
    {
      ask_press_1_for_sales: {
        collect: {
          prompt: 'Press 1 for sales.',
          digits: { max: 1, terminator: '' },
          attempts: 1,
          start_timeout: '5s',
          inter_digit_timeout: '5s',
        },
        set: { prompt_value: KEYS },
        exits: { collected: END, exhausted: END },
      },
    },
  ],
  [
    {
      prompt: {
        play: 'say: Which city?',
        speech_hints: ['Paris'],
        speech_end_timeout: 2,
        initial_timeout: 8,
        terminators: '#',
      },
    },
    {
      ask_which_city: {
        collect: {
          prompt: 'Which city?',
          digits: { max: 1, terminator: '#' },
          speech: { hints: ['Paris'] },
          attempts: 1,
          start_timeout: '8s',
          inter_digit_timeout: '5s',
          recognizer_timeout: '2s',
        },
        set: { prompt_value: KEYS_OR_WORDS },
        exits: { collected: END, exhausted: END },
      },
    },
  ],
  [
    { record: { beep: true, max_length: 30, end_silence_timeout: 3 } },
    { record: { record: { max_length: '30s', end_silence: '3s' }, exits: { recorded: END, silence: END } } },
  ],
  [
    { connect: { from: '+15551234567', to: '+1 (555) 765-4321', timeout: 10, max_duration: 600 } },
    {
      call_15557654321: {
        bridge: { to: '+15557654321', from: '+15551234567', ring_timeout: '10s', max_duration: '600s' },
        exits: { completed: END, failed: END },
      },
    },
  ],
  [
    { connect: { serial_parallel: [[{ to: 'sip:a@b.example' }, { to: '+15551' }], [{ to: '+15552' }]] } },
    {
      call_a: {
        bridge: { to: [['sip:a@b.example', '+15551'], ['+15552']], ring_timeout: '60s' },
        exits: { completed: END, failed: END },
      },
    },
  ],
  [
    { request: { url: 'https://a.example/x', body: { who: '%{call.from}' }, save_variables: true } },
    {
      request: {
        request: { post: 'https://a.example/x', body: { who: '${ call.from }' } },
        set: { request_response: '${ $exists(result.body) ? result.body : null }' },
        exits: { ok: END, not_found: END, failed: END },
      },
    },
  ],
  [{ set: { tries: 3, who: '${call.from}' } }, { set: { set: { tries: 3, who: '${ call.from }' }, next: END } }],
  ['answer', { answer: { answer: {}, next: END } }],
  [{ hangup: { reason: 'busy' } }, { hang_up: { hangup: 'busy' } }],
  [{ sleep: 1500 }, { pause: { pause: '1500ms', next: END } }],
  [{ send_digits: { digits: '1W2#' } }, { press_keys: { send_digits: '1w2#', next: END } }],
  [{ record_call: {} }, { start_recording: { recording: 'start', exits: { started: END, failed: END } } }],
  [
    { tap: { uri: 'wss://a.example/s', direction: 'both' } },
    {
      start_stream: {
        stream: { action: 'start', url: 'wss://a.example/s', tracks: 'both' },
        exits: { started: END, failed: END },
      },
    },
  ],
  [
    { join_conference: { name: 'Room 1', start_on_enter: false, muted: true } },
    {
      meet: {
        conference: { name: 'Room 1', wait_for_moderator: true, muted: true },
        exits: { left: END, ended: END, full: END },
      },
    },
  ],
  [
    { sip_refer: { to_uri: 'sip:bob@example.com' } },
    {
      refer: {
        transfer: { to: 'sip:bob@example.com', mode: 'refer' },
        exits: { transferred: END, returned: END, failed: END },
      },
    },
  ],
  [
    {
      pay: {
        ...{
          payment_connector_url: 'https://a.example/pay',
          charge_amount: '20.45',
          max_attempts: 2,
          postal_code: false,
        },
        prompts: [{ for: 'security-code', actions: [{ type: 'Say', phrase: 'The three digits on the back.' }] }],
      },
    },
    {
      pay: {
        pay: {
          amount: 20.45,
          currency: 'USD',
          postal_code: false,
          prompts: { security_code: 'The three digits on the back.' },
          attempts: 2,
          start_timeout: '5s',
        },
        exits: { paid: END, declined: END, cancelled: END, exhausted: END, failed: END },
      },
    },
  ],
  [
    { ai: { prompt: { text: 'You answer the telephone of a dentist.' } } },
    {
      assistant: {
        assistant: { instructions: 'You answer the telephone of a dentist.', limits: { duration: '1h' } },
        exits: { done: END, limit: END, error: END },
      },
    },
    'workaround',
  ],
  [
    { send_sms: { to_number: '%{call.from}', from_number: '+15551230000', body: 'Thank you.' } },
    {
      send_message: {
        message: { to: '${ call.from }', text: 'Thank you.', from: '+15551230000' },
        exits: { sent: END, refused: END },
      },
    },
  ],
  [
    {
      connect: {
        to: '+15551',
        headers: [{ name: 'X-Who', value: '${call.from}' }],
        ringback: ['https://a.example/r.mp3'],
      },
    },
    {
      call_15551: {
        bridge: {
          to: '+15551',
          ring_timeout: '60s',
          ringback: { audio: 'https://a.example/r.mp3' },
          headers: { 'X-Who': '${ call.from }' },
        },
        exits: { completed: END, failed: END },
      },
    },
  ],
];

const THEN = 'then';
const condition = (when: string): Json => ({ cond: [{ when, [THEN]: ['hangup'] }] });

describe('a method', () => {
  it.each(METHODS)('imports the method %j', (method, steps, fidelity = 'exact') => {
    using folder = folderOf({ 'prompts/intro.wav': '' });
    const result = imported(document(method), { folder: folder.path });
    expect(result.steps).toEqual(steps);
    expect(result.nodes[0]!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it.each<[string, string]>([
    ["call.direction == 'inbound'", "call.direction = 'inbound'"],
    ['vars.tries >= 3 && !done', '$number(vars.tries) >= 3 and $not($boolean(vars.done))'],
    [
      "city.toLowerCase() != 'a || b' || vars.x[0] === true",
      "$not($lowercase(vars.city) = 'a || b') or vars.x[0] = true",
    ],
    ['prompt_value == 1', '$string(vars.prompt_value) = $string(1)'],
  ])('has the condition %s as %s', (written, expected) => {
    const result = imported(
      document({ set: { tries: 1, done: 1, city: 1, x: 1, prompt_value: 1 } }, condition(written)),
    );
    expect(result.steps['branch']).toEqual({ branch: [{ when: expected, next: 'hang_up' }, { else: END }] });
    expect(errorsOf(result)).toEqual([]);
  });

  it.each<[Json, string]>([
    [{ play: 'https://a.example/gone.ogg' }, 'play https://a.example/gone.ogg: put it into'],
    [{ play: 'ring:us' }, 'play the ringing tone us'],
    [{ play: 'say: ${total.toFixed(2)} dollars' }, 'write total.toFixed(2) as JSONata'],
    [{ play: 'say: ${ {a: 1}.a }' }, 'write'],
    [{ set: { a: '${vars.b++}' } }, 'write vars.b++ as JSONata'],
    [{ set: { a: '${record_url}' } }, 'find record_url out'],
    [{ set: { a: '${call.type}' } }, 'find call.type out'],
    [condition('vars.a & vars.b'), 'write vars.a & vars.b as JSONata'],
    [{ connect: { to: '/private/agent' } }, 'connect the caller with /private/agent'],
    [{ connect: { to: '+15551', result: [] } }, 'it has no conditions'],
    [{ request: { url: 'nowhere' } }, 'ask nowhere'],
    [{ transfer: { dest: 'https://a.example/next' } }, 'do what https://a.example/next answers'],
    [{ transfer: { dest: 'elsewhere', params: { a: 1 } } }, 'go to elsewhere with parameters'],
    [{ execute: { dest: 'other' } }, 'do what other says, and come back'],
    [{ execute: 'main' }, 'do what main says, and come back: it leads back here'],
    [
      { ai: { prompt: { text: 'x' }, SWAIG: { functions: [{ function: 'x' }] } } },
      'connect the caller with the assistant',
    ],
    [{ pay: { charge_amount: 'much' } }, 'take the payment'],
    [{ send_sms: {} }, 'send the message'],
    [
      { send_sms: { to_number: '+1', body: 'See', media: ['https://a.example/a.png'] } },
      'send the message “See” with its',
    ],
    [{ send_fax: {} }, 'send the fax'],
    [{ wobble: {} }, 'do what the method wobble does'],
  ])('%j is to be written, and check says so', (method, what) => {
    const result = imported(document(method));
    expectTodo(result, what);
  });
});

const WHOLE = `version: 1.0.0
sections:
  main:
    - label: again
    - prompt:
        play: "say: Press 1 for sales."
    - switch:
        variable: prompt_value
        case:
          "1":
            - transfer: sales
    - goto: { label: again, max: 1 }
    - play: "say: Good bye then."
  sales:
    - play: "say: You are with sales."
`;

describe('sections', () => {
  it('are imported as one flow, with `return` continuing after the repetitions', () => {
    const result = imported({ 'source.yaml': WHOLE });
    expect(errorsOf(result)).toEqual([]);
    expect(result.steps).toMatchObject({
      ask_press_1_for_sales: { exits: { collected: 'branch', exhausted: 'ask_press_1_for_sales_exhausted' } },
      ask_press_1_for_sales_exhausted: { set: { prompt_value: '' }, next: 'branch' },
      branch: {
        branch: [
          { when: '$string(vars.prompt_value) = $string(1)', next: 'say_you_are_with_sales' },
          { else: 'go_to' },
        ],
      },
      go_to: { max_visits: 1, exits: { limit: 'say_good_bye_then' } },
    });
    expect(new Set(result.nodes.map(({ fidelity }) => fidelity))).toEqual(new Set(['exact']));
  });

  it('behaves on a call as the source does', async () => {
    using folder = folderOf({
      'ivr.yaml': WHOLE,
      'a.test.yaml': `test: somebody who is silent at first
flow: ivr
script: [hear: "Press 1 for sales.", silence, hear: "Press 1 for sales.", press: "1", hear: You are with sales.]
`,
      'b.test.yaml': `test: somebody who is silent
flow: ivr
script: [hear: "Press 1 for sales.", silence, hear: "Press 1 for sales.", silence, hear: Good bye then.]
`,
    });
    const made = await callweave(['import', 'ivr.yaml'], { cwd: folder.path });
    expect(made).toMatchObject({ code: 0, err: '' });
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^2 tests passed, 0 failed/m);
  });
});

const sections = (text: string): Readonly<Record<string, string>> => ({
  'ivr.yaml': `version: 1.0.0\nsections:\n${text}`,
});

describe('variables set by methods', () => {
  it('leads on, by the `result` of the method or later', async () => {
    using folder = folderOf({
      ...sections(`  main:
    - connect:
        to: "+15557654321"
        result: { case: { connected: [{ play: "say: Thank you for calling." }] }, default: [{ play: "say: Nobody is there." }] }
    - request:
        url: https://a.example/opinion
        result: [{ when: "request_result == 'success'", then: [{ play: "say: It is written down." }] }]
    - switch: { variable: request_response_code, case: { "201": [{ play: "say: It is new." }] } }
`),
      'a.test.yaml': `test: somebody who was connected
flow: ivr
mocks: { bridge: { "+15557654321": { talk: 5s } }, request: { status: 201 } }
script: [hear: Thank you for calling., hear: It is written down., hear: It is new.]
`,
      'b.test.yaml': `test: somebody who was not
flow: ivr
mocks: { bridge: { "+15557654321": busy }, request: { status: 500 } }
script: [hear: Nobody is there.]
expect: { heard: [Nobody is there.] }
`,
    });
    const made = await callweave(['import', 'ivr.yaml'], { cwd: folder.path });
    expect(made).toMatchObject({ code: 0 });
    expect(made.out).toContain('7 nodes: 7 exact, 0 nearly, 0 to do');
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^2 tests passed, 0 failed/m);
  });

  it('is not that of an earlier question where the caller is silent at a later one', async () => {
    using folder = folderOf({
      ...sections(`  main:
    - prompt: { play: "say: Press a key." }
    - prompt: { play: "say: Press another key." }
    - cond:
        - when: "prompt_value == 1"
          then: [{ play: "say: You pressed one." }]
        - else: [{ play: "say: There was no key." }]
`),
      'a.test.yaml': `test: somebody who is silent at the second question
flow: ivr
script: [hear: Press a key., press: "1", hear: Press another key., silence, hear: There was no key.]
`,
    });
    expect(await callweave(['import', 'ivr.yaml'], { cwd: folder.path })).toMatchObject({ code: 0 });
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^1 test passed, 0 failed/m);
  });
});

describe('sections that come back', () => {
  it('are written where the one method is that executes them', () => {
    const result = imported(
      sections(`  main:
    - execute: greet
    - play: "say: How can we help?"
  greet:
    - play: "say: Welcome to Example."
`),
    );
    expect(errorsOf(result)).toEqual([]);
    expect(result.steps).toEqual({
      say_welcome_to_example: { play: 'Welcome to Example.', next: 'say_how_can_we_help' },
      say_how_can_we_help: { play: 'How can we help?', next: END },
    });
  });

  it('passes parameters, returns a value, and resumes the method that executed it', async () => {
    using folder = folderOf({
      ...sections(`  main:
    - execute:
        dest: add
        params: { a: 2, b: "${'${'}3}" }
        on_return: [{ switch: { variable: return_value, case: { "5": [{ play: "say: It is five." }] } } }]
    - execute:
        dest: add
        params: { a: 4, b: 4 }
        result: [{ when: "return_value == 8", then: [{ play: "say: It is eight." }] }]
    - play: "say: Good bye then."
  add:
    - cond: [{ when: "params.a == 4", then: [{ return: 8 }] }]
    - execute: think
    - return: "${'${'}params.a + 3}"
  think:
    - play: "say: Let me think."
`),
      'a.test.yaml': `test: sums are right
flow: ivr
script: [hear: Let me think., hear: It is five., hear: It is eight., hear: Good bye then.]
`,
    });
    const made = await callweave(['import', 'ivr.yaml'], { cwd: folder.path });
    expect(made).toMatchObject({ code: 0 });
    expect(made.out).toMatch(/ 0 nearly, 0 to do$/m);
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^1 test passed, 0 failed/m);
  });

  it('are found in time, however many lead to each other', () => {
    const names = Array.from({ length: 300 }, (_, index) => `s${index}`);
    const all = names.map((name, index) => [name, [{ prompt: 'say: Yes?' }, { execute: names[(index + 1) % 300] }]]);
    const { nodes } = imported({
      'source.json': JSON.stringify({
        version: '1.0.0',
        sections: { main: [{ execute: 's0' }], ...Object.fromEntries(all) },
      }),
    });
    expect(nodes.filter(({ kind }) => kind === 'execute').every(({ fidelity }) => fidelity === 'todo')).toBe(true);
  });

  it('becomes a todo step if it executes itself', () => {
    const { nodes, steps } = imported(
      sections(`  main:
    - execute: round
  round:
    - play: "say: Round and round."
    - execute: round
`),
    );
    expect(nodes.filter(({ fidelity }) => fidelity === 'todo').map(({ kind }) => kind)).toEqual(['execute', 'execute']);
    expect(Object.keys(steps)).toContain('say_round_and_round');
  });
});
