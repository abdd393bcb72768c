import { describe, expect, it } from 'vitest';
import { causeOf } from '../../src/core/causes.ts';
import { countingIds } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { deliveriesOf } from '../../src/observers/webhooks/events.ts';
import { type CallRecord, type JournalEntry, MASK, type NewEntry } from '../../src/runtime/journal.ts';

const T0 = Date.parse('2026-03-02T08:30:00Z');
const record: CallRecord = {
  callId: 'call-1',
  projectId: 'project-1',
  direction: 'outbound',
  from: '+33199001122',
  to: '+33612345678',
  state: 'connected',
  flow: 'greeting',
  flowHash: 'f00d',
  startedMs: T0,
  eventUrl: 'https://app.example/events',
};
const common = {
  voice_id: 'call-1',
  from: '+33199001122',
  to: '+33612345678',
  timestamp: '2026-03-02T08:30:09.000Z',
};

function told(entry: NewEntry, changes: Partial<CallRecord> = {}): JsonObject[] {
  const ids = countingIds();
  const made = { seq: 1, atMs: T0 + 9000, ...entry } as JournalEntry;
  return deliveriesOf(made, { ...record, ...changes }, { nextId: () => ids.next('event') }).map(
    ({ payload }) => payload,
  );
}

const left = (verb: string, outcome: string, more: Partial<Extract<NewEntry, { kind: 'left' }>> = {}): NewEntry => ({
  kind: 'left',
  step: 'ask',
  verb,
  visit: 4,
  outcome,
  ...more,
});

describe('delivery of an event', () => {
  it('stands in the line of its call, for its project, at its URL, with an id of its own', () => {
    const entry: JournalEntry = { seq: 3, atMs: T0 + 9000, kind: 'state', state: 'ringing' };
    expect(deliveriesOf(entry, record, { nextId: () => 'event-7' })).toEqual([
      {
        id: 'event-7',
        projectId: 'project-1',
        orderKey: 'call-1',
        url: 'https://app.example/events',
        payload: { ...common, state: 'ringing' },
        createdMs: T0 + 9000,
      },
    ]);
  });

  it('there is none when the call has no event URL', () => {
    const { eventUrl: _, ...silent } = record;
    const entry: JournalEntry = { seq: 3, atMs: T0, kind: 'state', state: 'ringing' };
    expect(deliveriesOf(entry, silent, { nextId: () => 'x' })).toEqual([]);
  });

  it('returns the owner reference as it was given', () => {
    expect(told({ kind: 'state', state: 'ringing' }, { ownerRef: 'order 42' })).toEqual([
      { ...common, state: 'ringing', owner_ref: 'order 42' },
    ]);
  });
});

describe('call state events', () => {
  it.each(['incomingcall', 'ringing', 'connected', 'bridging', 'bridged', 'bridge_disconnected'] as const)(
    '%s is told by its name',
    (state) => {
      expect(told({ kind: 'state', state })).toEqual([{ ...common, state }]);
    },
  );

  it('initiated is not told: the response was', () => {
    expect(told({ kind: 'state', state: 'initiated' })).toEqual([]);
  });

  it('disconnected tells why and how long the parties talked', () => {
    const ended = { answeredMs: T0 + 2000, endedMs: T0 + 8600 };
    expect(told({ kind: 'state', state: 'disconnected', cause: causeOf(16) }, ended)).toEqual([
      {
        ...common,
        state: 'disconnected',
        disconnect_reason: 'Normal Clearing',
        disconnect_cause_code: 16,
        call_duration: 7,
      },
    ]);
  });

  it('a callee who is busy is disconnected with the documented words, after no time', () => {
    expect(told({ kind: 'state', state: 'disconnected' }, { endedMs: T0 + 5000, cause: causeOf(17) })).toEqual([
      { ...common, state: 'disconnected', disconnect_reason: 'User Busy', disconnect_cause_code: 17, call_duration: 0 },
    ]);
  });

  it('failed tells why', () => {
    expect(told({ kind: 'state', state: 'failed', cause: causeOf(3) })).toEqual([
      { ...common, state: 'failed', disconnect_reason: 'No Route To Destination', disconnect_cause_code: 3 },
    ]);
  });
});

