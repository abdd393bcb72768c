/** Documents of jambonz as flows: each verb with its keys, documents that lead to each other, and what has no counterpart. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { Fidelity } from '../../src/importers/imported.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported } from './imported.ts';

const END = '$end';

const document = (...verbs: JsonObject[]): Readonly<Record<string, string>> => ({
  'source.json': JSON.stringify(verbs),
});

type Row = [verbs: JsonObject[], steps: Record<string, JsonObject>, fidelity?: Fidelity];

const ROUND = { max_visits: 50 };

/** Each with nothing else in its document; the fidelity is that of the first one. */
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
      say_guten_tag: { play: { text: 'Guten Tag', voice: 'male', language: 'de-DE' }, next: 'say_good_day' },
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
    { queue_support: { queue: { name: 'support', agents: ['user:support'] }, exits: { dequeued: END, full: END } } },
    'workaround',
  ],
  [
    [{ verb: 'listen', url: 'wss://a.example/s' }],
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
  it.each(VERBS)('%j', (verbs, steps, fidelity = 'exact') => {
    using folder = folderOf({ 'prompts/intro.wav': '' });
    const result = imported(document(...verbs), { folder: folder.path });
    expect(result.steps).toEqual(steps);
    expect(result.nodes[0]!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [{ verb: 'say' }, 'it says nothing'],
    [{ verb: 'play', url: 'https://a.example/gone.mp3' }, 'play https://a.example/gone.mp3: put it into'],
    [{ verb: 'gather', play: { url: 'https://a.example/q.mp3' } }, 'play https://a.example/q.mp3'],
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
    [{ verb: 'dequeue', name: 'support' }, 'serve the next caller of the queue support'],
    [{ verb: 'leave' }, 'leave the queue'],
    [{ verb: 'listen' }, 'send the sound of the call to a program'],
    [{ verb: 'message', to: '+1', text: 'Your code is 5' }, 'send the SMS “Your code is 5”'],
    [{ verb: 'dub', action: 'addTrack' }, 'play a track beneath the call'],
    [{ verb: 'sip:request', method: 'INFO' }, 'send the SIP request INFO'],
    [{ verb: 'config', bargeIn: { enable: true, input: ['speech'] } }, 'take input beside the verbs that follow'],
    [{ verb: 'dialogflow', project: 'p' }, 'connect the caller with the assistant of dialogflow'],
    [{ verb: 'openai_s2s' }, 'connect the caller with the assistant of openai_s2s'],
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

  it('whose settings have no counterpart says which', () => {
    const { nodes } = imported(document({ verb: 'config', boostAudioSignal: 6, amd: { actionHook: '/amd' } }));
    expect(nodes[0]).toMatchObject({
      fidelity: 'workaround',
      notes: ['the setting boostAudioSignal is not kept', 'the setting amd is not kept'],
    });
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

  it('behave on a call as the source does', async () => {
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
