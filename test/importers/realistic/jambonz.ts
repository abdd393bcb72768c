/**
 * Realistic jambonz documents: answers of webhooks saved as files, including those that depend on keys, speech or dial
 * results.
 */
import type { Counts } from '../corpus/counts.ts';
import type { RealisticFlows } from './realistic-flows.ts';

export const counts: Counts = { exact: 75, workaround: 1, todo: 1 };

const say = (text: string): object => ({ verb: 'say', text });
const document = (...verbs: object[]): string => `${JSON.stringify(verbs, null, 2)}\n`;
const HANGUP = { verb: 'hangup' };

export const flows: RealisticFlows['flows'] = {
  // Forward to a registered phone, else take a message.
  'dial-or-voicemail': {
    'call.json': document({
      ...{ verb: 'dial', callerId: '+15083728300', answerOnBridge: true, timeout: 20, actionHook: '/dialled' },
      dialMusic: 'https://media.example.com/ringing.mp3',
      target: [{ type: 'user', name: 'dave@sip.example.com' }],
    }),
    'dialled?dial_call_status=completed.json': document(HANGUP),
    'dialled.json': document(
      {
        verb: 'say',
        text: 'Please leave a message after the tone.',
        synthesizer: { vendor: 'google', language: 'en-GB' },
      },
      { verb: 'config', record: { action: 'startCallRecording' } },
      { verb: 'pause', length: 45 },
      { verb: 'config', record: { action: 'stopCallRecording' } },
      say('Thank you. Goodbye.'),
      HANGUP,
    ),
  },

  // A menu by keys or words, in two languages.
  'phone-menu': {
    'welcome.json': document(
      { verb: 'answer' },
      {
        verb: 'config',
        synthesizer: { vendor: 'google', language: 'en-US', voice: 'en-US-Wavenet-C' },
        recognizer: { vendor: 'google', language: 'en-US' },
      },
      { verb: 'play', url: 'https://media.example.com/welcome.mp3' },
      { verb: 'pause', length: 0.5 },
      {
        ...{ verb: 'gather', input: ['digits', 'speech'], numDigits: 1, timeout: 8, bargein: true, dtmfBargein: true },
        actionHook: '/choice',
        recognizer: { vendor: 'google', language: 'en-US', hints: ['sales', 'support', 'german'] },
        say: { text: 'Say sales or press 1. Say support or press 2. For German press 3.' },
      },
    ),
    'choice?digits=1.json': document({ verb: 'redirect', actionHook: '/sales' }),
    'choice?speech=sales.json': document({ verb: 'redirect', actionHook: '/sales' }),
    'choice?digits=2.json': document({ verb: 'redirect', actionHook: '/support' }),
    'choice?speech=support.json': document({ verb: 'redirect', actionHook: '/support' }),
    'choice?digits=3.json': document(
      { verb: 'config', synthesizer: { vendor: 'google', language: 'de-DE', voice: 'de-DE-Wavenet-B' } },
      say('Bitte warten Sie einen Moment.'),
      { verb: 'redirect', actionHook: '/support' },
    ),
    'choice.json': document(say('I did not get that.'), { verb: 'redirect', actionHook: '/welcome' }),
    'sales.json': document(say('One moment please.'), {
      ...{ verb: 'dial', callerId: '+15083728300', actionHook: '/after', confirmHook: '/announce' },
      target: [
        { type: 'phone', number: '+15085551201' },
        { type: 'sip', sipUri: 'sip:sales@pbx.example.com' },
      ],
    }),
    'announce.json': document(say('A call for sales.')),
    'support.json': document({
      ...{ verb: 'dial', callerId: '+15083728300', timeLimit: 3600, actionHook: '/after' },
      target: [{ type: 'phone', number: '+15085551202' }],
    }),
    'after?dial_call_status=completed.json': document(say('Thank you for calling. Goodbye.'), HANGUP),
    'after?dial_call_status=busy.json': document(say('All of our lines are busy.'), HANGUP),
    'after.json': document(say('Nobody is there. Please call again.'), HANGUP),
  },

  // Callers wait in a queue, and agents call in.
  'call-centre': {
    'enter.json': document(say('All of our agents are busy. Please hold the line.'), {
      verb: 'enqueue',
      name: 'support',
      waitHook: '/wait',
      actionHook: '/left',
    }),
    'wait.json': document(
      { verb: 'play', url: 'https://media.example.com/hold-music.mp3' },
      {
        ...{ verb: 'gather', input: ['digits'], numDigits: 1, timeout: 3, actionHook: '/while-waiting' },
        say: { text: 'Press 1 to be called back, or stay on the line.' },
      },
    ),
    'while-waiting?digits=1.json': document({ verb: 'leave' }),
    'while-waiting.json': document({ verb: 'pause', length: 1 }),
    'left.json': document(
      say('We will call you back. Goodbye.'),
      {
        verb: 'message',
        to: '+15085551300',
        from: '+15083728300',
        text: 'A caller of support wants to be called back.',
      },
      HANGUP,
    ),
  },
  'agent-line': {
    'agent.json': document(say('You will be connected with the next caller.'), {
      verb: 'dequeue',
      name: 'support',
      beep: true,
      timeout: 120,
      actionHook: '/next',
    }),
    'next.json': document(say('Thank you.'), { verb: 'redirect', actionHook: '/agent' }),
  },

  // A conference with a moderator.
  meeting: {
    'meeting.json': document({
      ...{ verb: 'gather', input: ['digits'], minDigits: 4, maxDigits: 6, finishOnKey: '#', interDigitTimeout: 5 },
      ...{ actionHook: '/pin', say: { text: 'Please enter your PIN, then press the hash key.' } },
    }),
    'pin?digits=2468.json': document(say('You are the host.'), {
      verb: 'conference',
      name: 'weekly',
      startConferenceOnEnter: true,
      endConferenceOnExit: true,
      beep: true,
    }),
    'pin?digits=1357.json': document(say('Please wait for the host.'), {
      verb: 'conference',
      name: 'weekly',
      startConferenceOnEnter: false,
      joinMuted: true,
      waitHook: '/hold',
    }),
    'pin.json': document(say('This PIN is not known.'), HANGUP),
    'hold.json': document({ verb: 'play', url: 'https://media.example.com/hold-music.mp3' }),
  },

  // A bot by web socket, and what comes when it is done.
  'bot-by-socket': {
    'bot.json': document({ verb: 'answer' }, { verb: 'pause', length: 1 }, say('You are talking with our assistant.'), {
      verb: 'listen',
      url: 'wss://bot.example.com/audio',
      sampleRate: 8000,
      mixType: 'mono',
      actionHook: '/done',
    }),
    'done.json': document(say('Thank you for calling.'), HANGUP),
  },

  // A model talks, and its function is a webhook.
  'voice-agent': {
    'agent.json': document(
      { verb: 'answer' },
      {
        ...{ verb: 'llm', vendor: 'openai', model: 'gpt-realtime', auth: { apiKey: 'sk-1234' }, actionHook: '/final' },
        toolHook: 'https://app.example.com/weather',
        llmOptions: {
          response_create: { instructions: 'You help people with the weather. Be short.', voice: 'alloy' },
          session_update: {
            tools: [
              {
                ...{ name: 'get_weather', type: 'function', description: 'The weather of a place.' },
                parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
              },
            ],
          },
        },
      },
      HANGUP,
    ),
    'final.json': document(say('Goodbye.'), HANGUP),
  },

  // Handed over to the carrier, with what is known of the call.
  handover: {
    'handover.json': document(
      { verb: 'config', listen: { enable: true, url: 'wss://bot.example.com/monitor', mixType: 'stereo' } },
      say('We connect you with the other office.'),
      { verb: 'dtmf', dtmf: '1', duration: 250 },
      { verb: 'sip:refer', referTo: 'sip:office@carrier.example.com', actionHook: '/referred' },
    ),
    'referred.json': document(say('The office cannot be reached.'), {
      verb: 'hangup',
      headers: { 'X-Reason': 'no office' },
    }),
  },

  // A bot of Dialogflow.
  'dialogflow-bot': {
    'bot.json': document(say('Welcome to our hotel.'), {
      ...{ verb: 'dialogflow', project: 'hotel', lang: 'en-US', credentials: '{}', welcomeEvent: 'welcome' },
      actionHook: '/over',
    }),
    'over.json': document(say('Goodbye.'), HANGUP),
  },
};
