/** Each construct of NCCO once, and how many are imported how. */
import type { Counts } from './counts.ts';

const eventUrl = ['https://a.example/corpus'];
export const text = JSON.stringify([
  { action: 'talk', text: 'Welcome to Example.' },
  { action: 'stream', streamUrl: ['https://a.example/intro.mp3'] },
  { action: 'wait', timeout: 1 },
  { action: 'talk', text: 'Press 1 for sales.', bargeIn: true },
  { action: 'input', type: ['dtmf'], dtmf: { maxDigits: 1 }, eventUrl },
  { action: 'input', type: ['speech'], speech: { language: 'en-GB', endOnSilence: 1 }, eventUrl },
  { action: 'record', endOnSilence: 3, timeOut: 30, beepStart: true },
  { action: 'record', eventUrl: ['https://a.example/recordings'] },
  { action: 'connect', endpoint: [{ type: 'phone', number: '447700900001' }] },
  { action: 'connect', endpoint: [{ type: 'app', user: 'jamie' }] },
  { action: 'connect', endpoint: [{ type: 'sip', uri: 'sip:a@b.example' }] },
  { action: 'conversation', name: 'Room 1' },
  { action: 'notify', payload: { foo: 1 } },
  { action: 'connect', endpoint: [{ type: 'vbc', extension: '111' }] },
  { action: 'connect', endpoint: [{ type: 'websocket', uri: 'wss://a.example/s' }] },
  { action: 'notify', payload: { foo: 1 }, eventUrl },
  { action: 'transfer', conversation_id: 'CON-1' },
  { action: 'pay', amount: 9 },
  { action: 'connect', endpoint: [{ type: 'phone', number: '447700900001', dtmfAnswer: '2p02p' }] },
  {
    action: 'connect',
    endpoint: [{ type: 'phone', number: '447700900001', onAnswer: { url: 'https://a.example/whisper' } }],
  },
  { action: 'input', type: ['dtmf'], mode: 'asynchronous' },
]);

export const beside = { 'whisper.json': JSON.stringify([{ action: 'talk', text: 'A call for support.' }]) };

export const counts: Counts = { exact: 22, workaround: 1, todo: 1 };
