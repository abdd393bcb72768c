/** TwiML as flows: each verb with its attributes, documents that lead to each other, and what has no counterpart. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { Fidelity } from '../../src/importers/imported.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported } from './imported.ts';

const document = (verbs: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n<Response>\n${verbs}\n</Response>`;
const END = '$end';

type Row = [verbs: string, steps: Record<string, JsonObject>, fidelity?: Fidelity];

/** Each with nothing else in its document. */
const VERBS: Row[] = [
  ['<Say>Hello there.</Say>', { say_hello_there: { play: 'Hello there.', next: END } }],
  ['<Say>Hello</Say>', { say_hello: { play: { text: 'Hello' }, next: END } }],
  [
    '<Say voice="man" language="fr-fr">Bon jour</Say>',
    { say_bon_jour: { play: { text: 'Bon jour', voice: 'male', language: 'fr-FR' }, next: END } },
  ],
  [
    '<Say voice="Polly.Matthew-Neural">It is open.</Say>',
    { say_it_is_open: { play: { text: 'It is open.', voice: 'male' }, next: END } },
  ],
  ['<Say loop="2">Once more.</Say>', { say_once_more: { play: { prompt: 'Once more.', repeat: 2 }, next: END } }],
  [
    '<Say loop="0">For ever.</Say>',
    { say_for_ever: { play: { prompt: 'For ever.', repeat: 1000 }, next: END } },
    'workaround',
  ],
  [
    '<Say>Wait <break time="1s"/> here</Say>',
    { say_wait_here: { play: { ssml: '<speak>Wait <break time="1s"/> here</speak>' }, next: END } },
  ],
  ['<Say>Costs ${ 5 }</Say>', { say_costs_5: { play: 'Costs $${ 5 }', next: END } }],
  [
    '<Say>One two.</Say><Pause length="2"/><Say>Three four.</Say>',
    { say_one_two: { play: ['One two.', { silence: '2s' }, 'Three four.'], next: END } },
  ],
  ['<Play digits="1w2#"/>', { press_keys: { send_digits: '1w2#', next: END } }],
  ['<Play>https://a.example/in%20tro.mp3</Play>', { say_in_tro_wav: { play: { audio: 'in tro.wav' }, next: END } }],
  ['<Hangup/>', { hang_up: { hangup: 'normal' } }],
  ['<Reject reason="busy"/>', { reject: { reject: 'busy' } }],
  ['<Reject/>', { reject: { reject: 'declined' } }],
  [
    '<Record maxLength="30" finishOnKey="#" timeout="3" playBeep="false" action="source"/>',
    {
      record: {
        record: { max_length: '30s', end_silence: '3s', terminator: '#', beep: false },
        exits: { recorded: 'record', silence: END, limit: END },
        max_visits: 50,
      },
    },
  ],
  [
    '<Dial timeout="10" timeLimit="600" callerId="+15551234567" record="record-from-answer">+1 (555) 765-4321</Dial>',
    {
      call_15557654321: {
        bridge: { to: '+15557654321', from: '+15551234567', ring_timeout: '10s', max_duration: '600s', record: true },
        exits: { completed: END, failed: END },
      },
    },
  ],
  [
    '<Dial sequential="true"><Sip>sip:joe@example.com</Sip><Client>jane</Client></Dial>',
    { call_joe: { bridge: { to: ['sip:joe@example.com', 'user:jane'] }, exits: { completed: END, failed: END } } },
  ],
  [
    '<Dial><Conference startConferenceOnEnter="false" endConferenceOnExit="true" muted="true">Room 1</Conference></Dial>',
    {
      meet: {
        conference: { name: 'Room 1', muted: true, wait_for_moderator: true, end_on_exit: true },
        exits: { left: END, ended: END, full: END },
      },
    },
  ],
  [
    '<Enqueue>support</Enqueue>',
    { queue_support: { queue: { name: 'support', agents: ['user:support'] }, exits: { dequeued: END, full: END } } },
    'workaround',
  ],
  [
    '<Refer><Sip>sip:bob@example.com</Sip></Refer>',
    {
      refer: {
        transfer: { to: 'sip:bob@example.com', mode: 'refer' },
        exits: { transferred: END, returned: END, failed: END },
      },
    },
  ],
  [
    '<Start><Stream url="wss://a.example/s" track="both_tracks"/></Start>',
    {
      start_stream: {
        stream: { action: 'start', url: 'wss://a.example/s', tracks: 'both' },
        exits: { started: END, failed: END },
      },
    },
  ],
  ['<Stop><Stream name="x"/></Stop>', { stop_stream: { stream: 'stop', exits: { done: END, failed: END } } }],
  [
    '<Start><Transcription languageCode="en-US"/></Start>',
    { start_transcript: { transcribe: { action: 'start', language: 'en-US' }, exits: { started: END, failed: END } } },
  ],
  ['<Start><Recording/></Start>', { start_recording: { recording: 'start', exits: { started: END, failed: END } } }],
];

