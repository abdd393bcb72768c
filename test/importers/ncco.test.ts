/** NCCO as flows: each action with its keys, documents that reference others, and unsupported parts. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import type { Fidelity } from '../../src/language/importers/imported.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported } from './imported.ts';

const END = '$end';

const document = (...actions: Json[]): Readonly<Record<string, string>> => ({ 'source.json': JSON.stringify(actions) });

type Row = [actions: JsonObject[], steps: Record<string, JsonObject>, fidelity?: Fidelity];

const QUESTION = { action: 'talk', text: 'Press 1 for sales.', bargeIn: true };
const HERE = { eventUrl: ['https://a.example/source'] };

/** One action for each document; the fidelity is that of the last action. */
const ACTIONS: Row[] = [
  [[{ action: 'talk', text: 'Hello there.' }], { say_hello_there: { play: 'Hello there.', next: END } }],
  [
    [{ action: 'talk', text: 'Bon jour', language: 'fr-FR', voiceName: 'Mathieu' }],
    { say_bon_jour: { play: { text: 'Bon jour', voice: ['Mathieu', 'male'], language: 'fr-FR' }, next: END } },
  ],
  [
    [{ action: 'talk', text: '<speak>Wait <break time="1s"/> here</speak>' }],
    { say_wait_here: { play: { ssml: '<speak>Wait <break time="1s"/> here</speak>' }, next: END } },
  ],
  [[{ action: 'talk', text: 'Costs ${ 5 }' }], { say_costs_5: { play: 'Costs $${ 5 }', next: END } }],
  [
    [{ action: 'talk', text: 'Once more.', loop: 2 }],
    { say_once_more: { play: { prompt: 'Once more.', repeat: 2 }, next: END } },
  ],
  [
    [{ action: 'talk', text: 'For ever.', loop: 0 }],
    { say_for_ever: { play: { prompt: 'For ever.', repeat: 1000 }, next: END } },
    'workaround',
  ],
  [
    [
      { action: 'talk', text: 'One two.' },
      { action: 'stream', streamUrl: ['https://a.example/in%20tro.mp3'] },
    ],
    { say_one_two: { play: ['One two.', { audio: 'in tro.wav' }], next: END } },
  ],
  [[{ action: 'wait', timeout: 0.5 }], { pause: { pause: '500ms', next: END } }],
  [[{ action: 'wait' }], { pause: { pause: '10s', next: END } }],
  [
    [QUESTION, { action: 'input', type: ['dtmf'], dtmf: { maxDigits: 1, timeOut: 5 }, ...HERE }],
    {
      ask_press_1_for_sales: {
        collect: {
          prompt: 'Press 1 for sales.',
          attempts: 1,
          digits: { max: 1, terminator: '' },
          start_timeout: '5s',
          inter_digit_timeout: '5s',
        },
        exits: { collected: 'ask_press_1_for_sales', exhausted: 'ask_press_1_for_sales', limit: END },
        max_visits: 50,
      },
    },
  ],
  [
    [
      { action: 'talk', text: 'To the end.' },
      { action: 'input', type: ['dtmf'], dtmf: { submitOnHash: true }, ...HERE },
    ],
    {
      ask_to_the_end: {
        collect: {
          prompt: 'To the end.',
          attempts: 1,
          digits: { max: 4 },
          start_timeout: '3s',
          inter_digit_timeout: '3s',
          barge_in: false,
          typeahead: 'flush',
        },
        exits: { collected: 'ask_to_the_end', exhausted: 'ask_to_the_end', limit: END },
        max_visits: 50,
      },
    },
  ],
  [
    [
      QUESTION,
      {
        action: 'input',
        type: ['speech', 'dtmf'],
        speech: { language: 'en-GB', context: ['sales'], endOnSilence: 1, startTimeout: 7 },
        ...HERE,
      },
    ],
    {
      ask_press_1_for_sales: {
        collect: {
          prompt: 'Press 1 for sales.',
          attempts: 1,
          speech: { hints: ['sales'], language: 'en-GB' },
          start_timeout: '7s',
          recognizer_timeout: '1s',
          digits: { max: 4, terminator: '' },
          inter_digit_timeout: '3s',
        },
        exits: { collected: 'ask_press_1_for_sales', exhausted: 'ask_press_1_for_sales', limit: END },
        max_visits: 50,
      },
    },
  ],
  [
    [{ action: 'record', endOnSilence: 3, endOnKey: '#', timeOut: 30, beepStart: true }],
    {
      record: {
        record: { max_length: '30s', end_silence: '3s' },
        exits: { recorded: END, silence: END },
      },
    },
  ],
  [
    [{ action: 'record', eventUrl: ['https://a.example/recordings'] }],
    { start_recording: { recording: 'start', exits: { started: END, failed: END } } },
  ],
  [
    [{ action: 'connect', from: '447700900000', limit: 600, endpoint: [{ type: 'phone', number: '447700900001' }] }],
    {
      call_447700900001: {
        bridge: { to: '+447700900001', from: '+447700900000', ring_timeout: '60s', max_duration: '600s' },
        exits: { completed: END, failed: END },
      },
    },
  ],
  [
    [
      {
        action: 'connect',
        timeout: 20,
        machineDetection: 'hangup',
        endpoint: [{ type: 'sip', uri: 'sip:rebekka@sip.example.com', headers: { location: 'New York' } }],
      },
    ],
    {
      call_rebekka: {
        bridge: {
          to: 'sip:rebekka@sip.example.com',
          ring_timeout: '20s',
          detect_machine: true,
          headers: { 'X-location': 'New York' },
        },
        exits: { completed: END, failed: END, machine: END },
      },
    },
  ],
  [
    [{ action: 'connect', endpoint: [{ type: 'app', user: 'jamie' }] }],
    { call_jamie: { bridge: { to: 'user:jamie', ring_timeout: '60s' }, exits: { completed: END, failed: END } } },
  ],
  [
    [{ action: 'connect', endpoint: [{ type: 'vbc', extension: '111' }] }],
    { call_111: { bridge: { to: 'user:111', ring_timeout: '60s' }, exits: { completed: END, failed: END } } },
  ],
  [
    [{ action: 'connect', endpoint: [{ type: 'websocket', uri: 'wss://a.example/s' }] }],
    {
      talk_to_program: {
        stream: { action: 'start', url: 'wss://a.example/s', bidirectional: true, wait: true },
        exits: { done: END, failed: END },
      },
    },
  ],
  [
    [{ action: 'conversation', name: 'Room 1', startOnEnter: false, endOnExit: true, record: true, mute: true }],
    {
      meet: {
        conference: { name: 'Room 1', wait_for_moderator: true, end_on_exit: true, muted: true, record: true },
        exits: { left: END, ended: END, full: END },
      },
    },
  ],
  [
    [{ action: 'conversation', name: 'Room 1', canSpeak: [] }],
    {
      meet: {
        conference: { name: 'Room 1', moderator: true, muted: true },
        exits: { left: END, ended: END, full: END },
      },
    },
  ],
  [
    [{ action: 'notify', payload: { foo: '${ x }' } }],
    { notify: { notify: { event: 'notify', body: { foo: '$${ x }' } }, next: END } },
  ],
  [
    [{ action: 'notify', payload: { foo: 1 }, eventUrl: ['https://a.example/n'] }],
    {
      notify: {
        request: { post: 'https://a.example/n', body: { foo: 1 } },
        exits: { ok: END, not_found: END, failed: END },
      },
    },
    'workaround',
  ],
  [
    [{ action: 'notify', payload: { foo: 1 }, eventUrl: ['https://a.example/source'] }],
    {
      notify: {
        request: { post: 'https://a.example/source', body: { foo: 1 } },
        exits: { ok: 'notify', not_found: END, failed: END, limit: END },
        max_visits: 50,
      },
    },
  ],
  [
    [
      {
        ...{ action: 'pay', amount: 9.99, currency: 'eur', voice: { language: 'en-GB' } },
        prompts: [{ type: 'CardNumber', text: 'Your card number, please.' }],
      },
    ],
    {
      pay: {
        pay: {
          amount: 9.99,
          currency: 'EUR',
          prompts: { card_number: { text: 'Your card number, please.', language: 'en-GB' } },
        },
        exits: { paid: END, declined: END, cancelled: END, exhausted: END, failed: END },
      },
    },
  ],
  [
    [{ action: 'record', beepStart: true }],
    {
      beep: { play: { tone: 1000, duration: '300ms' }, next: 'start_recording' },
      start_recording: { recording: 'start', exits: { started: END, failed: END } },
    },
  ],
  [
    [{ action: 'connect', endpoint: [{ type: 'phone', number: '447700900001', dtmfAnswer: '2p02p#' }] }],
    {
      call_447700900001: {
        bridge: { to: '+447700900001', ring_timeout: '60s', send_digits: '2w02w#' },
        exits: { completed: END, failed: END },
      },
    },
  ],
  [
    [
      { action: 'transfer', conversation_id: 'CON-1', mute: true, startOnEnter: true, endOnExit: true, record: true },
      { action: 'talk', text: 'Not any more.' },
    ],
    {
      meet: {
        conference: { name: 'CON-1', muted: true },
        exits: { left: END, ended: END, full: END },
      },
      say_not_any_more: { play: 'Not any more.', next: END },
    },
  ],
];

