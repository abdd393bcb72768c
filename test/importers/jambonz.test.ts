/** Documents of jambonz as flows: each verb with its keys, documents that reference others, and unsupported parts. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { Fidelity } from '../../src/language/importers/imported.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported } from './imported.ts';

const END = '$end';

const document = (...verbs: JsonObject[]): Readonly<Record<string, string>> => ({
  'source.json': JSON.stringify(verbs),
});

type Row = [verbs: JsonObject[], steps: Record<string, JsonObject>, fidelity?: Fidelity];

const ROUND = { max_visits: 50 };

/** One verb for each document; the fidelity is that of the first verb. */
const VERBS: Row[] = [
  [[{ verb: 'say', text: 'Hello there.' }], { say_hello_there: { play: 'Hello there.', next: END } }],
  [
    [{ verb: 'say', text: 'Bon jour', synthesizer: { vendor: 'google', language: 'fr-FR', gender: 'MALE' } }],
    { say_bon_jour: { play: { text: 'Bon jour', voice: 'male', language: 'fr-FR' }, next: END } },
  ],
  [
    [
      { verb: 'config', synthesizer: { language: 'de-DE', voice: 'Hans' } },
      { verb: 'say', text: 'Guten Tag' },
      { verb: 'config', reset: ['synthesizer'] },
      { verb: 'say', text: 'Good day' },
    ],
    {
      say_guten_tag: { play: { text: 'Guten Tag', voice: ['Hans', 'male'], language: 'de-DE' }, next: 'say_good_day' },
      say_good_day: { play: 'Good day', next: END },
    },
  ],
  [
    [{ verb: 'say', text: ['Hello there.', 'Good day.'] }],
    { say_hello_there: { play: 'Hello there.', next: END } },
    'workaround',
  ],
  [
    [{ verb: 'say', text: 'For ever.', loop: 'forever' }],
    { say_for_ever: { play: { prompt: 'For ever.', repeat: 1000 }, next: END } },
    'workaround',
  ],
  [
    [{ verb: 'say', text: 'Not yet answered.', earlyMedia: true }],
    { say_not_yet_answered: { play: { prompt: 'Not yet answered.', early: true }, next: END } },
  ],
  [
    [
      { verb: 'play', url: 'https://a.example/intro.mp3' },
      { verb: 'pause', length: 1.5 },
      { verb: 'say', text: 'Costs ${ 5 }' },
    ],
    { say_intro_wav: { play: [{ audio: 'intro.wav' }, { silence: '1500ms' }, 'Costs $${ 5 }'], next: END } },
  ],
  [[{ verb: 'pause', length: 90 }], { pause: { pause: '90s', next: END } }],
  [
    [
      {
        verb: 'gather',
        input: ['digits', 'speech'],
        numDigits: 5,
        finishOnKey: '#',
        timeout: 8,
        bargein: true,
        dtmfBargein: true,
        recognizer: { vendor: 'google', language: 'en-US', hints: ['sales', { phrase: 'support', boost: 2 }] },
        say: { text: 'Press five keys.' },
        actionHook: '/source',
      },
    ],
    {
      ask_press_five_keys: {
        collect: {
          prompt: 'Press five keys.',
          digits: { length: 5 },
          speech: { hints: ['sales', 'support'], language: 'en-US' },
          attempts: 1,
          start_timeout: '8s',
          inter_digit_timeout: '8s',
        },
        exits: { collected: 'ask_press_five_keys', exhausted: 'ask_press_five_keys', limit: END },
        ...ROUND,
      },
    },
  ],
  [
    [{ verb: 'gather', minDigits: 2, maxDigits: 4, interDigitTimeout: 3, play: { url: 'intro.wav' } }],
    {
      ask_intro_wav: {
        collect: {
          prompt: { audio: 'intro.wav' },
          digits: { min: 2, max: 4, terminator: '' },
          attempts: 1,
          start_timeout: '15s',
          inter_digit_timeout: '3s',
          barge_in: false,
        },
        exits: { collected: END, exhausted: END },
      },
    },
  ],
  [
    [
      {
        verb: 'dial',
        callerId: '+15551234567',
        timeLimit: 600,
        headers: { 'X-A': 1 },
        target: [
          { type: 'phone', number: '+1 (555) 765-4321' },
          { type: 'sip', sipUri: 'sip:joe@example.com', headers: { 'X-B': 'two' } },
          { type: 'user', name: 'jane@sip.example.com' },
        ],
      },
    ],
    {
      call_15557654321: {
        bridge: {
          to: [['+15557654321', 'sip:joe@example.com', 'user:jane']],
          from: '+15551234567',
          ring_timeout: '60s',
          max_duration: '600s',
          headers: { 'X-A': '1', 'X-B': 'two' },
        },
        exits: { completed: END, failed: END },
      },
    },
  ],
  [
    [
      {
        verb: 'dial',
        timeout: 10,
        listen: { url: 'wss://a.example/s', mixType: 'stereo' },
        target: [{ type: 'sip', sipUri: 'sip:joe@example.com' }],
      },
    ],
    {
      start_stream: {
        stream: { action: 'start', url: 'wss://a.example/s', tracks: 'both' },
        exits: { started: 'call_joe', failed: 'call_joe' },
      },
      call_joe: {
        bridge: { to: 'sip:joe@example.com', ring_timeout: '10s' },
        exits: { completed: END, failed: END },
      },
    },
  ],
  [
    [{ verb: 'conference', name: 'Room 1', startConferenceOnEnter: false, joinMuted: true, beep: true }],
    {
      meet: {
        conference: { name: 'Room 1', wait_for_moderator: true, muted: true, join_sound: { tone: 440 } },
        exits: { left: END, ended: END, full: END },
      },
    },
  ],
  [
    [{ verb: 'enqueue', name: 'support', waitHook: '/wait' }],
    { queue_support: { queue: { name: 'support', wait_for_agents: true }, exits: { dequeued: END, full: END } } },
    'workaround',
  ],
  [
    [{ verb: 'enqueue', name: 'support', priority: 5 }],
    {
      queue_support: {
        queue: { name: 'support', wait_for_agents: true, priority: 994 },
        exits: { dequeued: END, full: END },
      },
    },
  ],
  [
    [{ verb: 'dequeue', name: 'support', timeout: 30, beep: true }],
    {
      serve_support: {
        serve: {
          queue: 'support',
          once: true,
          timeout: '30s',
          whisper: { tone: 1000, duration: '300ms' },
          pause_key: '',
          leave_key: '',
        },
        exits: { served: END, left: END, timeout: END },
      },
    },
  ],
  [
    [
      {
        ...{ verb: 'llm', vendor: 'openai', model: 'gpt-realtime', auth: { apiKey: 'sk-secret' } },
        toolHook: 'https://a.example/tool',
        llmOptions: {
          response_create: { instructions: 'You know the weather.', voice: 'alloy' },
          session_update: {
            tools: [
              {
                ...{ type: 'function', name: 'get_weather', description: 'The weather of a city.' },
                parameters: {
                  type: 'object',
                  properties: { city: { type: 'string' }, days: { type: 'integer' } },
                  required: ['city'],
                },
              },
            ],
          },
        },
      },
    ],
    {
      talk_openai: {
        assistant: {
          agent: { adapter: 'openai', url: 'wss://api.openai.com/v1/realtime', model: 'gpt-realtime', voice: 'alloy' },
          auth: { bearer: '${ secrets.openai_api_key }' },
          instructions: 'You know the weather.',
          lookups: {
            get_weather: {
              description: 'The weather of a city.',
              arguments: { city: { type: 'string' }, days: { type: 'integer', default: null } },
              request: { post: 'https://a.example/tool', body: { name: 'get_weather', args: '${ result.arguments }' } },
            },
          },
          limits: { duration: '4h', silence: '4h', turns: 1000 },
        },
        exits: { done: END, limit: END, error: END },
      },
    },
  ],
  [
    [{ verb: 'message', to: '+1 555 123 4567', from: '+15551230000', text: 'It costs ${ 5 }.' }],
    {
      send_message: {
        message: { to: '+15551234567', text: 'It costs $${ 5 }.', from: '+15551230000' },
        exits: { sent: END, refused: END },
      },
    },
  ],
  [
    [{ verb: 'listen', url: 'wss://a.example/s' }],
    {
      talk_to_program: {
        stream: { action: 'start', url: 'wss://a.example/s', bidirectional: true, wait: true },
        exits: { done: END, failed: END },
      },
    },
  ],
  [
    [{ verb: 'transcribe', recognizer: { vendor: 'google', language: 'en-US', dualChannel: true } }],
    {
      start_transcript: {
        transcribe: { action: 'start', language: 'en-US', tracks: 'both' },
        exits: { started: END, failed: END },
      },
    },
  ],
  [
    [{ verb: 'config', record: { action: 'startCallRecording' } }],
    { start_recording: { recording: 'start', exits: { started: END, failed: END } } },
  ],
  [
    [{ verb: 'config', listen: { enable: false }, bargeIn: { enable: false } }],
    { stop_stream: { stream: 'stop', exits: { done: END, failed: END } } },
  ],
  [
    [{ verb: 'sip:refer', referTo: 'sip:bob@example.com' }],
    {
      refer: {
        transfer: { to: 'sip:bob@example.com', mode: 'refer' },
        exits: { transferred: END, returned: END, failed: END },
      },
    },
  ],
  [[{ verb: 'sip:decline', status: 486 }], { reject: { reject: { status: 486 } } }],
  [[{ verb: 'hangup' }], { hang_up: { hangup: 'normal' } }],
  [
    [{ verb: 'hangup', headers: { 'X-Reason': 'busy' } }],
    { hang_up: { hangup: { cause: 'normal', headers: { 'X-Reason': 'busy' } } } },
  ],
  [[{ verb: 'answer' }], { answer: { answer: {}, next: END } }],
  [
    [{ verb: 'dtmf', dtmf: '1w2#', duration: 250 }],
    { press_keys: { send_digits: { digits: '1w2#', tone: '250ms' }, next: END } },
  ],
  [
    [{ verb: 'tag', data: { 'customer id': 'a1', vip: true } }],
    { tag: { set: { customer_id: 'a1', vip: true }, next: END } },
    'workaround',
  ],
];

