/** Each construct of jambonz once, and how many are imported how. */
import type { Counts } from './counts.ts';

export const text = JSON.stringify([
  { verb: 'answer' },
  { verb: 'config', synthesizer: { language: 'de-DE', voice: 'Hans' } },
  { verb: 'say', text: 'Welcome to Example.' },
  { verb: 'play', url: 'https://a.example/intro.mp3' },
  { verb: 'pause', length: 1.5 },
  { verb: 'gather', numDigits: 1, say: { text: 'Press 1 for sales.' }, actionHook: '/corpus' },
  { verb: 'dial', target: [{ type: 'phone', number: '+15557654321' }] },
  { verb: 'dial', target: [{ type: 'user', name: 'jane@sip.example.com' }] },
  { verb: 'dial', target: [{ type: 'sip', sipUri: 'sip:joe@example.com' }] },
  { verb: 'conference', name: 'Room 1' },
  { verb: 'transcribe', recognizer: { vendor: 'google', language: 'en-US' } },
  { verb: 'config', record: { action: 'startCallRecording' } },
  { verb: 'config', listen: { enable: true, url: 'wss://a.example/s' } },
  { verb: 'dtmf', dtmf: '1w2#' },
  { verb: 'tag', data: { vip: true } },
  { verb: 'sip:refer', referTo: 'sip:bob@example.com' },
  { verb: 'enqueue', name: 'support', waitHook: '/wait' },
  { verb: 'listen', url: 'wss://a.example/s' },
  { verb: 'stream', url: 'wss://a.example/s' },
  { verb: 'message', to: '+15551234567', text: 'Your code is 5' },
  { verb: 'dequeue', name: 'support' },
  { verb: 'dub', action: 'addTrack' },
  { verb: 'sip:request', method: 'INFO' },
  { verb: 'dial', target: [{ type: 'phone', number: '+15551234567' }], confirmHook: '/confirm' },
  { verb: 'config', bargeIn: { enable: true, input: ['speech'] } },
  {
    ...{ verb: 'llm', vendor: 'openai', model: 'gpt-realtime', auth: { apiKey: 'x' } },
    llmOptions: { response_create: { instructions: 'You answer the telephone of a dentist.' } },
  },
  { verb: 'lex' },
  { verb: 'dialogflow' },
  { verb: 'sip:decline', status: 486 },
  { verb: 'redirect', actionHook: '/corpus' },
  { verb: 'hangup' },
]);

export const beside = {
  'confirm.json': JSON.stringify([{ verb: 'say', text: 'A call for support.' }]),
  'wait.json': JSON.stringify([{ verb: 'say', text: 'Please wait a moment.' }, { verb: 'leave' }]),
};

export const counts: Counts = { exact: 30, workaround: 1, todo: 5 };
