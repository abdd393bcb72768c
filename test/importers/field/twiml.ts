/** TwiML in the shapes of the public documentation, with the attributes that it lists. */
import { attributesOf, type Documented, madeOf, type Random, randomOf } from './generator.ts';

interface Verb extends Documented {
  /** Content of the element: text, or elements. */
  within?: readonly (string | Verb)[];
}

const callbacks = { statusCallback: '/status', statusCallbackMethod: 'POST', statusCallbackEvent: 'initiated ringing' };
const recordings = {
  recordingStatusCallback: '/recordings',
  recordingStatusCallbackMethod: 'POST',
  recordingStatusCallbackEvent: 'completed',
  trim: 'do-not-trim',
};
const part = (name: string, within: readonly (string | Verb)[], optional = {}, required = {}): Verb => ({
  name,
  required,
  optional,
  within,
});
const say = part('Say', ['Welcome to the museum.'], { voice: 'Polly.Amy', language: 'en-GB', loop: 2 });

const VERBS: readonly Verb[] = [
  say,
  part('Say', ['Open <break time="300ms"/> until <emphasis level="strong">five</emphasis>.'], { voice: 'Polly.Amy' }),
  part('Play', ['https://media.example.org/hall.mp3'], { loop: 1 }),
  part('Play', [], { loop: 1 }, { digits: 'wwww3' }),
  part('Pause', [], { length: 2 }),
  part(
    'Gather',
    [say, part('Play', ['https://media.example.org/ask.wav']), part('Pause', [], { length: 1 })],
    {
      ...{
        input: 'dtmf speech',
        timeout: 4,
        finishOnKey: '#',
        numDigits: 1,
        hints: 'tickets, hours',
        language: 'en-GB',
      },
      ...{ speechTimeout: 'auto', bargeIn: true, actionOnEmptyResult: true, profanityFilter: true, method: 'POST' },
      ...{ speechModel: 'phone_call', enhanced: true, partialResultCallback: '/partial', debug: false },
    },
    { action: '/answer' },
  ),
  part(
    'Record',
    [],
    {
      ...{
        method: 'GET',
        timeout: 6,
        finishOnKey: '*',
        maxLength: 30,
        playBeep: true,
        transcribe: true,
        ...recordings,
      },
      transcribeCallback: '/text',
    },
    { action: '/answer' },
  ),
  part('Dial', ['415-123-4567'], {
    ...{
      action: '/answer',
      method: 'POST',
      timeout: 15,
      timeLimit: 1800,
      hangupOnStar: true,
      callerId: '+15105550155',
    },
    ...{
      record: 'record-from-answer-dual',
      answerOnBridge: true,
      ringTone: 'uk',
      recordingTrack: 'both',
      ...recordings,
    },
  }),
  part(
    'Dial',
    [
      part('Number', ['+14155550177'], { sendDigits: 'wwww1928', method: 'GET', ...callbacks, byoc: 'BYxxx' }),
      part('Number', ['+14155550178']),
    ],
    { timeout: 20, sequential: true, referUrl: '/refer' },
  ),
  part(
    'Dial',
    [part('Sip', ['sip:desk@museum.example.org;transport=tls'], { username: 'a', password: 'b', ...callbacks })],
    { timeout: 20 },
  ),
  part('Dial', [part('Client', ['ada'], callbacks)], { callerId: 'client:museum' }),
  part(
    'Dial',
    [
      part('Conference', ['Tour 12'], {
        ...{
          muted: false,
          beep: 'onEnter',
          startConferenceOnEnter: true,
          endConferenceOnExit: false,
          maxParticipants: 20,
        },
        ...{
          waitUrl: '',
          waitMethod: 'GET',
          record: 'record-from-start',
          region: 'us1',
          participantLabel: 'guide',
          ...recordings,
        },
        ...{
          statusCallback: '/c',
          statusCallbackEvent: 'join leave',
          statusCallbackMethod: 'POST',
          jitterBufferSize: 'small',
        },
      }),
    ],
    { hangupOnStar: true },
  ),
  part('Dial', [part('Queue', ['tickets'], { method: 'POST', postWorkActivitySid: 'WAxxx' })], { timeout: 60 }),
  part('Enqueue', ['tickets'], {
    action: '/answer',
    method: 'GET',
    waitUrl: 'https://media.example.org/wait.mp3',
    waitUrlMethod: 'GET',
  }),
  part(
    'Enqueue',
    [part('Task', ['{"language":"en"}'], { priority: 5, timeout: 200 })],
    {},
    { workflowSid: 'WW0123456789abcdef' },
  ),
  part('Redirect', ['/answer'], { method: 'POST' }),
  part('Refer', [part('Sip', ['sip:bert@museum.example.org'])], { action: '/answer', method: 'POST' }),
  part('Sms', ['Your tickets are ready.'], {
    to: '+14155550177',
    from: '+15105550155',
    action: '/answer',
    method: 'POST',
    statusCallback: '/s',
  }),
  part('Start', [
    part(
      'Stream',
      [part('Parameter', [], {}, { name: 'hall', value: '7' })],
      { name: 's1', track: 'both_tracks', statusCallback: '/s', statusCallbackMethod: 'POST' },
      { url: 'wss://bot.example.org/audio' },
    ),
  ]),
  part('Start', [part('Recording', [], { ...recordings, track: 'both', channels: 'dual' })]),
  part('Start', [
    part('Transcription', [], {
      statusCallbackUrl: '/t',
      languageCode: 'en-GB',
      track: 'both_tracks',
      partialResults: true,
      inboundTrackLabel: 'guest',
      outboundTrackLabel: 'guide',
      transcriptionEngine: 'google',
    }),
  ]),
  part(
    'Connect',
    [
      part(
        'Stream',
        [part('Parameter', [], {}, { name: 'hall', value: '7' })],
        { name: 's2', statusCallback: '/s' },
        { url: 'wss://bot.example.org/audio' },
      ),
    ],
    { action: '/answer', method: 'POST' },
  ),
  part(
    'Pay',
    [
      part(
        'Prompt',
        [part('Say', ['The number of your card, please.'])],
        { attempt: '1' },
        { for: 'payment-card-number' },
      ),
      part(
        'Prompt',
        [part('Say', ['That card is not valid.'])],
        { errorType: 'invalid-card-number' },
        { for: 'payment-card-number' },
      ),
      part('Parameter', [], {}, { name: 'customer', value: '7' }),
    ],
    {
      ...{
        input: 'dtmf',
        action: '/answer',
        statusCallback: '/p',
        statusCallbackMethod: 'POST',
        timeout: 5,
        maxAttempts: 2,
        securityCode: true,
      },
      ...{
        postalCode: false,
        paymentConnector: 'Default',
        tokenType: 'one-time',
        currency: 'gbp',
        description: 'Tickets',
        language: 'en-GB',
      },
      ...{ validCardTypes: 'visa mastercard', paymentMethod: 'credit-card' },
    },
    { chargeAmount: '18.50' },
  ),
];