describe('a verb', () => {
  it.each(VERBS)('imports the document %j', (verbs, steps, fidelity = 'exact') => {
    using folder = folderOf({ 'prompts/intro.wav': '' });
    const result = imported(document(...verbs), { folder: folder.path });
    expect(result.steps).toEqual(steps);
    expect(result.nodes[0]!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [{ verb: 'say' }, 'it has no text or sound to play'],
    [{ verb: 'play', url: 'https://a.example/gone.ogg' }, 'play https://a.example/gone.ogg: put it into'],
    [{ verb: 'gather', play: { url: 'https://a.example/q.ogg' } }, 'play https://a.example/q.ogg'],
    [{ verb: 'gather', actionHook: { url: 'https://a.example/next' } }, 'do what https://a.example/next answers'],
    [{ verb: 'redirect', actionHook: '/next' }, 'do what /next answers'],
    [{ verb: 'redirect' }, 'go to another document: it names none'],
    [{ verb: 'dial', target: [{ type: 'teams', number: '+15551234567' }] }, 'connect the caller with teams'],
    [
      { verb: 'dial', target: [{ type: 'phone', number: '+15551234567' }], confirmHook: '/confirm' },
      'ask the one who is called what /confirm answers',
    ],
    [{ verb: 'conference' }, 'meet others in a conference without a name'],
    [{ verb: 'enqueue' }, 'put the caller into a queue without a name'],
    [{ verb: 'dequeue' }, 'serve the next caller of a queue without a name'],
    [{ verb: 'leave' }, 'leave the queue: no `waitHook`'],
    [{ verb: 'listen' }, 'send the sound of the call to a program'],
    [{ verb: 'message', to: '+1', text: 'See', media: ['https://a.example/a.png'] }, 'send the message “See” with its'],
    [{ verb: 'dub', action: 'addTrack' }, 'play a track beneath the call'],
    [{ verb: 'sip:request', method: 'INFO' }, 'send the SIP request INFO'],
    [{ verb: 'config', bargeIn: { enable: true, input: ['speech'] } }, 'take input beside the verbs that follow'],
    [{ verb: 'dialogflow', project: 'p' }, 'connect the caller with the assistant of dialogflow'],
    [{ verb: 'llm', vendor: 'ultravox' }, 'connect the caller with the assistant of ultravox'],
    [
      { verb: 'openai_s2s', toolHook: '/tool', llmOptions: { session_update: { tools: [{ name: 'weather' }] } } },
      'connect the caller with the assistant of openai: its tools are answered by no whole URL',
    ],
    [{ verb: 'wobble' }, 'do what the verb wobble does'],
  ])('%j is to be written, and check says so', (verb, what) => {
    const result = imported(document(verb));
    expectTodo(result, what);
  });

  it('is named with its place in the source', () => {
    const text =
      '[\n  { "verb": "say", "text": "Hello there." },\n  { "verb": "gather",\n    "say": { "text": "Press 1." } }\n]';
    const { nodes } = imported({ 'source.json': text });
    expect(nodes.map(({ kind, line, column, steps }) => [kind, line, column, steps])).toEqual([
      ['say', 2, 3, ['say_hello_there']],
      ['gather', 3, 3, ['ask_press_1']],
      ['say', 4, 12, []],
    ]);
  });

  it('reports settings without a counterpart', () => {
    const { nodes } = imported(document({ verb: 'config', boostAudioSignal: 6, amd: { actionHook: '/amd' } }));
    expect(nodes[0]).toMatchObject({
      fidelity: 'workaround',
      notes: ['the setting boostAudioSignal is not kept', 'the setting amd is not kept'],
    });
  });
});

describe('audio of the other parties', () => {
  it('plays `confirmHook` to the called party if that only speaks', () => {
    const result = imported({
      ...document({
        verb: 'dial',
        target: [
          { type: 'phone', number: '+15551234567' },
          { type: 'user', name: 'jane' },
        ],
        confirmHook: '/confirm',
      }),
      'confirm.json': JSON.stringify([{ verb: 'say', text: 'A call for support.' }]),
    });
    expect(result.steps).toMatchObject({ call_15551234567: { bridge: { whisper: 'A call for support.' } } });
    expect(Object.keys(result.steps)).toHaveLength(1);
    expect(result.nodes.map(({ kind, fidelity }) => [kind, fidelity])).toEqual([
      ['dial', 'exact'],
      ['say', 'exact'],
      ['confirmHook', 'exact'],
    ]);
  });

  it('are counted once where several calls lead to them, however many', () => {
    const dial = { verb: 'dial', target: [{ type: 'phone', number: '+15551234567' }], confirmHook: '/confirm' };
    const confirming = Array.from({ length: 2000 }, () => ({ verb: 'say', text: 'A call.' }));
    const { nodes } = imported({
      ...document(...Array.from({ length: 500 }, () => dial)),
      'confirm.json': JSON.stringify(confirming),
    });
    expect(nodes).toHaveLength(500 + 500 + 2000);
  });

  it('plays to members of a conference who wait', () => {
    const result = imported({
      ...document({ verb: 'conference', name: 'Room 1', waitHook: { url: '/wait' } }),
      'wait.json': JSON.stringify([{ verb: 'say', text: 'It begins soon.' }]),
    });
    expect(result.steps).toMatchObject({ meet: { conference: { music: 'It begins soon.' } } });
    expect(result.nodes.map(({ fidelity }) => fidelity)).toEqual(['exact', 'exact']);
  });

  it('callers in a queue hear a flow of their own, and leave the queue in it', async () => {
    using folder = folderOf({
      ...document({ verb: 'enqueue', name: 'support', waitHook: '/wait' }, { verb: 'say', text: 'Please call again.' }),
      'wait.json': JSON.stringify([
        { verb: 'gather', numDigits: 1, timeout: 8, say: { text: 'Press 1 to leave.' }, actionHook: '/choice' },
      ]),
      'choice.json': JSON.stringify([{ verb: 'say', text: 'You have left the queue.' }, { verb: 'leave' }]),
      'source.test.yaml': `test: somebody who does not want to wait
flow: source
script: [hear: Press 1 to leave., press: "1", hear: You have left the queue., hear: Please call again.]
expect: { outcomes: { queue_support: left } }
`,
    });
    const made = await callweave(['import', 'source.json', 'wait.json', 'choice.json'], { cwd: folder.path });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain(
      '6 nodes: 6 exact, 0 nearly, 0 to do\nwritten source.flow.yaml\nwritten source-wait.flow.yaml',
    );
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^1 test passed, 0 failed/m);
  });
});