describe('a verb', () => {
  it.each(VERBS)('%s', (verbs, steps, fidelity = 'exact') => {
    using folder = folderOf({ 'prompts/in tro.wav': '' });
    const result = imported(document(verbs), { folder: folder.path });
    expect(result.steps).toEqual(steps);
    expect(result.nodes[0]!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it.each([
    ['<Sms to="+1">Your code is 5</Sms>', 'send the SMS “Your code is 5”'],
    ['<Pay/>', 'take the payment'],
    ['<Play>https://a.example/gone.mp3</Play>', 'play https://a.example/gone.mp3: put it into the folder `prompts`'],
    ['<Connect><ConversationRelay url="wss://a"/></Connect>', 'connect the call with ConversationRelay'],
    ['<Dial><Queue>support</Queue></Dial>', 'connect the caller with Queue'],
    ['<Dial><Number sendDigits="123">+15551234567</Number></Dial>', 'press 123 when +15551234567 has answered'],
    ['<Gather><Play>https://a.example/q.mp3</Play></Gather>', 'play https://a.example/q.mp3'],
    ['<Wobble/>', 'do what <Wobble> does'],
    ['<Redirect>https://a.example/next</Redirect>', 'do what https://a.example/next answers'],
  ])('%s is to be written, and check says so', (verbs, what) => {
    const result = imported(document(verbs));
    expectTodo(result, what);
  });

  it('is named with its place in the source', () => {
    const { nodes } = imported(document('  <Say>Hello there.</Say>\n  <Gather><Say>Press 1.</Say></Gather>'));
    expect(nodes.map(({ kind, line, column, steps }) => [kind, line, column, steps])).toEqual([
      ['Say', 3, 3, ['say_hello_there']],
      ['Gather', 4, 3, ['ask_press_1']],
      ['Say', 4, 11, []],
    ]);
  });
});

describe('documents that lead to each other', () => {
  const files = {
    'welcome.xml': document(`
      <Gather numDigits="1" action="/voice/menu.xml?x=1" timeout="4"><Say>Press 1 for sales.</Say></Gather>
      <Say>We heard nothing.</Say>
      <Redirect/>`),
    'menu.xml': document('<Say>Thank you for that.</Say><Redirect>welcome.xml</Redirect>'),
  };

  it('are one flow, and circles in it end', () => {
    const result = imported(files);
    expect(errorsOf(result)).toEqual([]);
    expect(result.steps).toMatchObject({
      ask_press_1_for_sales: { exits: { collected: 'say_thank_you_for_that', limit: END }, max_visits: 50 },
      say_we_heard_nothing: { next: 'ask_press_1_for_sales' },
      say_thank_you_for_that: { next: 'ask_press_1_for_sales' },
    });
  });

  it('that do nothing but that end the call', () => {
    const result = imported({
      'a.xml': document('<Redirect>b</Redirect>'),
      'b.xml': document('<Redirect>a</Redirect>'),
    });
    expect(result.flows[0]!.text).toContain('start: $end');
  });

  it('behave on a call as the source does', async () => {
    using folder = folderOf({
      ...files,
      'welcome.test.yaml': `test: somebody who is silent at first
flow: welcome
script: [hear: "Press 1 for sales.", silence, hear: We heard nothing., hear: "Press 1 for sales.", press: "1", hear: Thank you for that., hang_up]
`,
    });
    const made = await callweave(['import', 'welcome.xml', 'menu.xml'], { cwd: folder.path });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('6 nodes: 6 exact, 0 nearly, 0 to do\nwritten welcome.flow.yaml');
    const tested = await callweave(['test', '.'], { cwd: folder.path });
    expect(tested.out).toMatch(/^1 test passed, 0 failed/m);
  });
});
