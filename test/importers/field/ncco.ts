/** NCCO in the shapes of the public documentation, with the keys that it lists. */
import { type Documented, madeOf, randomOf } from './generator.ts';

const events = { eventUrl: ['https://voice.example.org/events'], eventMethod: 'POST' };
const speech = {
  ...{ uuid: ['aaaaaaaa-bbbb-cccc-dddd-0123456789ab'], language: 'en-GB', context: ['red', 'green'] },
  ...{ endOnSilence: 1.5, startTimeout: 6, maxDuration: 20 },
};

const ACTIONS: readonly Documented[] = [
  {
    name: 'talk',
    required: { action: 'talk', text: 'You are listening to a call made with the voice API.' },
    optional: { language: 'en-GB', style: 2, premium: false, level: 0.5, loop: 2, bargeIn: false },
  },
  {
    name: 'stream',
    required: { action: 'stream', streamUrl: ['https://media.example.org/greeting.mp3'] },
    optional: { level: 0, bargeIn: false, loop: 1 },
  },
  {
    name: 'record',
    required: { action: 'record', ...events },
    optional: { endOnSilence: 4, endOnKey: '#', timeOut: 60, beepStart: true, format: 'wav', channels: 1 },
  },
  {
    name: 'connect',
    required: { action: 'connect', endpoint: [{ type: 'phone', number: '447700900177' }] },
    optional: {
      ...{ from: '447700900155', timeout: 30, limit: 1800, eventType: 'asynchronous', randomFromNumber: false },
      ...{ machineDetection: 'continue', ringbackTone: 'https://media.example.org/ringback.mp3', ...events },
    },
  },
  {
    name: 'connect by SIP',
    required: {
      action: 'connect',
      endpoint: [{ type: 'sip', uri: 'sip:ada@pbx.example.org', headers: { team: 'maths' } }],
    },
    optional: {
      from: '447700900155',
      eventUrl: events.eventUrl,
      advancedMachineDetection: { behavior: 'hangup', mode: 'detect' },
    },
  },
  {
    name: 'connect a program',
    required: {
      action: 'connect',
      endpoint: [
        {
          ...{ type: 'websocket', uri: 'wss://bot.example.org/socket', 'content-type': 'audio/l16;rate=16000' },
          headers: { caller: 'Ada', language: 'en-GB' },
        },
      ],
    },
    optional: { from: '447700900155', ...events },
  },
  {
    name: 'conversation',
    required: { action: 'conversation', name: 'town-hall' },
    optional: {
      ...{ musicOnHoldUrl: ['https://media.example.org/hold.mp3'], startOnEnter: false, endOnExit: true },
      ...{ record: true, mute: false, transcription: { language: 'en-GB', sentimentAnalysis: true } },
      canSpeak: ['6a4d6af0-55a6-4667-be90-8614e4c8e83c'],
    },
  },
  {
    name: 'input',
    required: { action: 'input', type: ['dtmf'], eventUrl: ['https://voice.example.org/answer'] },
    optional: { dtmf: { timeOut: 7, maxDigits: 6, submitOnHash: true }, eventMethod: 'POST' },
  },
  {
    name: 'input of speech',
    required: { action: 'input', type: ['speech', 'dtmf'], speech, eventUrl: ['https://voice.example.org/answer'] },
    optional: { dtmf: { maxDigits: 1 }, eventMethod: 'GET' },
  },
  {
    name: 'notify',
    required: {
      action: 'notify',
      payload: { place: 'menu', tries: 2 },
      eventUrl: ['https://voice.example.org/answer'],
    },
    optional: { eventMethod: 'POST' },
  },
  { name: 'wait', required: { action: 'wait' }, optional: { timeout: 0.8 } },
  {
    name: 'pay',
    required: { action: 'pay', amount: 12.5, currency: 'eur', eventUrl: ['https://voice.example.org/answer'] },
    optional: {
      voice: { language: 'en-GB', style: 0 },
      prompts: [
        {
          type: 'CardNumber',
          text: 'What is the number of your card?',
          errors: { InvalidCardType: { text: 'We do not take it.' } },
        },
      ],
    },
  },
];

const answer = JSON.stringify([{ action: 'talk', text: 'Thank you, that is all.' }]);

/** A document of the documentation, or one made at random: both lead to an answer that is among the files. */
function generated(seed: number): Record<string, string> {
  const random = randomOf(seed);
  const actions = Array.from({ length: 12 }, () => madeOf(random, random.pick(ACTIONS)));
  return { 'start.json': JSON.stringify(actions, null, 1), 'answer.json': answer };
}

export const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'each action with all of its keys': {
    'start.json': JSON.stringify(
      ACTIONS.map(({ required, optional }) => ({ ...required, ...optional })),
      null,
      2,
    ),
    'answer.json': answer,
  },
  'an answer with remarks': {
    'start.json': `// What the number answers.
[
  {
    "action": "talk",
    "text": "Please enter your PIN, then press hash." /* said in the voice of the account */
  },
  // At most six digits.
  { "action": "input", "type": [ "dtmf" ], "dtmf": { "maxDigits": 6, "submitOnHash": true }, "eventUrl": [ "https://voice.example.org/answer" ] },
]
`,
    'answer.json': answer,
  },
  'a response with its list in a key': {
    'start.json': JSON.stringify({ ncco: [{ action: 'talk', text: 'Hello from the list.' }] }),
  },
  'keys that go on without an answer': {
    'start.json': JSON.stringify([
      { action: 'talk', text: 'Press any key to continue.', bargeIn: true },
      { action: 'input', type: ['dtmf'], dtmf: { maxDigits: 1 } },
      { action: 'talk', text: 'And here we are.' },
      { action: 'connect', from: '447700900155', endpoint: [{ type: 'app', user: 'ada' }], ...events },
    ]),
  },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_each, index) => [`generated ${index + 1}`, generated(100 + index)]),
  ),
};
