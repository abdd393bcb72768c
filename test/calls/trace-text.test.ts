import { expect, test } from 'vitest';
import type { LegSip } from '../../src/base/core/leg.ts';
import { traceLines } from '../../src/service/calls/views/trace-text.ts';
import type { JournalEntry, NewEntry } from '../../src/service/runtime/journal.ts';
import { MASK } from '../../src/service/runtime/journal.ts';

const journal = (...entries: (NewEntry & { atMs?: number })[]): JournalEntry[] =>
  entries.map((entry, index) => ({ seq: index + 1, atMs: 1000 + index * 10, ...entry }) as JournalEntry);

const STARTED: NewEntry = {
  kind: 'started',
  direction: 'inbound',
  from: '+33612345678',
  to: '1000',
  flow: 'welcome',
  flowHash: '0123456789abcdef',
  input: {},
  seed: 1,
  locale: 'en-US',
  env: {},
};

test('prints the caller, prompts, keys and decisions', () => {
  const told = traceLines(
    journal(
      STARTED,
      { kind: 'state', state: 'incomingcall' },
      { kind: 'entered', step: 'menu', verb: 'menu', visit: 1, depth: 0, flow: 'welcome' },
      { kind: 'command', command: { type: 'answer' }, visit: 1 },
      { kind: 'in', input: { type: 'leg', event: { type: 'answered' } } },
      { kind: 'state', state: 'connected' },
      {
        kind: 'command',
        visit: 1,
        command: {
          type: 'play',
          playId: 'play-1',
          audio: [{ type: 'speech', text: 'Press 1', language: 'en-US', voice: 'female', name: 'ask' }],
        },
      },
      { kind: 'timer', timer: 1, visit: 1, afterMs: 6000 },
      { kind: 'in', input: { type: 'leg', event: { type: 'digit', digit: '1', durationMs: 100 } } },
      { kind: 'left', step: 'menu', verb: 'menu', visit: 1, outcome: 'sales', result: { choice: 'sales' } },
      { kind: 'command', command: { type: 'hangup', cause: 16 }, visit: 1 },
      {
        kind: 'in',
        input: { type: 'leg', event: { type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'near' } },
      },
      { kind: 'state', state: 'disconnected', cause: { code: 16, reason: 'Normal Clearing' } },
      { kind: 'ended', reason: 'completed' },
    ),
  );
  expect(told.map(({ atMs, kind, text }) => `${atMs} ${kind}: ${text}`)).toEqual([
    '0 call: inbound call from +33612345678 to 1000: flow welcome (01234567)',
    '20 step: menu: menu',
    '30 out: answers',
    '40 in: answered',
    '50 call: call is connected',
    '60 out: plays ask "Press 1"',
    '80 in: presses 1',
    '90 outcome: sales {"choice":"sales"}',
    '100 out: hangs up (16)',
    '110 in: hung up',
    '120 call: call is disconnected (16 Normal Clearing)',
    '130 call: flow ends, completed',
  ]);
});

const SIP = { callId: 'abc@x', remote: 'udp:192.0.2.7:5060', route: 'file-1', gateway: 'sip:carrier.example' };
const refusedWith = (sip: LegSip): NewEntry => ({
  kind: 'in',
  input: { type: 'leg', leg: 'leg-2', event: { type: 'ended', cause: { code: 65, reason: 'x' }, by: 'far', sip } },
});

