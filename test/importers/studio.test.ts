/** Flows of Twilio Studio: each widget, the values that templates read, and unsupported parts. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { Fidelity } from '../../src/language/importers/imported.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported, stepsOf } from './imported.ts';

const END = '$end';
type State = { name: string; type: string; transitions?: object[]; properties?: object };

/** A Studio flow of these widgets, with a trigger that leads to the first one. */
const studio = (...states: readonly State[]): string =>
  JSON.stringify({
    description: 'A flow',
    states: [
      {
        name: 'Trigger',
        type: 'trigger',
        transitions: [{ event: 'incomingCall', next: states[0]?.name }],
        properties: {},
      },
      ...states.map((state) => ({ transitions: [], properties: {}, ...state })),
    ],
    initial_state: 'Trigger',
    flags: { allow_concurrent_calls: true },
  });

const bye: State = { name: 'bye', type: 'say-play', properties: { say: 'Good bye.' } };
const to = (event: string, next = 'bye'): object => ({ event, next });

type Row = [type: string, properties: object, transitions: object[], step: JsonObject, fidelity?: Fidelity];

const WIDGETS: Row[] = [
  [
    'say-play',
    { say: 'Hello there.', voice: 'Polly.Joanna', language: 'en-US', loop: 1 },
    [to('audioComplete')],
    { play: { text: 'Hello there.', voice: ['Polly.Joanna', 'female'], language: 'en-US' }, next: 'bye' },
  ],
  [
    'say-play',
    { play: 'https://a.example/hi.mp3', loop: 3 },
    [],
    { play: { prompt: { audio: 'hi.wav' }, repeat: 3 }, next: END },
  ],
  ['say-play', { digits: '12#' }, [to('audioComplete')], { send_digits: '12#', next: 'bye' }],
  [
    'gather-input-on-call',
    { say: 'Your number, please.', number_of_digits: 4, timeout: 6, finish_on_key: '*' },
    [to('keypress'), to('timeout')],
    {
      collect: {
        prompt: 'Your number, please.',
        digits: { max: 4, terminator: '*' },
        attempts: 1,
        start_timeout: '6s',
        inter_digit_timeout: '6s',
      },
      exits: { collected: 'bye', exhausted: 'bye' },
    },
  ],
  [
    'gather-input-on-call',
    { say: 'Which city is it?', hints: 'Paris, Lyon', gather_language: 'en-GB', speech_timeout: '2' },
    [to('keypress'), to('speech'), to('timeout')],
    {
      collect: {
        ...{ prompt: 'Which city is it?', digits: {}, speech: { hints: ['Paris', 'Lyon'], language: 'en-GB' } },
        ...{ attempts: 1, start_timeout: '5s', inter_digit_timeout: '5s', recognizer_timeout: '2s' },
      },
      exits: { collected: 'bye', exhausted: 'bye' },
    },
  ],
  [
    'connect-call-to',
    { noun: 'number-multi', to: '+15551234567,+1 555 765 4321', timeout: 20, record: true, caller_id: '+15550000000' },
    [to('callCompleted'), to('hangup')],
    {
      bridge: { to: [['+15551234567', '+15557654321']], from: '+15550000000', ring_timeout: '20s', record: true },
      exits: { completed: 'bye', failed: 'bye', hangup: 'bye' },
    },
  ],
  [
    'connect-call-to',
    { noun: 'client', to: 'alice' },
    [],
    { bridge: { to: 'user:alice', from: '${ call.from }' }, exits: { completed: END, failed: END } },
  ],
  [
    'connect-call-to',
    { noun: 'conference', to: 'Room 1' },
    [to('callCompleted')],
    { conference: 'Room 1', exits: { left: 'bye', ended: 'bye', full: 'bye' } },
  ],
  [
    'connect-call-to',
    { noun: 'sip', sip_endpoint: 'sip:a@b.example' },
    [],
    { bridge: { to: 'sip:a@b.example', from: '${ call.from }' }, exits: { completed: END, failed: END } },
  ],
  [
    'connect-call-to',
    { noun: 'number', to: '+15551234567', caller_id: '{{contact.channel.address}}' },
    [],
    { bridge: { to: '+15551234567', from: '${ call.from }' }, exits: { completed: END, failed: END } },
  ],
  [
    'record-voicemail',
    { max_length: 60, timeout: 4, finish_on_key: '#', play_beep: 'false' },
    [to('recordingComplete'), to('noAudio')],
    {
      record: { max_length: '60s', end_silence: '4s', terminator: '#', beep: false },
      exits: { recorded: 'bye', silence: 'bye' },
    },
  ],
  [
    'record-call',
    { record_call: true },
    [to('success'), to('failed')],
    { recording: 'start', exits: { started: 'bye', failed: 'bye' } },
  ],
  [
    'make-http-request',
    {
      method: 'POST',
      url: 'https://a.example/x',
      content_type: 'application/json',
      body: '{"from":"{{trigger.call.From}}","n":1}',
    },
    [to('success'), to('failed')],
    {
      request: { post: 'https://a.example/x', body: { from: '${ call.from }', n: 1 } },
      exits: { ok: 'bye', not_found: 'bye', failed: 'bye' },
    },
  ],
  [
    'make-http-request',
    {
      method: 'GET',
      url: 'https://a.example/x',
      parameters: [
        { key: 'q', value: 'a b' },
        { key: 'from', value: '{{contact.channel.address}}' },
      ],
    },
    [],
    {
      request: { get: 'https://a.example/x?q=a%20b&from=${ call.from }' },
      exits: { ok: END, not_found: END, failed: END },
    },
  ],
  [
    'run-function',
    { url: 'https://f.example/look-up', parameters: [{ key: 'id', value: '{{flow.data.id}}' }] },
    [to('success'), to('fail')],
    {
      request: { post: 'https://f.example/look-up', form: { id: '${ input.id }' } },
      exits: { ok: 'bye', not_found: 'bye', failed: 'bye' },
    },
  ],
  [
    'set-variables',
    { variables: [{ key: 'tries', value: '{{flow.variables.tries | plus: 1}}' }] },
    [to('next')],
    { set: { tries: '${ ($number(vars.tries ? vars.tries : 0) + 1) }' }, next: 'bye' },
  ],
  [
    'send-message',
    { body: 'Thank you, {{trigger.call.From}}', from: '{{flow.channel.address}}', to: '{{contact.channel.address}}' },
    [to('sent'), to('failed')],
    {
      message: { to: '${ call.from }', text: 'Thank you, ${ call.from }' },
      exits: { sent: 'bye', refused: 'bye', error: 'bye' },
    },
  ],
  [
    'send-message',
    { body: 'See this', from: 'Shop', media_url: 'https://a.example/x.png' },
    [],
    {
      message: { to: '${ call.from }', text: 'See this', from: 'Shop' },
      exits: { sent: END, refused: END, error: END },
    },
    'workaround',
  ],
  [
    'enqueue-call',
    { queue_name: 'support' },
    [to('callComplete')],
    { queue: { name: 'support', wait_for_agents: true }, exits: { dequeued: 'bye', full: END } },
  ],
  [
    'capture-payments',
    { payment_amount: '{{flow.variables.due}}', currency: 'eur', security_code: false, postal_code: 'false' },
    [to('success'), to('payInterrupted')],
    {
      pay: {
        amount: '${ $number(vars.due) }',
        currency: 'EUR',
        security_code: false,
        attempts: 2,
        start_timeout: '5s',
      },
      exits: { paid: 'bye', declined: END, failed: END, cancelled: 'bye', exhausted: END, error: END },
    },
  ],
  [
    'send-to-flex',
    { workflow: 'WW1', priority: '5', timeout: '600' },
    [to('callComplete'), to('failedToEnqueue')],
    {
      queue: { name: 'WW1', wait_for_agents: true, priority: 5, timeout: '600s' },
      exits: { dequeued: 'bye', full: 'bye', timeout: 'bye' },
    },
    'workaround',
  ],
  [
    'gather-input-on-call',
    { say: 'Press or say it.', hints: 'one', finish_on_key: '' },
    [to('keypress', 'one'), to('speech'), to('timeout')],
    {
      collect: {
        prompt: 'Press or say it.',
        digits: { terminator: '' },
        speech: { hints: ['one'] },
        attempts: 1,
        start_timeout: '5s',
        inter_digit_timeout: '5s',
      },
      exits: { digits: 'one', speech: 'bye', exhausted: 'bye' },
    },
  ],
  [
    'make-http-request',
    {
      method: 'POST',
      url: 'https://a.example/x',
      content_type: 'application/x-www-form-urlencoded;charset=utf-8',
      body: 'from={{trigger.call.From}}',
    },
    [],
    {
      request: {
        post: 'https://a.example/x',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'from=${ call.from }',
      },
      exits: { ok: END, not_found: END, failed: END },
    },
  ],
  [
    'fork-stream',
    { stream_action: 'start', stream_url: 'wss://a.example' },
    [to('next')],
    {
      stream: { action: 'start', url: 'wss://a.example', tracks: 'inbound' },
      exits: { started: 'bye', failed: 'bye' },
    },
  ],
];

