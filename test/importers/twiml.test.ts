/** TwiML as flows: each verb with its attributes, documents that reference others, and unsupported parts. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { Fidelity } from '../../src/language/importers/imported.ts';
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
    { say_it_is_open: { play: { text: 'It is open.', voice: ['Polly.Matthew-Neural', 'male'] }, next: END } },
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
  [
    '<Play>https://a.example/far.mp3?v=2</Play>',
    { say_https_a_example_far: { play: { audio: 'https://a.example/far.mp3?v=2' }, next: END } },
  ],
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
    {
      call_joe: {
        bridge: { to: ['sip:joe@example.com', 'user:jane'], from: '${ call.from }' },
        exits: { completed: END, failed: END },
      },
    },
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
    { queue_support: { queue: { name: 'support', wait_for_agents: true }, exits: { dequeued: END, full: END } } },
  ],
  [
    '<Dial timeout="5" hangupOnStar="true"><Queue>support</Queue></Dial>',
    {
      take_caller_of_queue: {
        serve: { queue: 'support', once: true, timeout: '5s', pause_key: '', leave_key: '', end_key: '*' },
        exits: { served: END, timeout: END, left: END },
      },
    },
  ],
  [
    '<Dial hangupOnStar="true"><Number sendDigits="wW12-3#">+15551234567</Number></Dial>',
    {
      call_15551234567: {
        bridge: { to: '+15551234567', from: '${ call.from }', end_key: '*', send_digits: 'www123#' },
        exits: { completed: END, failed: END },
      },
    },
  ],
  [
    '<Sms to="+1 555 123" from="+1555000">Your code is ${5}</Sms>',
    {
      send_message: {
        message: { to: '+1555123', text: 'Your code is $${5}', from: '+1555000' },
        exits: { sent: END, refused: END, error: END },
      },
    },
  ],
  [
    '<Message><Body>Thank you</Body></Message>',
    {
      send_message: {
        message: { to: '${ call.from }', text: 'Thank you' },
        exits: { sent: END, refused: END, error: END },
      },
    },
  ],
  [
    '<Pay chargeAmount="20.45" description="Order 5" validCardTypes="visa amex" postalCode="false"/>',
    {
      pay: {
        pay: {
          amount: 20.45,
          currency: 'USD',
          description: 'Order 5',
          cards: ['visa', 'amex'],
          attempts: 2,
          start_timeout: '5s',
        },
        exits: { paid: END, declined: END, cancelled: END, exhausted: END, failed: END, error: END },
      },
    },
  ],
  [
    '<Pay/>',
    {
      pay: {
        pay: { tokenize: true, postal_code: true, attempts: 2, start_timeout: '5s' },
        exits: { tokenized: END, declined: END, cancelled: END, exhausted: END, failed: END, error: END },
      },
    },
  ],
  [
    '<Record/>',
    {
      record: {
        record: { max_length: '3600s', end_silence: '5s', terminator: '1234567890*#' },
        exits: { recorded: 'record', silence: END, limit: END },
        max_visits: 50,
      },
    },
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
  it.each(VERBS)('imports the verbs %s', (verbs, steps, fidelity = 'exact') => {
    using folder = folderOf({ 'prompts/in tro.wav': '' });
    const result = imported(document(verbs), { folder: folder.path });
    expect(result.steps).toEqual(steps);
    expect(result.nodes[0]!.fidelity).toBe(fidelity);
    expect(errorsOf(result)).toEqual([]);
  });

  it.each([
    ['<Pay paymentMethod="ach-debit"/>', 'take a payment by ach-debit'],
    ['<Play>https://a.example/gone.ogg</Play>', 'play https://a.example/gone.ogg: put it into the folder `prompts`'],
    ['<Connect><ConversationRelay url="wss://a"/></Connect>', 'connect the call with ConversationRelay'],
    [
      '<Dial><Number url="https://a.example/w">+15551234567</Number></Dial>',
      'let +15551234567 hear what https://a.example/w answers before the two talk',
    ],
    [
      '<Dial><Number sendDigits="1">+1</Number><Number>+2</Number></Dial>',
      'call several parties of which each gets other keys or hears something else',
    ],
    ['<Gather><Play>https://a.example/q.ogg</Play></Gather>', 'play https://a.example/q.ogg'],
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

  it('are one flow where the application answers by what was pressed, said, or by how a call went', async () => {
    const result = imported({
      'welcome.xml': document(
        '<Gather input="dtmf speech" numDigits="1" action="/menu"><Say>Press 1 for sales, or say help.</Say></Gather>',
      ),
      'menu?Digits=1.xml': document('<Dial action="/after"><Number>+15551230001</Number></Dial>'),
      'menu@SpeechResult=Help%20me.xml': document('<Say>We help you.</Say>'),
      'menu.xml': document('<Say>That is not a choice.</Say><Redirect>welcome</Redirect>'),
      'after?DialCallStatus=busy.xml': document('<Say>They are busy now.</Say>'),
      'after.xml': document('<Hangup/>'),
    });
    expect(errorsOf(result)).toEqual([]);
    expect(result.nodes.filter(({ fidelity }) => fidelity !== 'exact')).toEqual([]);
    const ask = 'steps.ask_press_1_for_sales';
    expect(result.steps['ask_press_1_for_sales']).toMatchObject({ exits: { collected: 'by_answer_of_menu' } });
    expect(result.steps['by_answer_of_menu']).toEqual({
      branch: [
        { when: `${ask}.digits = '1'`, next: 'call_15551230001' },
        { when: `$lowercase(${ask}.speech) = 'help me'`, next: 'say_we_help_you' },
        { else: 'say_that_is_not_a' },
      ],
    });
    expect(result.steps['by_answer_of_after']).toMatchObject({
      branch: [{ next: 'say_they_are_busy_now' }, { else: 'hang_up' }],
    });
  });

  it('are left to be written where no file says what is answered to all else', () => {
    const result = imported({
      'welcome.xml': document('<Gather numDigits="1" action="/menu"><Say>Press 1 for sales.</Say></Gather>'),
      'menu?Digits=1.xml': document('<Hangup/>'),
    });
    expectTodo(result, 'do what /menu answers');
    expect(result.steps['by_answer_of_menu']).toMatchObject({ branch: [{ next: 'hang_up' }, { else: 'ask_menu' }] });
  });

  it('are played to the called party, who may have to accept, and to a waiting caller', () => {
    const result = imported({
      'in.xml': document(`
        <Dial><Number url="/whisper">+15551230001</Number></Dial>
        <Dial><Number url="/screen">+15551230002</Number></Dial>
        <Enqueue waitUrl="/wait">support</Enqueue>`),
      'whisper.xml': document('<Say>A call for sales.</Say>'),
      'screen.xml': document(
        '<Gather numDigits="1" action="/accept" timeout="8"><Say>Press 1 to accept.</Say></Gather><Say>Too late.</Say><Hangup/>',
      ),
      'accept?Digits=1.xml': document(''),
      'accept.xml': document('<Hangup/>'),
      'wait.xml': document('<Say>Please wait.</Say><Pause length="5"/><Redirect/>'),
    });
    expect(errorsOf(result)).toEqual([]);
    expect(result.nodes.filter(({ fidelity }) => fidelity !== 'exact')).toEqual([]);
    expect(Object.keys(result.steps)).toEqual(['call_15551230001', 'call_15551230002', 'queue_support']);
    expect(result.steps['call_15551230001']).toMatchObject({ bridge: { whisper: 'A call for sales.' } });
    expect(result.steps['call_15551230002']).toMatchObject({
      bridge: { screen: { prompt: 'Press 1 to accept.', accept: '1', timeout: '8s', attempts: 1 } },
    });
    expect(result.steps['queue_support']).toMatchObject({ queue: { music: ['Please wait.', { silence: '5s' }] } });
  });

  it('are dropped if they only end the call', () => {
    const result = imported({
      'a.xml': document('<Redirect>b</Redirect>'),
      'b.xml': document('<Redirect>a</Redirect>'),
    });
    expect(result.flows[0]!.text).toContain('start: $end');
  });

  it('behaves on a call as the source does', async () => {
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