test.each<[string, NewEntry, string | undefined]>([
  [
    'a refusal',
    refusedWith({ ...SIP, status: 488, reason: 'SIP;cause=488' }),
    'leg-2: the other side refused (488, Reason: SIP;cause=488)',
  ],
  ['a hang-up', refusedWith({ ...SIP, status: 200 }), 'leg-2: the other side hung up'],
  ['a call that was cancelled', refusedWith({ ...SIP, status: 487 }), 'leg-2: the other side hung up (487)'],
  ['masked digits stay masked', digit(MASK), `presses ${MASK}`],
  ['a deadline', { kind: 'in', input: { type: 'deadline', timer: 3 } }, 'time is up'],
  ['a lost service', { kind: 'in', input: { type: 'lost' } }, 'the service stopped during the call'],
  ['an HTTP answer', http({ ok: true, status: 200, headers: {}, body: { a: 1 } }), 'answer 200 {"a":1}'],
  ['no answer', http({ ok: false, reason: 'timeout', message: '3 s' }), 'no answer: timeout (3 s)'],
  ['an interrupt', left('$hangup'), 'interrupted by hangup'],
  [
    'an error',
    { ...left('error'), fault: { code: 'speech_failed', message: 'no voice', retryable: false } } as NewEntry,
    'error (speech_failed: no voice)',
  ],
  ['variables', { kind: 'vars', set: { a: 1, pin: MASK } }, `sets a = 1, sets pin = ${MASK}`],
  [
    'a refusal',
    { kind: 'refused', command: 'play', refusal: 'play_pending' },
    'refuses the command play: play_pending',
  ],
  [
    'a command of REST',
    { kind: 'in', input: { type: 'command', command: { type: 'event', name: 'paid', data: null } } },
    'REST asks: event paid',
  ],
  [
    'a long value is cut',
    { kind: 'notified', event: 'e', body: 'x'.repeat(500) },
    `sends the event e ${'x'.repeat(99)}…`,
  ],
  ['somebody is called', { kind: 'dialled', leg: 'l', from: '1', to: '2', visit: 1 }, 'calls 2 from 1'],
  [
    'what is asked of a party',
    { kind: 'command', command: { type: 'join', mixId: 'b' }, visit: 1, leg: 'leg-2' },
    'leg-2: joins b',
  ],
  [
    'what a party tells',
    { kind: 'in', input: { type: 'leg', leg: 'leg-2', event: { type: 'far_hold', held: true } } },
    'leg-2: puts us on hold',
  ],
  [
    'a bridge',
    {
      kind: 'bridge',
      bridgeId: 'b',
      state: 'bridge_disconnected',
      from: '1',
      to: '2',
      cause: { code: 16, reason: 'Normal Clearing' },
    },
    'bridge with 2: bridge disconnected (16 Normal Clearing)',
  ],
  ['a recording', { kind: 'recording', recordingId: 'r', name: 'mine', state: 'paused' }, 'recording mine paused'],
  ['a stream', { kind: 'stream', streamId: 's', state: 'stream_failed', description: 'no' }, 'stream failed: no'],
  [
    'what was said',
    { kind: 'transcript', track: 'inbound', text: MASK, confidence: 1, fromMs: 0, toMs: 1 },
    `caller says ${MASK}`,
  ],
  [
    'a place',
    { kind: 'venue', venue: 'queue', ticket: 't', name: 'sales', event: 'position', data: { position: 2 } },
    'queue sales: position',
  ],
  [
    'words that were understood',
    {
      kind: 'in',
      input: {
        type: 'leg',
        event: { type: 'listen_ended', listenId: 'l', reason: 'recognized', text: 'yes', confidence: 0.93 },
      },
    },
    'says "yes" (93 %)',
  ],
  [
    'a party that comes from another call',
    { kind: 'in', input: { type: 'taken_over', visit: 1, leg: 'l', to: 'user:bob' } },
    'takes over user:bob',
  ],
  [
    'the answer to a webhook',
    { kind: 'in', input: { type: 'command', command: { type: 'hold', hold: true }, source: 'webhook' } },
    'an answer asks: hold',
  ],
  ['timers are a detail', { kind: 'timer', timer: 1, visit: 1, afterMs: 500 }, undefined],
])('writes the line: %s', (_, entry, text) => {
  expect(traceLines(journal(STARTED, entry))[1]?.text).toBe(text);
});

test('prints timers, arguments and the ends of prompts among the details', () => {
  const told = traceLines(
    journal(
      STARTED,
      { kind: 'rendered', visit: 1, input: { prompt: 'hello' } },
      { kind: 'timer', timer: 1, visit: 1, afterMs: 2500 },
      {
        kind: 'in',
        input: { type: 'leg', event: { type: 'play_ended', playId: 'p', reason: 'finished', playedMs: 1000 } },
      },
    ),
    { details: true },
  );
  expect(told.slice(1).map(({ text }) => text)).toEqual([
    'with {"prompt":"hello"}',
    'waits 2.5s at most',
    'prompt finished after 1s',
  ]);
});

test('indents the steps of a subflow', () => {
  const entered = (depth: number, step: string): NewEntry => ({
    kind: 'entered',
    step,
    verb: 'play',
    visit: 1,
    depth,
    flow: 'f',
  });
  const told = traceLines(journal(STARTED, entered(0, 'a'), entered(1, 'b'), left('done'), entered(0, 'c')));
  expect(told.map(({ depth }) => depth)).toEqual([0, 0, 1, 1, 0]);
});

function digit(key: string): NewEntry {
  return { kind: 'in', input: { type: 'leg', event: { type: 'digit', digit: key, durationMs: 100 } } };
}

function http(reply: Extract<Extract<JournalEntry, { kind: 'in' }>['input'], { type: 'http' }>['reply']): NewEntry {
  return { kind: 'in', input: { type: 'http', requestId: 'request-1', reply } };
}

function left(outcome: string): NewEntry {
  return { kind: 'left', step: 'a', verb: 'play', visit: 1, outcome };
}

test('prints the SIP of a leg among the details, with the gateways tried before', () => {
  const sip = {
    ...SIP,
    userAgent: 'Switch 1',
    status: 486,
    postDialMs: 120,
    ringMs: 4000,
    attempts: [{ callId: 'old', status: 503 }],
  };
  const [, line] = traceLines(journal(STARTED, refusedWith(sip)), { details: true });
  expect(line!.text).toBe(
    'leg-2: the other side refused (486); Call-ID abc@x, at udp:192.0.2.7:5060, route file-1, gateway sip:carrier.example, ' +
      'User-Agent Switch 1, status 486, post-dial delay 120ms, rang for 4s; also tried Call-ID old, status 503',
  );
  const [first] = traceLines(journal({ ...STARTED, sip: SIP } as NewEntry), { details: true });
  expect(first!.text).toMatch(/; Call-ID abc@x, at udp:192\.0\.2\.7:5060, route file-1, gateway sip:carrier\.example$/);
});