describe('an action', () => {
  it.each(ACTIONS)('imports the actions %j', (actions, steps, fidelity = 'exact') => {
    using folder = folderOf({ 'prompts/in tro.wav': '' });
    const result = imported(document(...actions), { folder: folder.path });
    expect(result.steps).toEqual(steps);
    expect(result.nodes.at(-1)!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [{ action: 'talk' }, 'it has no text or sound to play'],
    [{ action: 'stream', streamUrl: ['https://a.example/gone.ogg'] }, 'play https://a.example/gone.ogg: put it into'],
    [{ action: 'input', type: ['dtmf'], mode: 'asynchronous' }, 'take keys beside the actions that follow'],
    [{ action: 'input', type: ['dtmf'] }, 'do what the event URL of the application answers'],
    [
      { action: 'input', type: ['dtmf'], eventUrl: ['https://a.example/next'] },
      'do what https://a.example/next answers',
    ],
    [{ action: 'connect', endpoint: [{ type: 'pigeon' }] }, 'connect the caller with pigeon'],
    [{ action: 'connect' }, 'connect the caller with a party that the source does not name'],
    [
      { action: 'connect', endpoint: [{ type: 'phone', number: '447700900001', dtmfAnswer: 'call me' }] },
      'press call me when the other side has answered',
    ],
    [
      {
        action: 'connect',
        endpoint: [{ type: 'phone', number: '447700900001', onAnswer: { url: 'https://a.example/w' } }],
      },
      'whisper what https://a.example/w answers',
    ],
    [
      {
        action: 'connect',
        endpoint: [{ type: 'phone', number: '447700900001' }],
        eventType: 'synchronous',
        eventUrl: ['https://a.example/failed'],
      },
      'do what https://a.example/failed answers',
    ],
    [{ action: 'conversation' }, 'meet others in a conversation without a name'],
    [{ action: 'notify', payload: {}, eventUrl: ['https://a.example'], eventMethod: 'GET' }, 'send the payload to'],
    [{ action: 'transfer' }, 'move the call into another conversation: it names none'],
    [{ action: 'pay' }, 'take the payment'],
    [{ action: 'wobble' }, 'do what the action wobble does'],
  ])('%j is to be written, and check says so', (action, what) => {
    const result = imported(document(action), {}, 'ncco');
    expectTodo(result, what);
  });

  it('is named with its place in the source', () => {
    const text =
      '[\n  { "action": "talk", "text": "Press 1.", "bargeIn": true },\n  { "action": "input", "type": ["dtmf"] }\n]';
    const { nodes } = imported({ 'source.json': text });
    expect(nodes.map(({ kind, line, column, steps }) => [kind, line, column, steps])).toEqual([
      ['talk', 2, 3, ['ask_press_1']],
      ['input', 3, 3, ['ask_press_1', 'ask_event_url']],
    ]);
  });
});

describe('audio of the called party', () => {
  const calling = (url: string): JsonObject => ({
    action: 'connect',
    endpoint: [{ type: 'phone', number: '447700900001', onAnswer: { url } }],
  });

  it('is whispered where a document says something', () => {
    const result = imported({
      'source.json': JSON.stringify([calling('https://a.example/whisper')]),
      'whisper.json': JSON.stringify([
        { action: 'talk', text: 'A call for sales.' },
        { action: 'stream', streamUrl: ['https://a.example/gong.wav'] },
      ]),
    });
    expect(result.steps).toMatchObject({
      call_447700900001: { bridge: { whisper: ['A call for sales.', { audio: 'https://a.example/gong.wav' }] } },
    });
    expect(Object.keys(result.steps)).toEqual(['call_447700900001']);
    expect(result.nodes.map(({ kind, fidelity, steps }) => [kind, fidelity, steps])).toEqual(
      ['connect', 'talk', 'stream', 'onAnswer'].map((kind) => [kind, 'exact', ['call_447700900001']]),
    );
    expect(errorsOf(result)).toEqual([]);
  });

  it('is to be written where a document asks, and its actions are not lost', () => {
    const { nodes } = imported({
      'source.json': JSON.stringify([calling('https://a.example/ask')]),
      'ask.json': JSON.stringify([{ action: 'talk', text: 'Press 1.', bargeIn: true }, { action: 'input' }]),
    });
    expect(nodes.map(({ kind, fidelity }) => [kind, fidelity])).toEqual([
      ['connect', 'exact'],
      ['talk', 'todo'],
      ['input', 'todo'],
      ['onAnswer', 'todo'],
    ]);
  });
});

describe('documents that lead to each other', () => {
  const files = {
    'answer.json': JSON.stringify({
      ncco: [
        { action: 'talk', text: 'Welcome to Example.' },
        QUESTION,
        { action: 'input', type: ['dtmf'], dtmf: { maxDigits: 1 }, eventUrl: ['https://a.example/menu.json?x=1'] },
      ],
    }),
    'menu.json': JSON.stringify([{ action: 'talk', text: 'Thank you for that.' }]),
  };

  it('are imported as one flow', () => {
    const result = imported(files);
    expect(errorsOf(result)).toEqual([]);
    expect(result.steps).toMatchObject({
      say_welcome_to_example: { next: 'ask_press_1_for_sales' },
      ask_press_1_for_sales: { exits: { collected: 'say_thank_you_for_that', exhausted: 'say_thank_you_for_that' } },
    });
    expect(result.nodes.map(({ fidelity }) => fidelity)).toEqual(['exact', 'exact', 'exact', 'exact']);
  });

  it('continues by pressed keys, spoken words and the result of the call', () => {
    const connect = {
      ...{ action: 'connect', eventType: 'synchronous', eventUrl: ['https://a.example/missed'] },
      endpoint: [{ type: 'app', user: 'jamie' }],
    };
    const result = imported({
      'source.json': JSON.stringify([QUESTION, { action: 'input', eventUrl: ['https://a.example/menu'] }]),
      'menu?dtmf=1.json': JSON.stringify([connect]),
      'menu.json': JSON.stringify([{ action: 'talk', text: 'Good bye then.' }]),
      'missed?status=busy.json': JSON.stringify([{ action: 'talk', text: 'It is busy.' }]),
      'missed.json': JSON.stringify([{ action: 'talk', text: 'Nobody is there.' }]),
    });
    expect(errorsOf(result)).toEqual([]);
    expect(result.steps).toMatchObject({
      ask_press_1_for_sales: { exits: { collected: 'by_answer_of_menu', exhausted: 'by_answer_of_menu' } },
      by_answer_of_menu: {
        branch: [
          { when: "$lowercase(steps.ask_press_1_for_sales.digits) = '1'", next: 'call_jamie' },
          { else: 'say_good_bye_then' },
        ],
      },
      call_jamie: { exits: { completed: END, failed: 'by_answer_of_missed' } },
      by_answer_of_missed: { branch: [{ next: 'say_it_is_busy' }, { else: 'say_nobody_is_there' }] },
    });
  });

  it('behaves on a call as the source does', async () => {
    using folder = folderOf({
      ...files,
      'answer.test.yaml': `test: somebody who interrupts the question
flow: answer
script: [hear: Welcome to Example., hear: "Press 1 for sales.", press: "1", hear: Thank you for that.]
expect:
  path: [say_welcome_to_example, ask_press_1_for_sales, say_thank_you_for_that]
`,
    });
    const made = await callweave(['import', 'answer.json', 'menu.json'], { cwd: folder.path });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('4 nodes: 4 exact, 0 nearly, 0 to do\nwritten answer.flow.yaml');
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^1 test passed, 0 failed/m);
  });
});