describe('a widget', () => {
  it.each(WIDGETS)('imports the widget %s %j', (type, properties, transitions, step, fidelity = 'exact') => {
    const source = studio({ name: 'one', type, properties, transitions }, bye);
    using folder = folderOf({ 'prompts/hi.wav': '' });
    const result = imported({ 'shop.json': source }, { folder: folder.path });
    expect(result.steps['one']).toEqual(step);
    expect(result.nodes.find(({ name }) => name === 'one')!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it('calls another flow of the source, which has the id of its file', () => {
    const called = JSON.stringify({
      states: [
        { name: 'Trigger', type: 'trigger', transitions: [{ event: 'incomingParent', next: 'hi' }], properties: {} },
        {
          name: 'hi',
          type: 'say-play',
          transitions: [],
          properties: { say: 'Hi {{trigger.parent.parameters.name}}.' },
        },
      ],
      initial_state: 'Trigger',
    });
    const calling: State = {
      name: 'one',
      type: 'run-subflow',
      properties: { flow_sid: 'FW12', parameters: [{ key: 'name', value: '{{flow.data.name}}' }] },
      transitions: [to('completed'), to('failed')],
    };
    const result = imported({ 'shop.json': studio(calling, bye), 'FW12.json': called });
    expect(errorsOf(result)).toEqual([]);
    expect(result.nodes.filter(({ fidelity }) => fidelity !== 'exact')).toEqual([]);
    expect(result.steps['one']).toEqual({
      subflow: { flow: 'FW12', input: { name: '${ input.name }' } },
      exits: { done: 'bye', error: 'bye' },
    });
    expect(result.flows.map(({ name }) => name)).toEqual(['shop', 'FW12']);
    expect(stepsOf(result.flows[1]!.text)).toEqual({ hi: { play: 'Hi ${ input.name }.', next: END } });
  });

  it.each<[string, object, string]>([
    ['send-message', {}, 'send a message without a text'],
    ['capture-payments', { payment_method: 'ACH_DEBIT' }, 'take a payment by ACH_DEBIT'],
    ['run-subflow', { flow_sid: 'FW1' }, 'call the flow FW1'],
    ['hologram', {}, 'do what the widget hologram does'],
    ['say-play', { say: '{% for x in y %}{% endfor %}' }, '{% for x in y %} has no counterpart'],
    ['say-play', { say: '{{widgets.gone.Digits}} you said' }, '{{widgets.gone.Digits}} has no counterpart'],
    ['say-play', { play: 'https://a.example/gone.ogg' }, 'play https://a.example/gone.ogg'],
    ['make-http-request', { url: '/relative' }, 'ask /relative'],
    ['split-based-on', { input: '{{flow.variables.x}}' }, 'it has a transition without a condition'],
  ])('marks %s %j as todo, with its routes', (type, properties, what) => {
    const transitions = [to('sent'), { event: 'match', next: 'bye' }, to('timeout')];
    const result = imported({ 'shop.json': studio({ name: 'one', type, properties, transitions }, bye) });
    const step = result.steps['one'] as { todo: { outcomes: string[]; source: object }; exits: object };
    expect(step.todo).toMatchObject({ what: expect.stringContaining(what), outcomes: ['sent', 'match', 'on_timeout'] });
    expect(step.exits).toEqual({ sent: 'bye', match: 'bye', on_timeout: 'bye' });
    expectTodo(result, what);
  });
});

describe('conditions', () => {
  const gather: State = {
    name: 'ask',
    type: 'gather-input-on-call',
    properties: { say: 'Press a key.' },
    transitions: [to('keypress', 'sort')],
  };
  const sorted = (condition: object, input = '{{widgets.ask.Digits}}') =>
    imported({
      'shop.json': studio(
        gather,
        {
          name: 'sort',
          type: 'split-based-on',
          properties: { input },
          transitions: [{ event: 'match', next: 'bye', conditions: [condition] }, to('noMatch')],
        },
        bye,
      ),
    });

  it.each([
    [{ type: 'equal_to', value: '1' }, "steps.ask.digits = '1'"],
    [{ type: 'matches_any_of', value: '1, 2' }, "steps.ask.digits in ['1', '2']"],
    [{ type: 'is_blank', value: '' }, "steps.ask.digits = ''"],
    [{ type: 'starts_with', value: '00' }, "$substring(steps.ask.digits, 0, 2) = '00'"],
    [{ type: 'contains', value: '9' }, "$contains(steps.ask.digits, '9')"],
    [{ type: 'regex', value: '^[1-3]$' }, '$count($match($string(steps.ask.digits), /^[1-3]$/)) > 0'],
    [{ type: 'is_after_time', value: '18:00' }, "$now('[H01]:[m01]') > '18:00'"],
  ])('translates the condition %j', (condition, when) => {
    const result = sorted(condition);
    expect(result.steps['sort']).toEqual({ branch: [{ when, next: 'bye' }, { else: 'bye' }] });
    expect(errorsOf(result)).toEqual([]);
  });

  it('ignores upper and lower case of spoken words', () => {
    const { steps } = sorted({ type: 'equal_to', value: ' Yes' }, '{{flow.variables.answer}}');
    expect(steps['sort']).toMatchObject({ branch: [{ when: "$lowercase($trim($string(vars.answer))) = 'yes'" }, {}] });
  });
});

describe('a whole flow', () => {
  it('behaves on a call as the source does', async () => {
    const source = studio(
      {
        name: 'menu',
        type: 'gather-input-on-call',
        properties: { say: 'Press 1 for your order.', number_of_digits: 1 },
        transitions: [to('keypress', 'sort'), to('timeout', 'menu')],
      },
      {
        name: 'sort',
        type: 'split-based-on',
        properties: { input: '{{widgets.menu.Digits}}' },
        transitions: [
          { event: 'match', next: 'order', conditions: [{ type: 'equal_to', value: '1' }] },
          to('noMatch', 'menu'),
        ],
      },
      {
        name: 'order',
        type: 'make-http-request',
        properties: { method: 'GET', url: 'https://a.example/orders' },
        transitions: [to('success', 'tell'), to('failed')],
      },
      {
        name: 'tell',
        type: 'say-play',
        properties: { say: 'It is {{widgets.order.parsed.state | upcase}}.' },
        transitions: [to('audioComplete')],
      },
      bye,
    );
    using folder = folderOf({
      'shop.json': source,
      'shop.test.yaml': `test: an order
flow: shop
mocks: { order: { status: 200, body: { state: sent } } }
script: [hear: "Press 1 for your order.", press: "2", hear: "Press 1 for your order.", press: "1", hear: It is SENT., hear: Good bye.]
`,
    });
    const made = await callweave(['import', 'shop.json', '--json'], { cwd: folder.path });
    expect(JSON.parse(made.out)).toMatchObject({
      format: 'twilio-studio',
      files: ['shop.flow.yaml'],
      fidelity: { exact: 6, todo: 0 },
    });
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out, tested.out + tested.err).toMatch(/^1 test passed, 0 failed/m);
    const again = await callweave(['import', 'shop.json'], { cwd: folder.path });
    expect(again.code).toBe(1);
    expect(again.err).toContain('shop.flow.yaml already exists, nothing was written');
  });

  it('keeps widgets apart whose names are the same word, or words of the language', () => {
    const names = ['1st', 'a-b', 'a_b', '__proto__', 'constructor', 'é', '销售', 'a\u202eb'];
    const states = names.map((name, index) => ({ ...bye, name, transitions: [to('audioComplete', names[index + 1])] }));
    const { flows, findings } = imported({ 'shop.json': studio(...states) });
    expect(Object.keys(stepsOf(flows[0]!.text))).toEqual([
      '_1st',
      'a_b',
      'a_b_2',
      'proto',
      'constructor',
      'é',
      '销售',
      'a_b_3',
    ]);
    expect(findings).toEqual([]);
  });
});