describe('play events', () => {
  const fault = { code: 'speech_failed', message: 'the voice broke', retryable: false };
  const digits = { result: { digits: '42#' } };

  it.each<[string, NewEntry, JsonObject | undefined]>([
    ['play: done', left('play', 'done'), { playstate: 'playfinished' }],
    ['play: interrupted', left('play', 'interrupted'), { playstate: 'playfinished' }],
    ['play: interrupt of the flow', left('play', '$dtmf.0'), { playstate: 'playfinished' }],
    ['play: error', left('play', 'error', { fault }), { playstate: 'failed', description: 'the voice broke' }],
    [
      'play: error without a fault',
      left('play', 'error'),
      { playstate: 'failed', description: 'the prompt could not be played' },
    ],
    [
      'collect: collected',
      left('collect', 'collected', digits),
      { playstate: 'digitcollected', digit: '42#', digits: '42#' },
    ],
    ['collect: no input', left('collect', 'exhausted.no_input'), { playstate: 'menutimeout' }],
    ['collect: no match', left('collect', 'exhausted.no_match'), { playstate: 'menutimeout' }],
    ['collect: error', left('collect', 'error', { fault }), { playstate: 'failed', description: 'the voice broke' }],
    [
      'collect: interrupt of the flow',
      left('collect', '$event.stop'),
      { playstate: 'failed', description: 'interrupted by the flow' },
    ],
    [
      'menu: a choice',
      left('menu', 'billing', { result: { choice: 'billing', digits: '1' } }),
      { playstate: 'digitcollected', digit: '1', digits: '1' },
    ],
    ['menu: no input', left('menu', 'exhausted.no_input'), { playstate: 'menutimeout' }],
    ['menu: error', left('menu', 'error', { fault }), { playstate: 'failed', description: 'the voice broke' }],
    ['the call ended under a prompt of the flow', left('collect', 'hangup'), undefined],
    ['the flow was interrupted by the end of the call', left('play', '$hangup'), undefined],
    ['the step was not done: too many visits', left('collect', 'limit'), undefined],
    ['another verb', left('request', 'ok', { result: { digits: '1' } }), undefined],
    ['pause', left('pause', 'done'), undefined],
  ])('%s', (_, entry, expected) => {
    expect(told(entry)).toEqual(expected ? [{ ...common, play_id: 'call-1:4', ...expected }] : []);
  });

  it('a prompt asked for by REST is told by its own id and reference', () => {
    expect(told(left('play', 'done', { playId: 'play-9', promptRef: 'welcome' }))).toEqual([
      { ...common, play_id: 'play-9', playstate: 'playfinished', prompt_ref: 'welcome' },
    ]);
  });

  it.each(['hangup', '$hangup'])(
    'a prompt asked for by REST has its final event also when the call ends (%s)',
    (outcome) => {
      expect(told(left('collect', outcome, { playId: 'play-9' }))).toEqual([
        { ...common, play_id: 'play-9', playstate: 'failed', description: 'the call ended' },
      ]);
    },
  );

  it.each([
    ['a sensitive step', { sensitive: true, result: { digits: '1234' } }],
    ['a masked result', { result: MASK }],
    ['masked digits', { result: { digits: MASK } }],
    ['no result', {}],
    ['digits that are none', { result: { digits: 1234 } }],
  ])('tells no digits of %s', (_, more) => {
    expect(told(left('collect', 'collected', more))).toEqual([
      { ...common, play_id: 'call-1:4', playstate: 'digitcollected' },
    ]);
  });

  it('keeps descriptions short', () => {
    const [event] = told(left('play', 'error', { fault: { ...fault, message: 'x'.repeat(10_000) } }));
    expect(String(event!['description'])).toHaveLength(500);
  });
});

describe('events of the flow', () => {
  it('is owed to a play that never had its turn', () => {
    const [event] = told({ kind: 'unplayed', playId: 'p1', promptRef: 'hello' });
    expect(event).toMatchObject({
      play_id: 'p1',
      prompt_ref: 'hello',
      playstate: 'failed',
      description: 'the call ended',
    });
  });

  it('notify is told with its body', () => {
    expect(told({ kind: 'notified', event: 'call.summary', body: { tier: 'gold' } })).toEqual([
      { ...common, event: 'call.summary', body: { tier: 'gold' } },
    ]);
  });

  it('a body cannot replace the fields of the call', () => {
    const [event] = told({ kind: 'notified', event: 'x', body: { voice_id: 'other', to: 'other' } });
    expect(event).toMatchObject({ voice_id: 'call-1', to: '+33612345678' });
  });

  it('notify incomingcall is the documented event of an incoming call', () => {
    expect(told({ kind: 'notified', event: 'incomingcall', body: null })).toEqual([
      { ...common, state: 'incomingcall' },
    ]);
  });

  it.each<NewEntry>([
    { kind: 'in', input: { type: 'start' } },
    { kind: 'entered', step: 'ask', verb: 'collect', visit: 1, depth: 0, flow: 'greeting' },
    { kind: 'rendered', visit: 1, input: null },
    { kind: 'vars', set: { account: '12345678' } },
    { kind: 'log', level: 'info', message: 'x', fields: {} },
    { kind: 'ended', reason: 'completed' },
  ])('$kind is told to nobody', (entry) => {
    expect(told(entry)).toEqual([]);
  });
});
