import { describe, expect, it } from 'vitest';
import { causeOf } from '../../src/base/core/causes.ts';
import { countingIds } from '../../src/base/core/ids.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import { deliveriesOf } from '../../src/service/observers/webhooks/events.ts';
import { type CallRecord, type JournalEntry, MASK, type NewEntry } from '../../src/service/runtime/journal.ts';

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

const ids = countingIds();
const context = { nextId: () => ids.next('event'), recordingUrl: (id: string) => `https://voice.example/rec/${id}` };

function eventsFor(entry: NewEntry, changes: Partial<CallRecord> = {}): JsonObject[] {
  const made = { seq: 1, atMs: T0 + 9000, ...entry } as JournalEntry;
  return deliveriesOf(made, { ...record, ...changes }, context).map(({ payload }) => payload);
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
  it('is queued under its call, for its project and URL, with its own id', () => {
    const entry: JournalEntry = { seq: 3, atMs: T0 + 9000, kind: 'state', state: 'ringing' };
    expect(deliveriesOf(entry, record, { ...context, nextId: () => 'event-7' })).toEqual([
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

  it('has the time of day, even if the clock was set during the call', () => {
    const entry: JournalEntry = { seq: 3, atMs: T0, wallMs: T0 + 9000, kind: 'state', state: 'ringing' };
    const [delivery] = deliveriesOf(entry, record, context);
    expect(delivery).toMatchObject({ createdMs: T0 + 9000, payload: { timestamp: common.timestamp } });
  });

  it('is not created when the call has no event URL', () => {
    const { eventUrl: _, ...silent } = record;
    const entry: JournalEntry = { seq: 3, atMs: T0, kind: 'state', state: 'ringing' };
    expect(deliveriesOf(entry, silent, context)).toEqual([]);
  });

  it('includes the owner reference unchanged', () => {
    expect(eventsFor({ kind: 'state', state: 'ringing' }, { ownerRef: 'order 42' })).toEqual([
      { ...common, state: 'ringing', owner_ref: 'order 42' },
    ]);
  });
});

describe('call state events', () => {
  it('includes the SIP headers of the far end in the event of its INVITE or answer', () => {
    const headers = { 'x-customer': '17' };
    const inbound = { direction: 'inbound', headers } as const;
    const event = (entry: NewEntry, changes: Partial<CallRecord>) => eventsFor(entry, changes)[0]?.['sip_headers'];
    expect(event({ kind: 'state', state: 'incomingcall' }, inbound)).toEqual(headers);
    expect(event({ kind: 'notified', event: 'incomingcall', body: null }, inbound)).toEqual(headers);
    expect(event({ kind: 'state', state: 'connected' }, inbound)).toBeUndefined();
    expect(event({ kind: 'state', state: 'connected' }, { headers })).toEqual(headers);
    expect(event({ kind: 'state', state: 'connected' }, {})).toBeUndefined();
  });

  it.each(['bridging', 'bridged', 'bridge_disconnected'] as const)('reports %s by the event of the bridge', (state) => {
    expect(eventsFor({ kind: 'state', state })).toEqual([]);
  });

  it.each(['incomingcall', 'ringing', 'connected'] as const)('reports %s as an event with that state', (state) => {
    expect(eventsFor({ kind: 'state', state })).toEqual([{ ...common, state }]);
  });

  it('does not include initiated, because the response contained it', () => {
    expect(eventsFor({ kind: 'state', state: 'initiated' })).toEqual([]);
  });

  it('reports in disconnected the reason and the duration of the talk', () => {
    const ended = { answeredMs: T0 + 2000, endedMs: T0 + 8600 };
    expect(eventsFor({ kind: 'state', state: 'disconnected', cause: causeOf(16) }, ended)).toEqual([
      {
        ...common,
        state: 'disconnected',
        disconnect_reason: 'Normal Clearing',
        disconnect_cause_code: 16,
        call_duration: 7,
      },
    ]);
  });

  it('reports a busy callee as disconnected with the documented reason and a duration of 0', () => {
    expect(eventsFor({ kind: 'state', state: 'disconnected' }, { endedMs: T0 + 5000, cause: causeOf(17) })).toEqual([
      { ...common, state: 'disconnected', disconnect_reason: 'User Busy', disconnect_cause_code: 17, call_duration: 0 },
    ]);
  });

  it('reports in failed the reason of the failure', () => {
    expect(eventsFor({ kind: 'state', state: 'failed', cause: causeOf(3) })).toEqual([
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
  ])('reports the outcome of a step by one event or none: %s', (_, entry, expected) => {
    expect(eventsFor(entry)).toEqual(expected ? [{ ...common, play_id: 'call-1:4', ...expected }] : []);
  });

  it('gives a prompt requested by REST its own id and reference', () => {
    expect(eventsFor(left('play', 'done', { playId: 'play-9', promptRef: 'welcome' }))).toEqual([
      { ...common, play_id: 'play-9', playstate: 'playfinished', prompt_ref: 'welcome' },
    ]);
  });

  it.each(['hangup', '$hangup'])(
    'reports the end of a prompt requested by REST also when the call ends (%s)',
    (outcome) => {
      expect(eventsFor(left('collect', outcome, { playId: 'play-9' }))).toEqual([
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
  ])('contains no digits of %s', (_, more) => {
    expect(eventsFor(left('collect', 'collected', more))).toEqual([
      { ...common, play_id: 'call-1:4', playstate: 'digitcollected' },
    ]);
  });

  it('shortens descriptions that are too long', () => {
    const [event] = eventsFor(left('play', 'error', { fault: { ...fault, message: 'x'.repeat(10_000) } }));
    expect(String(event!['description'])).toHaveLength(500);
  });
});

describe('events of the flow', () => {
  it('includes a final event of a play that never started', () => {
    const [event] = eventsFor({ kind: 'unplayed', playId: 'p1', promptRef: 'hello' });
    expect(event).toMatchObject({
      play_id: 'p1',
      prompt_ref: 'hello',
      playstate: 'failed',
      description: 'the call ended',
    });
  });

  it('sends notify as an event with its body', () => {
    expect(eventsFor({ kind: 'notified', event: 'call.summary', body: { tier: 'gold' } })).toEqual([
      { ...common, event: 'call.summary', body: { tier: 'gold' } },
    ]);
  });

  it('keeps the fields of the call when a body has the same names', () => {
    const [event] = eventsFor({ kind: 'notified', event: 'x', body: { voice_id: 'other', to: 'other' } });
    expect(event).toMatchObject({ voice_id: 'call-1', to: '+33612345678' });
  });

  it('sends notify incomingcall as the documented event of an incoming call', () => {
    expect(eventsFor({ kind: 'notified', event: 'incomingcall', body: null })).toEqual([
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
  ])('does not include $kind as an event', (entry) => {
    expect(eventsFor(entry)).toEqual([]);
  });
});

describe('speech events', () => {
  const heard = { speech: 'billing please', confidence: 0.91 };
  it.each<[string, NewEntry, JsonObject]>([
    [
      'recognized: what was understood',
      left('collect', 'collected', { speech: true, result: heard }),
      { playstate: 'speech_recognized', state: 'recognized', text: 'billing please', confidence: 0.91 },
    ],
    [
      'recognized: a choice of a menu',
      left('menu', 'billing', { speech: true, result: { choice: 'billing', ...heard } }),
      { playstate: 'speech_recognized', state: 'recognized', text: 'billing please' },
    ],
    [
      'timeout: nothing was said',
      left('collect', 'exhausted.no_input', { speech: true }),
      { playstate: 'speech_recognized', state: 'timeout', reason: 'no speech was heard' },
    ],
    [
      'unrecognized: it was not understood',
      left('collect', 'exhausted.no_match', { speech: true, result: heard }),
      { playstate: 'speech_recognized', state: 'unrecognized', reason: 'the speech was not understood' },
    ],
    [
      'digits instead of speech are digits',
      left('collect', 'collected', { speech: true, result: { digits: '12' } }),
      { playstate: 'digitcollected', digits: '12' },
    ],
    ['a failure is a failure', left('collect', 'error', { speech: true }), { playstate: 'failed' }],
  ])('reports the result of a step with speech: %s', (_what, entry, expected) => {
    const [event, ...more] = eventsFor({ ...entry, playId: 'play-9', promptRef: 'ask' } as NewEntry);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ ...common, play_id: 'play-9', prompt_ref: 'ask', ...expected });
    if (expected['state'] !== 'recognized') expect(event).not.toHaveProperty('text');
    if (expected['state'] === undefined) expect(event).not.toHaveProperty('state');
  });

  it('contains no text for a sensitive step', () => {
    const [event] = eventsFor(left('collect', 'collected', { speech: true, sensitive: true, result: heard }));
    expect(event).toMatchObject({ state: 'recognized' });
    expect(event).not.toHaveProperty('text');
    expect(event).not.toHaveProperty('confidence');
  });
});

describe('bridge events', () => {
  const bridge = (state: Extract<NewEntry, { kind: 'bridge' }>['state'], cause?: number): NewEntry => ({
    kind: 'bridge',
    bridgeId: 'bridge-1',
    state,
    from: '+33199001122',
    to: '+33699999999',
    ...(cause === undefined ? {} : { cause: causeOf(cause) }),
  });

  it('does not include initiated, because the response contained it', () => {
    expect(eventsFor(bridge('initiated'))).toEqual([]);
  });

  it.each(['bridging', 'bridged', 'bridge_disconnected'] as const)(
    'includes in %s the parties of the bridge',
    (state) => {
      expect(eventsFor(bridge(state))).toEqual([{ ...common, bridge_id: 'bridge-1', state, to: '+33699999999' }]);
    },
  );

  it('reports in failed the reason and the bridge', () => {
    expect(eventsFor(bridge('failed', 17))).toEqual([
      {
        ...common,
        bridge_id: 'bridge-1',
        state: 'failed',
        to: '+33699999999',
        disconnect_reason: 'User Busy',
        disconnect_cause_code: 17,
      },
    ]);
  });
});

describe('a transfer that failed', () => {
  it('is reported as failed, with the ids of the transfer and of the bridge that continues', () => {
    const [channelId, bridgeId, from, to] = ['channel-1', 'bridge-1', '+33199001122', '+33699999999'];
    expect(eventsFor({ kind: 'untransferred', channelId, bridgeId, from, to, cause: causeOf(17) })).toEqual([
      {
        ...common,
        bridge_id: bridgeId,
        channel_id: channelId,
        state: 'failed',
        to,
        description: 'User Busy',
        disconnect_reason: 'User Busy',
        disconnect_cause_code: 17,
      },
    ]);
  });
});

describe('a digit of a bridged call', () => {
  it('is reported as dtmfcollected', () => {
    expect(eventsFor({ kind: 'digit', digit: '5' })).toEqual([{ ...common, state: 'dtmfcollected', digit: '5' }]);
  });
  it('is not an event when it is masked', () => {
    expect(eventsFor({ kind: 'digit', digit: MASK })).toEqual([]);
  });
});

describe('recording events', () => {
  const recording = (more: Partial<Extract<NewEntry, { kind: 'recording' }>>): NewEntry => ({
    kind: 'recording',
    recordingId: 'rec-1',
    state: 'started',
    ...more,
  });

  it('includes in started the id and the name', () => {
    expect(eventsFor(recording({ name: 'my talk' }))).toEqual([
      { ...common, state: 'started', recording_id: 'rec-1', recording_name: 'my talk', description: '' },
    ]);
  });

  it('includes in completed the URL and the duration', () => {
    expect(eventsFor(recording({ state: 'completed', durationMs: 4600 }))).toEqual([
      {
        ...common,
        state: 'completed',
        recording_id: 'rec-1',
        recording_url: 'https://voice.example/rec/rec-1',
        recording_duration: 5,
        description: '',
      },
    ]);
  });

  it('includes in failed a description, and no URL', () => {
    expect(eventsFor(recording({ state: 'failed', description: 'the disk is full' }))).toEqual([
      { ...common, state: 'failed', recording_id: 'rec-1', description: 'the disk is full' },
    ]);
  });

  it('reports the URL and duration of the recording at the end of the call', () => {
    const recordings = [{ recordingId: 'rec-1', durationMs: 61_000 }];
    expect(eventsFor({ kind: 'state', state: 'disconnected', cause: causeOf(16) }, { recordings })[0]).toMatchObject({
      state: 'disconnected',
      recording_url: 'https://voice.example/rec/rec-1',
      recording_duration: 61,
    });
  });

  it('reports the last of several recordings, and all of them, at the end of the call', () => {
    const recordings = [
      { recordingId: 'rec-1', durationMs: 1000 },
      { recordingId: 'rec-2', durationMs: 0 },
      { recordingId: 'rec-3', durationMs: 2000 },
      { recordingId: 'rec-4' },
    ];
    expect(eventsFor({ kind: 'state', state: 'disconnected' }, { recordings })[0]).toMatchObject({
      recording_url: 'https://voice.example/rec/rec-3',
      recordings: [
        { recording_url: 'https://voice.example/rec/rec-1', recording_duration: 1 },
        { recording_url: 'https://voice.example/rec/rec-3', recording_duration: 2 },
      ],
    });
  });
});

describe('media stream events', () => {
  it.each(['stream_initiated', 'stream_started', 'stream_stopped', 'stream_failed'] as const)(
    'reports %s with the stream id',
    (state) => {
      expect(eventsFor({ kind: 'stream', streamId: 'stream-1', state })).toEqual([
        { ...common, state, stream_id: 'stream-1' },
      ]);
    },
  );
  it('reports in stream_failed the reason of the failure', () => {
    const [event] = eventsFor({ kind: 'stream', streamId: 's', state: 'stream_failed', description: 'refused' });
    expect(event).toMatchObject({ description: 'refused' });
  });
});

describe('transcripts', () => {
  it('are sent once for each utterance', () => {
    expect(
      eventsFor({ kind: 'transcript', track: 'inbound', text: 'hello', confidence: 0.8, fromMs: 100.4, toMs: 900 }),
    ).toEqual([
      { ...common, state: 'transcribed', track: 'inbound', text: 'hello', confidence: 0.8, from_ms: 100, to_ms: 900 },
    ]);
  });
});

describe('events of conferences, queues and rooms', () => {
  const at = (venue: 'conference' | 'queue' | 'room', event: string, data: JsonObject): NewEntry => ({
    kind: 'venue',
    venue,
    ticket: 't',
    name: 'daily',
    event,
    data,
  });

  it.each<[string, NewEntry, JsonObject | undefined]>([
    [
      'conference: joined',
      at('conference', 'joined', { conference_id: 'c-1', name: 'daily', mix_id: 'c-1', members: 2 }),
      { state: 'conference_joined', conference_id: 'c-1', name: 'daily', members: 2 },
    ],
    [
      'conference: muted',
      at('conference', 'muted', { muted: true }),
      { state: 'conference_muted', conference_id: 'daily', muted: true },
    ],
    ['conference: others came', at('conference', 'members', { members: 3 }), undefined],
    ['conference: entered', at('conference', 'entered', {}), undefined],
    [
      'conference: left',
      at('conference', 'left', { conference_id: 'c-1' }),
      { state: 'conference_left', conference_id: 'c-1' },
    ],
    ['conference: left by one who never was in', at('conference', 'left', {}), undefined],
    ['room: joined', at('room', 'joined', { room_id: 'r-1', mix_id: 'x' }), { state: 'joined', room_id: 'r-1' }],
    ['room: left', at('room', 'left', { room_id: 'r-1' }), { state: 'left', room_id: 'r-1' }],
    [
      'room: denied',
      at('room', 'denied', { reason: 'wrong_pin' }),
      { state: 'room_denied', room_id: 'daily', reason: 'wrong_pin' },
    ],
    [
      'queue: position',
      at('queue', 'position', { position: 2, waiting: 5 }),
      { state: 'queue_position', queue: 'daily', position: 2, waiting: 5 },
    ],
    ['queue: turn', at('queue', 'turn', { agent: '12' }), { state: 'queue_turn', queue: 'daily', agent: '12' }],
    [
      'queue: position with an estimate',
      at('queue', 'position', { position: 1, waiting: 1, estimated_wait: 60 }),
      { state: 'queue_position', queue: 'daily', position: 1, waiting: 1, estimated_wait: 60 },
    ],
    [
      'queue: connected with an agent who called in',
      at('queue', 'connected', { agent: '+331', mix_id: 'queue ticket-1' }),
      { state: 'queue_connected', queue: 'daily', agent: '+331' },
    ],
    ['queue: parted', at('queue', 'parted', {}), { state: 'queue_parted', queue: 'daily' }],
    ['queue: no agents', at('queue', 'no_agents', {}), { state: 'queue_no_agents', queue: 'daily' }],
    ['something that is not known', at('room', 'constructor', {}), undefined],
  ])('reports an event of the venue if it is documented: %s', (_what, entry, expected) => {
    expect(eventsFor(entry)).toEqual(expected ? [{ ...common, ...expected }] : []);
  });
});

describe('a call of a broadcast', () => {
  const IDS = { app_instance: 'b-1', broadcast_id: 'b-1', appInstance: 'b-1' };
  const bridge = { kind: 'bridge', bridgeId: 'bridge-1', from: '1000', to: '4000' } as const;

  it('contains its broadcast in every event', () => {
    expect(eventsFor({ kind: 'state', state: 'ringing' }, { broadcastId: 'b-1' })).toEqual([
      { ...common, ...IDS, state: 'ringing' },
    ]);
    expect(eventsFor(left('play', 'done'), { broadcastId: 'b-1' })[0]).toMatchObject({
      ...IDS,
      playstate: 'playfinished',
    });
  });

  it('has a separate state for a bridge that fails', () => {
    const failed = { ...bridge, state: 'failed' } as const;
    expect(eventsFor(failed, { broadcastId: 'b-1' })[0]).toMatchObject({ ...IDS, state: 'bridge_failed' });
    expect(eventsFor(failed)[0]).toMatchObject({ state: 'failed' });
    expect(eventsFor({ ...bridge, state: 'bridged' }, { broadcastId: 'b-1' })[0]).toMatchObject({ state: 'bridged' });
    expect(eventsFor({ kind: 'state', state: 'failed' }, { broadcastId: 'b-1' })[0]).toMatchObject({ state: 'failed' });
    // A failed transfer is not a bridge: it has the same state on all calls.
    const cause = { code: 17, reason: 'User Busy' };
    const about = { channelId: 'c', bridgeId: 'b', from: '1', to: '2' };
    const transfer = eventsFor({ kind: 'untransferred', ...about, cause }, { broadcastId: 'b-1' });
    expect(transfer[0]).toMatchObject({ channel_id: 'c', state: 'failed' });
  });
});