function textOf(verb: Verb, attributes: Readonly<Record<string, unknown>>, random?: Random): string {
  const within = (verb.within ?? []).map((inner) =>
    typeof inner === 'string' ? inner : textOf(inner, chosen(inner, random), random),
  );
  const { name } = verb;
  return within.length === 0
    ? `<${name}${attributesOf(attributes)}/>`
    : `<${name}${attributesOf(attributes)}>${within.join('\n')}</${name}>`;
}

const chosen = (verb: Verb, random?: Random): Record<string, unknown> =>
  random === undefined ? { ...verb.required, ...verb.optional } : madeOf(random, verb);

const document = (verbs: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Response>\n${verbs.join('\n')}\n</Response>\n`;
const answer = document(['<Say>Thank you, that is all.</Say>', '<Hangup/>']);

function generated(seed: number): Record<string, string> {
  const random = randomOf(seed);
  const verbs = Array.from({ length: 10 }, () => random.pick(VERBS));
  return {
    'start.xml': document(verbs.map((verb) => textOf(verb, chosen(verb, random), random))),
    'answer.xml': answer,
  };
}

export const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'each verb with all of its attributes': {
    'start.xml': document(VERBS.map((verb) => textOf(verb, chosen(verb)))),
    'answer.xml': answer,
  },
  'a rejected call': { 'start.xml': document(['<Reject reason="busy"/>']) },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_each, index) => [`generated ${index + 1}`, generated(400 + index)]),
  ),
};