describe('documents that lead to each other', () => {
  const files = {
    'welcome.json': JSON.stringify([
      { verb: 'say', text: 'Welcome to Example.' },
      {
        verb: 'gather',
        numDigits: 1,
        timeout: 4,
        dtmfBargein: true,
        say: { text: 'Press 1 for sales.' },
        actionHook: 'https://a.example/menu',
      },
    ]),
    'menu.json': JSON.stringify([
      { verb: 'say', text: 'Thank you for that.' },
      { verb: 'redirect', actionHook: '/welcome' },
    ]),
  };

  it('are one flow, and circles in it end', () => {
    const result = imported(files);
    expect(errorsOf(result)).toEqual([]);
    expect(result.steps).toMatchObject({
      ask_press_1_for_sales: {
        exits: { collected: 'say_thank_you_for_that', exhausted: 'say_thank_you_for_that', limit: END },
        max_visits: 50,
      },
      say_thank_you_for_that: { next: 'say_welcome_to_example' },
    });
  });

  it('continues by the pressed keys and by the result of the call', async () => {
    using folder = folderOf({
      ...document({ verb: 'gather', numDigits: 1, say: { text: 'Press a key.' }, actionHook: '/menu' }),
      'menu?digits=1.json': JSON.stringify([
        { verb: 'dial', target: [{ type: 'phone', number: '+15551234567' }], actionHook: '/after' },
      ]),
      'menu.json': JSON.stringify([{ verb: 'say', text: 'Good bye then.' }]),
      'after?dial_call_status=busy.json': JSON.stringify([{ verb: 'say', text: 'It is busy.' }]),
      'after.json': JSON.stringify([{ verb: 'say', text: 'Thank you for calling.' }]),
      'a.test.yaml': `test: somebody who meets a busy line
flow: source
mocks: { bridge: { "+15551234567": busy } }
script: [hear: Press a key., press: "1", hear: It is busy.]
`,
      'b.test.yaml': `test: somebody who presses another key
flow: source
script: [hear: Press a key., wait: 2s, press: "2", hear: Good bye then.]
`,
    });
    const files = ['source.json', 'menu?digits=1.json', 'menu.json', 'after?dial_call_status=busy.json', 'after.json'];
    expect(await callweave(['import', ...files], { cwd: folder.path })).toMatchObject({ code: 0 });
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^2 tests passed, 0 failed/m);
  });

  it('behaves on a call as the source does', async () => {
    using folder = folderOf({
      ...files,
      'welcome.test.yaml': `test: somebody who is silent at first
flow: welcome
script: [hear: Welcome to Example., hear: "Press 1 for sales.", silence, hear: Thank you for that., hear: Welcome to Example., press: "1", hear: Thank you for that., hang_up]
`,
    });
    const made = await callweave(['import', 'welcome.json', 'menu.json'], { cwd: folder.path });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('5 nodes: 5 exact, 0 nearly, 0 to do\nwritten welcome.flow.yaml');
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^1 test passed, 0 failed/m);
  });
});
