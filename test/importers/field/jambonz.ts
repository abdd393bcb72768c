/** jambonz documents in the shapes of the public documentation, with the keys that it lists. */
import { type Documented, madeOf, randomOf } from './generator.ts';

const synthesizer = { vendor: 'google', language: 'en-US', voice: 'en-US-Wavenet-C', gender: 'FEMALE' };
const recognizer = { vendor: 'google', language: 'en-US', hints: ['sales', 'support'], hintsBoost: 10 };

const VERBS: readonly Documented[] = [
  {
    name: 'say',
    required: { verb: 'say', text: 'Hi there, and welcome to the exchange.' },
    optional: { id: 's1', loop: 2, synthesizer, earlyMedia: false, disableTtsCache: true },
  },
  {
    name: 'play',
    required: { verb: 'play', url: 'https://media.example.org/tune.mp3' },
    optional: { id: 'p1', loop: 1, earlyMedia: false, seekOffset: 4000, timeoutSecs: 30 },
  },
  { name: 'pause', required: { verb: 'pause', length: 2 }, optional: { id: 'w1' } },
  {
    name: 'gather',
    required: {
      ...{ verb: 'gather', input: ['digits', 'speech'], actionHook: 'https://app.example.org/answer' },
      say: { text: 'Press 1 or say sales. Press 2 or say support.', synthesizer },
    },
    optional: {
      ...{ id: 'g1', bargein: true, dtmfBargein: true, minBargeinWordCount: 1, finishOnKey: '#', numDigits: 1 },
      ...{ timeout: 8, interDigitTimeout: 3, speechTimeout: 1.5, recognizer, listenDuringPrompt: true },
    },
  },
  {
    name: 'gather of digits',
    required: {
      verb: 'gather',
      input: ['digits'],
      actionHook: { url: '/answer', method: 'GET' },
      play: { url: 'https://media.example.org/ask.mp3' },
    },
    optional: { minDigits: 2, maxDigits: 8, timeout: 12, partialResultHook: '/partial' },
  },
  {
    name: 'dial',
    required: { verb: 'dial', target: [{ type: 'phone', number: '+15085550177' }] },
    optional: {
      ...{
        id: 'd1',
        actionHook: '/answer',
        callerId: '+16175550155',
        callerName: 'Exchange',
        timeout: 30,
        timeLimit: 3600,
      },
      ...{ answerOnBridge: true, dialMusic: 'https://media.example.org/ring.mp3', headers: { 'X-Team': 'blue' } },
      ...{ dtmfCapture: ['*2', '*3'], dtmfHook: '/dtmf', referHook: '/refer', anchorMedia: true },
      ...{
        listen: { url: 'wss://app.example.org/fork', mixType: 'stereo' },
        transcribe: { transcriptionHook: '/text', recognizer },
      },
      amd: { actionHook: '/amd' },
    },
  },
  {
    name: 'dial several',
    required: {
      verb: 'dial',
      target: [
        { type: 'phone', number: '+15085550178', trunk: 'carrier-1' },
        { type: 'user', name: 'ada@sip.example.org' },
        { type: 'sip', sipUri: 'sip:1617@sip.example.org', auth: { username: 'a', password: 'b' } },
      ],
    },
    optional: { callerId: '+16175550155', actionHook: '/answer' },
  },
  {
    name: 'conference',
    required: { verb: 'conference', name: 'stand-up' },
    optional: {
      ...{ beep: true, startConferenceOnEnter: false, endConferenceOnExit: true, maxParticipants: 10, joinMuted: true },
      ...{
        actionHook: '/answer',
        waitHook: '/hold',
        statusHook: '/status',
        statusEvents: ['join', 'leave'],
        enterHook: '/enter',
      },
    },
  },
  {
    name: 'config',
    required: { verb: 'config' },
    optional: {
      ...{ synthesizer, recognizer, notifyEvents: true, record: { action: 'startCallRecording', recordingID: 'r1' } },
      ...{
        listen: { enable: true, url: 'wss://app.example.org/fork', mixType: 'mono', metadata: { call: 1 } },
        reset: ['recognizer'],
      },
    },
  },
  {
    name: 'enqueue',
    required: { verb: 'enqueue', name: 'desk' },
    optional: { actionHook: '/answer', waitHook: '/hold', priority: 10 },
  },
  {
    name: 'dequeue',
    required: { verb: 'dequeue', name: 'desk' },
    optional: { actionHook: '/answer', beep: true, timeout: 20 },
  },
  {
    name: 'listen',
    required: { verb: 'listen', url: 'wss://app.example.org/audio' },
    optional: {
      ...{ mixType: 'mixed', sampleRate: 16000, actionHook: '/answer', maxLength: 60, finishOnKey: '*', timeout: 10 },
      ...{ metadata: { id: 7 }, passDtmf: true, playBeep: true, wsAuth: { username: 'a', password: 'b' } },
    },
  },
  {
    name: 'message',
    required: { verb: 'message', to: '+15085550177', from: '+16175550155', text: 'Thank you for your call.' },
    optional: { carrier: 'carrier-1', account_sid: '5f190a4f', message_sid: 'abc', actionHook: '/answer' },
  },
  {
    name: 'transcribe',
    required: { verb: 'transcribe', recognizer },
    optional: { transcriptionHook: '/text', earlyMedia: true },
  },
  { name: 'dtmf', required: { verb: 'dtmf', dtmf: '0276' }, optional: { duration: 250 } },
  {
    name: 'sip:refer',
    required: { verb: 'sip:refer', referTo: 'sip:bert@sip.example.org' },
    optional: {
      referredBy: 'sip:ada@sip.example.org',
      actionHook: '/answer',
      eventHook: '/refer',
      headers: { 'X-Why': 'busy' },
    },
  },
  { name: 'tag', required: { verb: 'tag', data: { customer: 42, tier: 'gold' } }, optional: {} },
  { name: 'answer', required: { verb: 'answer' }, optional: {} },
];

const beside = {
  'answer.json': JSON.stringify([{ verb: 'say', text: 'Thank you, that is all.' }, { verb: 'hangup' }]),
  'hold.json': JSON.stringify([
    { verb: 'say', text: 'You are still in line.' },
    { verb: 'play', url: 'https://media.example.org/hold.mp3' },
  ]),
};

function generated(seed: number): Record<string, string> {
  const random = randomOf(seed);
  const verbs = Array.from({ length: 12 }, () => madeOf(random, random.pick(VERBS)));
  return { 'start.json': JSON.stringify([...verbs, { verb: 'hangup' }], null, 1), ...beside };
}

export const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'each verb with all of its keys': {
    'start.json': JSON.stringify(
      VERBS.map(({ required, optional }) => ({ ...required, ...optional })),
      null,
      2,
    ),
    ...beside,
  },
  'a single verb': { 'start.json': JSON.stringify({ verb: 'say', text: 'Hello, and goodbye.' }) },
  'verbs in the short form': {
    'start.json': JSON.stringify([
      { say: { text: 'Hello from the short form.' } },
      { gather: { input: ['digits'], numDigits: 4, actionHook: '/answer', say: { text: 'Enter four digits.' } } },
      { hangup: {} },
    ]),
    ...beside,
  },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_each, index) => [`generated ${index + 1}`, generated(200 + index)]),
  ),
};
