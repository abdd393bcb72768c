/** NCCO as flows: each action with its keys, documents that lead to each other, and what has no counterpart. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { Fidelity } from '../../src/importers/imported.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported } from './imported.ts';

const END = '$end';

const document = (...actions: Json[]): Readonly<Record<string, string>> => ({ 'source.json': JSON.stringify(actions) });

type Row = [actions: JsonObject[], steps: Record<string, JsonObject>, fidelity?: Fidelity];

const QUESTION = { action: 'talk', text: 'Press 1 for sales.', bargeIn: true };
const HERE = { eventUrl: ['https://a.example/source'] };

/** Each with nothing else in its document; the fidelity is that of the last one. */
const ACTIONS: Row[] = [
  [[{ action: 'talk', text: 'Hello there.' }], { say_hello_there: { play: 'Hello there.', next: END } }],
  [
    [{ action: 'talk', text: 'Bon jour', language: 'fr-FR', voiceName: 'Mathieu' }],
    { say_bon_jour: { play: { text: 'Bon jour', voice: 'male', language: 'fr-FR' }, next: END } },
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
    { call_111: { bridge: { to: 'user:_111', ring_timeout: '60s' }, exits: { completed: END, failed: END } } },
    'workaround',
  ],
  [
    [{ action: 'connect', endpoint: [{ type: 'websocket', uri: 'wss://a.example/s' }] }],
    {
      stream: {
        stream: { action: 'start', url: 'wss://a.example/s', bidirectional: true },
        exits: { started: 'talk_to_program', failed: END },
      },
      talk_to_program: {
        wait_for: { events: ['stream_done'], timeout: '4h' },
        exits: { stream_done: END, timeout: END },
      },
    },
    'workaround',
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
];

describe('an action', () => {
  it.each(ACTIONS)('%j', (actions, steps, fidelity = 'exact') => {
    using folder = folderOf({ 'prompts/in tro.wav': '' });
    const result = imported(document(...actions), { folder: folder.path });
    expect(result.steps).toEqual(steps);
    expect(result.nodes.at(-1)!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [{ action: 'talk' }, 'it says nothing'],
    [{ action: 'stream', streamUrl: ['https://a.example/gone.mp3'] }, 'play https://a.example/gone.mp3: put it into'],
    [{ action: 'input', type: ['dtmf'], mode: 'asynchronous' }, 'take keys beside the actions that follow'],
    [{ action: 'input', type: ['dtmf'] }, 'do what the event URL of the application answers'],
    [
      { action: 'input', type: ['dtmf'], eventUrl: ['https://a.example/next'] },
      'do what https://a.example/next answers',
    ],
    [{ action: 'connect', endpoint: [{ type: 'pigeon' }] }, 'connect the caller with pigeon'],
    [{ action: 'connect' }, 'connect the caller with nobody'],
    [
      { action: 'connect', endpoint: [{ type: 'phone', number: '447700900001', dtmfAnswer: '2p02p' }] },
      'press 2p02p when the other side has answered',
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
    [{ action: 'transfer', conversation_id: 'CON-1' }, 'move the call into another conversation'],
    [{ action: 'pay', amount: 9 }, 'take the payment'],
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

  it('are one flow', () => {
    const result = imported(files);
    expect(errorsOf(result)).toEqual([]);
    expect(result.steps).toMatchObject({
      say_welcome_to_example: { next: 'ask_press_1_for_sales' },
      ask_press_1_for_sales: { exits: { collected: 'say_thank_you_for_that', exhausted: 'say_thank_you_for_that' } },
    });
    expect(result.nodes.map(({ fidelity }) => fidelity)).toEqual(['exact', 'exact', 'exact', 'exact']);
  });

  it('behave on a call as the source does', async () => {
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
