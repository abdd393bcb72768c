/**
 * Realistic NCCO: answers of applications at their URLs saved as files, including those that depend on keys or speech.
 */
import type { Counts } from '../corpus/counts.ts';
import type { RealisticFlows } from './realistic-flows.ts';

export const counts: Counts = { exact: 64, workaround: 2, todo: 1 };

const at = (path: string): string[] => [`https://app.example.com${path}`];
const talk = (text: string, more: object = {}): object => ({ action: 'talk', text, ...more });
const document = (...actions: object[]): string => `${JSON.stringify(actions, null, 2)}\n`;

export const flows: RealisticFlows['flows'] = {
  // The menu that every introduction has.
  'phone-menu': {
    'answer.json': document(
      talk('<speak>Thank you for calling Example Ltd.</speak>', { language: 'en-GB', style: 2 }),
      talk('Press 1 for sales, press 2 for support, or press 3 to leave a message.', {
        ...{ language: 'en-GB', style: 2, bargeIn: true },
      }),
      { action: 'input', type: ['dtmf'], dtmf: { maxDigits: 1, timeOut: 8 }, eventUrl: at('/menu') },
    ),
    'menu?dtmf=1.json': document(talk('We connect you with sales.'), {
      ...{ action: 'connect', from: '442079460000', timeout: 20, eventType: 'synchronous', eventUrl: at('/missed') },
      endpoint: [{ type: 'phone', number: '442079460101' }],
    }),
    'menu?dtmf=2.json': document(talk('We connect you with support.'), {
      ...{ action: 'connect', from: '442079460000', timeout: 20, eventType: 'synchronous', eventUrl: at('/missed') },
      endpoint: [{ type: 'phone', number: '442079460102' }],
    }),
    'menu?dtmf=3.json': document(
      talk('Please leave a message after the tone, then press the hash key.'),
      {
        ...{ action: 'record', endOnKey: '#', endOnSilence: 5, timeOut: 120, beepStart: true, format: 'mp3' },
        eventUrl: at('/recordings'),
      },
      talk('Thank you for your message. Goodbye.'),
    ),
    'menu.json': document(
      talk('Sorry, we did not understand that.'),
      talk('Press 1 for sales, press 2 for support, or press 3 to leave a message.', { bargeIn: true }),
      { action: 'input', type: ['dtmf'], dtmf: { maxDigits: 1, timeOut: 8 }, eventUrl: at('/menu') },
    ),
    'missed?status=busy.json': document(talk('All of our lines are busy. Please call again later.')),
    'missed.json': document(
      talk('Nobody can take your call right now. Please leave a message after the tone.'),
      { action: 'record', endOnSilence: 3, timeOut: 60, beepStart: true, eventUrl: at('/recordings') },
      talk('Thank you. Goodbye.'),
    ),
  },

  // Numbers that hide each other: both call the same one.
  'masked-calls': {
    'proxy.json': document(
      talk('Please hold while we connect you with your driver.'),
      { action: 'record', eventUrl: at('/recordings'), channels: 2, split: 'conversation' },
      {
        ...{ action: 'connect', from: '447700900000', timeout: 45, limit: 3600 },
        endpoint: [{ type: 'phone', number: '447700900123', onAnswer: { url: at('/whisper')[0] } }],
        eventUrl: at('/event'),
      },
    ),
    'whisper.json': document(talk('A call from your passenger.')),
  },

  // A conference with a moderator.
  conference: {
    'join.json': document(talk('Please enter your conference PIN, then press hash.'), {
      ...{ action: 'input', type: ['dtmf'], eventUrl: at('/pin') },
      dtmf: { maxDigits: 6, timeOut: 10, submitOnHash: true },
    }),
    'pin?dtmf=246810.json': document(talk('You are the moderator.'), {
      ...{ action: 'conversation', name: 'weekly-meeting', startOnEnter: true, endOnExit: true, record: true },
      eventUrl: at('/recordings'),
    }),
    'pin?dtmf=135791.json': document(talk('The meeting begins when the moderator comes.'), {
      ...{ action: 'conversation', name: 'weekly-meeting', startOnEnter: false },
      musicOnHoldUrl: ['https://media.example.com/hold.mp3'],
    }),
    'pin.json': document(talk('This PIN is not known. Goodbye.')),
  },

  // A reminder that is confirmed by voice.
  'appointment-reminder': {
    'reminder.json': document(
      talk('Hello. This is a reminder of your appointment with Doctor Miller tomorrow at ten.', { language: 'en-US' }),
      talk('Say yes to confirm it, or no to cancel it. You can also press 1 or 2.', {
        language: 'en-US',
        bargeIn: true,
      }),
      {
        ...{ action: 'input', type: ['speech', 'dtmf'], eventUrl: at('/reply') },
        speech: { language: 'en-US', context: ['yes', 'no'], endOnSilence: 1, startTimeout: 8 },
        dtmf: { maxDigits: 1 },
      },
    ),
    'reply?speech=yes.json': document({
      action: 'notify',
      payload: { reply: 'confirmed' },
      eventUrl: at('/thanks'),
      eventMethod: 'POST',
    }),
    'reply?dtmf=1.json': document({
      action: 'notify',
      payload: { reply: 'confirmed' },
      eventUrl: at('/thanks'),
      eventMethod: 'POST',
    }),
    'reply?speech=no.json': document(talk('Your appointment is cancelled. Goodbye.')),
    'reply?dtmf=2.json': document(talk('Your appointment is cancelled. Goodbye.')),
    'reply.json': document(talk('We will call you again. Goodbye.')),
    'thanks.json': document(talk('Thank you. We look forward to seeing you.')),
  },

  // A bot by web socket, and a person when it is done.
  'voice-bot': {
    'bot.json': document(
      talk('Hello. Our assistant will help you.'),
      {
        action: 'connect',
        eventUrl: at('/event'),
        from: '447700900000',
        endpoint: [{ type: 'websocket', uri: 'wss://bot.example.com/socket', 'content-type': 'audio/l16;rate=16000' }],
      },
      talk('We connect you with a colleague.'),
      { action: 'connect', from: '447700900000', endpoint: [{ type: 'app', user: 'alice' }] },
    ),
  },

  // Several ways to a person, one after the other, with keys for the switchboard and music while it rings.
  'find-somebody': {
    'find.json': document(
      { action: 'stream', streamUrl: ['https://media.example.com/jingle.mp3'] },
      {
        ...{ action: 'connect', from: '447700900000', timeout: 15, ringbackTone: 'https://media.example.com/ring.mp3' },
        endpoint: [{ type: 'sip', uri: 'sip:desk@pbx.example.com', headers: { location: 'London' } }],
      },
      {
        ...{ action: 'connect', from: '447700900000', timeout: 15, machineDetection: 'hangup' },
        endpoint: [{ type: 'phone', number: '442079460199', dtmfAnswer: 'p*102#' }],
      },
      { action: 'connect', timeout: 15, endpoint: [{ type: 'vbc', extension: '204' }] },
      talk('We could not reach anybody.'),
      { action: 'wait', timeout: 1 },
      talk('Please call again tomorrow. Goodbye.', { loop: 1 }),
    ),
  },

  // A payment by keys.
  payment: {
    'pay.json': document(talk('Your balance is 25 pounds and 50 pence.'), {
      ...{ action: 'pay', amount: 25.5, currency: 'gbp', eventUrl: at('/paid') },
      voice: { language: 'en-GB', style: 0 },
      prompts: [
        { type: 'CardNumber', text: 'Please enter your card number.' },
        {
          type: 'ExpirationDate',
          text: 'Please enter the expiry date, two digits for the month and two for the year.',
        },
        { type: 'SecurityCode', text: 'Please enter the security code.' },
      ],
    }),
    'paid.json': document(talk('Thank you. Goodbye.')),
  },

  // A survey of two questions.
  survey: {
    'survey.json': document(
      talk('Thank you for your call. May we ask you two questions?'),
      talk('How satisfied are you, from 1 to 5?', { bargeIn: true }),
      { action: 'input', type: ['dtmf'], dtmf: { maxDigits: 1, timeOut: 10 }, eventUrl: at('/satisfied') },
    ),
    'satisfied.json': document(talk('Would you recommend us? Press 1 for yes, and 2 for no.', { bargeIn: true }), {
      action: 'input',
      type: ['dtmf'],
      dtmf: { maxDigits: 1, timeOut: 10 },
      eventUrl: at('/recommend'),
    }),
    'recommend?dtmf=2.json': document(
      talk('We are sorry to hear that. Please say what we can do better, then press hash.'),
      { action: 'record', endOnKey: '#', endOnSilence: 4, beepStart: true, eventUrl: at('/recordings') },
      talk('Thank you. Goodbye.'),
    ),
    'recommend.json': document({ action: 'notify', payload: { done: true } }, talk('Thank you. Goodbye.')),
  },

  // Keys are reported while music plays.
  'quiz-show': {
    'quiz.json': document(
      talk('Press the key of your answer at any time.'),
      { action: 'input', type: ['dtmf'], mode: 'asynchronous', eventUrl: at('/keys') },
      { action: 'stream', streamUrl: ['https://media.example.com/quiz.mp3'] },
      talk('Thank you for taking part.'),
    ),
  },
};
