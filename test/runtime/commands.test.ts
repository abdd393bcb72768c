/** Commands of REST and of webhook answers to a call: permitted by its state and by its flow. */
import { describe, expect, it } from 'vitest';
import { fault } from '../../src/base/core/fault.ts';
import { HOLD_MUSIC } from '../../src/language/flow/built-in-sounds.ts';
import { type CallCommand, MASK } from '../../src/service/runtime/journal.ts';
import type { CallSpec } from '../../src/service/runtime/ports.ts';
import {
  answered,
  askedOf,
  ended,
  forever,
  hungUp,
  kinds,
  OWN,
  type Program,
  scripted,
  until,
} from './scripted-steps.ts';
import { startCall } from './test-call.ts';

const COMMANDS = {
  play: { type: 'play', playId: 'p', verb: 'play', args: { prompt: { text: 'x' } } },
  accept: { type: 'accept' },
  hangup: { type: 'hangup', cause: 16 },
  event: { type: 'event', name: 'other', data: null },
  flow: { type: 'flow', flow: 'f', input: {} },
  bridge: { type: 'bridge', bridgeId: 'b', args: { to: '1' } },
  transfer: { type: 'transfer', channelId: 'c', args: { to: '1' } },
  'stop play': { type: 'stop_play' },
  hold: { type: 'hold', hold: true },
  'recording start': { type: 'recording', action: 'start' },
  'recording stop': { type: 'recording', action: 'stop' },
  'stream start': { type: 'stream', action: 'start', url: 'wss://x/', tracks: ['inbound'], bidirectional: false },
  'stream stop': { type: 'stream', action: 'stop' },
  conference: { type: 'conference', args: { name: 'c' } },
  join_room: { type: 'join_room', args: { room_id: 'r' } },
  outcome: { type: 'outcome', outcome: 'completed', set: {} },
} satisfies Record<string, CallCommand>;
type Name = keyof typeof COMMANDS;

const SIGNALS = ['play', 'accept', 'flow', 'bridge', 'transfer', 'conference', 'join_room', 'event.other'];

interface Scene {
  answered?: boolean;
  bridged?: boolean;
  waits?: boolean;
  strict?: boolean;
  busy?: boolean;
  head?: string;
}

/** A call whose step waits for nothing, or for every signal. */
const scene = async ({ answered: isAnswered, bridged, waits, strict = true, busy, head = '' }: Scene) => {
  const first: Program = async function* ({ leg, reportBridge, background }) {
    if (isAnswered) {
      leg.send({ type: 'answer' });
      yield {};
    }
    reportBridge({ state: 'initiated', bridgeId: 'b', from: '1', to: '2' });
    if (bridged) reportBridge({ state: 'bridged', to: '2' });
    if (busy) {
      background({ type: 'recording', action: 'start', maxLengthMs: 1_000 });
      background({ type: 'stream', action: 'start', url: 'wss://x/', tracks: ['inbound'], bidirectional: false });
    }
    return yield* forever([], waits ? { signals: SIGNALS } : {});
  };
  const call = await scripted({ first }, { head, spec: { strictBridgeState: strict } });
  if (isAnswered) await call.tell(answered);
  return call;
};

/** `+` where the command is taken. */
const TABLE: Record<string, { scene: Scene; replies: Record<Name, string> }> = {
  'a call that rings': {
    scene: {},
    replies: {
      play: 'ringing',
      accept: 'not_accepted_here',
      hangup: '+',
      event: 'not_accepted_here',
      flow: 'ringing',
      bridge: 'ringing',
      transfer: 'not_bridged',
      'stop play': 'not_playing',
      hold: 'ringing',
      'recording start': 'not_bridged',
      'recording stop': 'not_recording',
      'stream start': 'not_bridged',
      'stream stop': 'not_streaming',
      conference: 'ringing',
      join_room: 'ringing',
      outcome: '+',
    },
  },
  'an answered call': {
    scene: { answered: true },
    replies: {
      play: 'bridging',
      accept: 'already_answered',
      hangup: '+',
      event: 'not_accepted_here',
      flow: 'bridging',
      bridge: 'bridging',
      transfer: 'not_bridged',
      'stop play': 'not_playing',
      hold: '+',
      'recording start': 'not_bridged',
      'recording stop': 'not_recording',
      'stream start': 'not_bridged',
      'stream stop': 'not_streaming',
      conference: 'bridging',
      join_room: 'bridging',
      outcome: '+',
    },
  },
  'an answered call whose step waits for commands': {
    scene: { answered: true, waits: true },
    replies: {
      play: '+',
      accept: 'already_answered',
      hangup: '+',
      event: '+',
      flow: '+',
      bridge: '+',
      transfer: 'not_bridged',
      'stop play': 'not_playing',
      hold: '+',
      'recording start': 'not_bridged',
      'recording stop': 'not_recording',
      'stream start': 'not_bridged',
      'stream stop': 'not_streaming',
      conference: '+',
      join_room: '+',
      outcome: '+',
    },
  },
  'an answered call that need not be bridged': {
    scene: { answered: true, strict: false },
    replies: {
      play: 'bridging',
      accept: 'already_answered',
      hangup: '+',
      event: 'not_accepted_here',
      flow: 'bridging',
      bridge: 'bridging',
      transfer: 'not_bridged',
      'stop play': 'not_playing',
      hold: '+',
      'recording start': '+',
      'recording stop': 'not_recording',
      'stream start': '+',
      'stream stop': 'not_streaming',
      conference: 'bridging',
      join_room: 'bridging',
      outcome: '+',
    },
  },
  'a bridged call': {
    scene: { answered: true, bridged: true },
    replies: {
      play: 'bridged',
      accept: 'already_answered',
      hangup: '+',
      event: 'not_accepted_here',
      flow: 'bridged',
      bridge: 'bridged',
      transfer: 'transferring',
      'stop play': 'not_playing',
      hold: '+',
      'recording start': '+',
      'recording stop': 'not_recording',
      'stream start': '+',
      'stream stop': 'not_streaming',
      conference: 'bridged',
      join_room: 'bridged',
      outcome: '+',
    },
  },
  'a bridged call that is recorded and streamed, and whose step takes signals': {
    scene: { answered: true, bridged: true, busy: true, waits: true },
    replies: {
      play: 'bridged',
      accept: 'already_answered',
      hangup: '+',
      event: '+',
      flow: 'bridged',
      bridge: 'bridged',
      transfer: '+',
      'stop play': 'not_playing',
      hold: '+',
      'recording start': 'already_recording',
      'recording stop': '+',
      'stream start': 'already_streaming',
      'stream stop': '+',
      conference: 'bridged',
      join_room: 'bridged',
      outcome: '+',
    },
  },
};

describe.each(Object.entries(TABLE))('%s', (_name, { scene: given, replies }) => {
  it.each(Object.entries(replies) as [Name, string][])('replies to %s with %s', async (name, expected) => {
    const call = await scene(given);
    const entries = call.journal().length;
    const reply = await call.command(COMMANDS[name]);
    expect(reply.ok ? '+' : reply.refusal).toBe(expected);
    const news = call.journal().slice(entries);
    if (reply.ok) expect(news[0]).toMatchObject({ kind: 'in', input: { type: 'command' } });
    else expect(news).toMatchObject([{ kind: 'refused', command: COMMANDS[name].type, refusal: expected }]);
  });
});

it.each(['recording start', 'stream start'] as const)(
  'refuses %s while the call rings and needs no bridge',
  async (name) => {
    const call = await scene({ strict: false });
    expect(await call.command(COMMANDS[name])).toEqual({ ok: false, refusal: 'ringing' });
  },
);

it.each(Object.keys(COMMANDS) as Name[])(
  'refuses %s after the call has ended or received the command to end',
  async (name) => {
    const call = await scene({ answered: true, bridged: true });
    await call.command({ type: 'hangup', cause: 16 });
    expect(await call.command(COMMANDS[name])).toEqual({ ok: false, refusal: 'ended' });
    await call.tell(hungUp);
    expect(await call.command(COMMANDS[name])).toEqual({ ok: false, refusal: 'ended' });
  },
);

it.each(Object.keys(COMMANDS) as Name[])('refuses %s if the flow forbids it', async (name) => {
  const { type } = COMMANDS[name];
  const word = type === 'bridge' ? 'connect' : type === 'stop_play' ? 'play' : type;
  const call = await scene({ answered: true, waits: true, strict: false, head: `api: { ${word}: false }` });
  expect(await call.command(COMMANDS[name])).toEqual({ ok: false, refusal: 'not_accepted_here' });
});

it('journals an unsuitable command in the answer to a webhook without an error', async () => {
  const call = await scene({ answered: true });
  expect(await call.command(COMMANDS.transfer, 'webhook')).toEqual({ ok: false, refusal: 'not_bridged' });
  expect(kinds(call, 'refused')).toEqual([]);
  expect(kinds(call, 'diagnostic')).toMatchObject([
    { code: 'answer_refused', message: 'the answer asks for transfer: not_bridged' },
  ]);
  await call.command(COMMANDS.hold, 'webhook');
  expect(kinds(call, 'in').at(-1)).toMatchObject({ input: { source: 'webhook' } });
});

describe('signals', () => {
  it('carries the arguments and marks of the command', async () => {
    const heard: unknown[] = [];
    const call = await scripted({
      async *first({ leg, reportBridge }) {
        leg.send({ type: 'answer' });
        for (;;) {
          const event = yield { signals: SIGNALS };
          if (event.type === 'signal') heard.push([event.name, event.data]);
          if (event.type === 'signal' && event.name === 'conference') {
            reportBridge({ state: 'initiated', bridgeId: 'b', from: '1', to: '2' });
            reportBridge({ state: 'bridged', to: '2' });
          }
        }
      },
    });
    await call.tell(answered);
    for (const name of ['bridge', 'conference', 'transfer'] as const) await call.command(COMMANDS[name]);
    expect(heard).toEqual([
      ['bridge', { to: '1', bridge_id: 'b' }],
      ['conference', { name: 'c' }],
      ['transfer', { to: '1', channel_id: 'c' }],
    ]);
  });

  it('waits for the answer, or fails with the call, if requested before the bridge', async () => {
    const text = `
flow: controlled
start: ready
steps:
  ready: { wait_for: { events: [bridge], commands: true }, exits: { bridge: bye } }
  bye: { hangup: normal }
`;
    const dial = { legId: 'leg-1', from: '1', to: '2', ringTimeoutMs: 1 };
    const spec: Partial<CallSpec> = { direction: 'outbound', from: '1', dial };
    const early = await startCall(text, { spec });
    expect(await early.command(COMMANDS.bridge)).toEqual({ ok: true });
    await early.tell(answered);
    expect(early.outcomes()).toContain('ready:bridge');
    const never = await startCall(text, { spec });
    await never.command(COMMANDS.bridge);
    await never.tell({ type: 'ended', cause: { code: 17, reason: 'User Busy' }, by: 'far' });
    const told = never.journal().flatMap((entry) => ('state' in entry ? [`${entry.kind} ${entry.state}`] : []));
    expect(told).toEqual(['bridge failed', 'state disconnected']);
    expect(never.journal().find(({ kind }) => kind === 'bridge')).toMatchObject({ bridgeId: 'b', from: '1', to: '1' });
  });
});

describe('hold', () => {
  const steps = `
  first: { bridge: first, exits: { completed: bye } }
  missed: { log: missed, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
  it('is what REST and steps share, with music of the flow', async () => {
    const call = await scene({ answered: true });
    await call.command({ type: 'hold', hold: true, music: { text: 'One moment' } });
    await call.command({ type: 'hold', hold: true });
    await call.command({ type: 'hold', hold: false });
    await call.command({ type: 'hold', hold: false });
    expect(call.commands.slice(1)).toMatchObject([
      { type: 'hold', music: [{ type: 'speech', text: 'One moment' }] },
      { type: 'resume' },
    ]);
    expect(kinds(call, 'held').map(({ held }) => held)).toEqual([true, false]);
  });

  it('plays built-in music where the flow has none of that name', async () => {
    const call = await scripted({ first: (context) => forever([], { signals: [context.step] }) }, { steps, head: '' });
    await call.tell(answered);
    await call.command({ type: 'hold', hold: true, music: 'no_such_prompt' });
    expect(call.commands.at(-1)).toMatchObject({ type: 'hold', music: HOLD_MUSIC });
  });
});

describe('recordings and streams', () => {
  it('replies with the id of the medium', async () => {
    const call = await scene({ answered: true, bridged: true });
    expect(await call.command({ type: 'recording', action: 'start', name: 'mine' })).toEqual({
      ok: true,
      id: 'recording-1',
    });
    expect(await call.command({ type: 'recording', action: 'pause' })).toEqual({ ok: true, id: 'recording-1' });
    expect(await call.command({ type: 'recording', action: 'resume' })).toEqual({ ok: true, id: 'recording-1' });
    expect(await call.command({ type: 'recording', action: 'stop' })).toEqual({ ok: true, id: 'recording-1' });
    expect(await call.command(COMMANDS['stream start'])).toEqual({ ok: true, id: 'stream-1' });
    expect(await call.command(COMMANDS['stream stop'])).toEqual({ ok: true, id: 'stream-1' });
    expect(askedOf(call, OWN).slice(1)).toEqual([
      'record',
      'pause_record',
      'pause_record',
      'stop_record',
      'stream',
      'stop_stream',
    ]);
  });

  it('are stopped with the bridge, the recording first, in any order of engine events', async () => {
    const call = await scripted({
      async *first({ leg, reportBridge }) {
        leg.send({ type: 'answer' });
        yield* until((event) => (event.type === 'answered' ? event : undefined));
        reportBridge({ state: 'initiated', bridgeId: 'b', from: '1', to: '2' });
        reportBridge({ state: 'bridged', to: '2' });
        yield* until((event) => (event.type === 'digit' ? event : undefined), { digits: { claims: '1' } });
        reportBridge({ state: 'bridge_disconnected', to: '2' });
        return yield* forever();
      },
    });
    await call.tell(answered);
    await call.command(COMMANDS['recording start']);
    await call.command(COMMANDS['stream start']);
    await call.press('1');
    expect(askedOf(call, OWN).slice(-2)).toEqual(['stop_record', 'stop_stream']);
    await call.tell(
      { type: 'stream_ended', streamId: 'stream-1', reason: 'stopped' },
      {
        type: 'record_ended',
        recordId: 'recording-1',
        reason: 'stopped',
        file: 'x',
        durationMs: 1_000,
        speechMs: 0,
      },
    );
    const told = call.journal().flatMap((entry) => ('state' in entry ? [`${entry.kind} ${entry.state}`] : []));
    expect(told.slice(-3)).toEqual(['bridge bridge_disconnected', 'recording completed', 'stream stream_stopped']);
    expect(await call.command(COMMANDS['recording stop'])).toEqual({ ok: false, refusal: 'not_recording' });
    expect(await call.command(COMMANDS['stream stop'])).toEqual({ ok: false, refusal: 'not_streaming' });
  });

  it.each([
    ['name_taken', 'recording_name_taken'],
    ['disk_full', 'recording_failed'],
  ])('are refused by the recording store: %s', async (code, refusal) => {
    const first: Program = async function* ({ leg }) {
      leg.send({ type: 'answer' });
      return yield* forever();
    };
    const recordings = { open: () => ({ fault: fault(code, 'no') }), close: () => undefined };
    const call = await scripted({ first }, { ports: { recordings }, spec: { strictBridgeState: false } });
    await call.tell(answered);
    expect(await call.command({ type: 'recording', action: 'start', name: 'x' })).toEqual({ ok: false, refusal });
    expect(kinds(call, 'in')).toHaveLength(1);
    expect(kinds(call, 'recording')).toEqual([]);
  });

  it('allows only addresses that are permitted', async () => {
    const first: Program = async function* ({ leg }) {
      leg.send({ type: 'answer' });
      return yield* forever();
    };
    const call = await scripted({ first }, { ports: { mayStream: () => false }, spec: { strictBridgeState: false } });
    await call.tell(answered);
    expect(await call.command(COMMANDS['stream start'])).toEqual({ ok: false, refusal: 'target_refused' });
  });
});

describe('an outcome from outside', () => {
  const steps = `
  first: { bridge: first, set: { seen: "\${ result.to }" }, exits: { completed: second, failed.busy: missed } }
  second: { bridge: second, exits: { completed: bye } }
  missed: { log: missed, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
  const head =
    'vars: { seen: { type: string }, tier: { enum: [gold, basic] }, pin: { type: string, sensitive: true } }';
  const idle: Program = async function* ({ leg }) {
    leg.play([]);
    return yield* forever();
  };
  const asked = (outcome: string, set = {}): CallCommand => ({ type: 'outcome', outcome, set });

  it('ends the step, with what it brings for the variables', async () => {
    const call = await scripted({ first: idle, second: idle }, { steps, head });
    expect(await call.command(asked('completed', { tier: 'gold', pin: '4711' }))).toEqual({ ok: true });
    expect(call.path()).toEqual(['first', 'second']);
    expect(call.outcomes()).toEqual(['first:completed']);
    expect(askedOf(call, OWN)).toEqual(['play', 'stop_play', 'play']);
    expect(kinds(call, 'vars')).toMatchObject([{ set: { tier: 'gold', pin: MASK } }]);
    expect(JSON.stringify(call.journal())).not.toContain('4711');
  });

  it.each([
    ['nobody routes', asked('surprise'), 'unknown_outcome'],
    ['only the call can give', asked('hangup'), 'unknown_outcome'],
    ['only the call can give, by its inner name', asked('$dtmf.9'), 'unknown_outcome'],
    ['brings a wrong value', asked('completed', { tier: 'lead' }), 'not_accepted_here'],
    ['brings an unknown variable', asked('completed', { nobody: 1 }), 'not_accepted_here'],
  ])('is refused where %s', async (_why, command, refusal) => {
    const call = await scripted({ first: idle }, { steps, head });
    expect(await call.command(command)).toEqual({ ok: false, refusal });
    expect(call.outcomes()).toEqual([]);
  });

  it('is routed by prefix as any other', async () => {
    const call = await scripted({ first: idle }, { steps, head });
    await call.command(asked('failed.busy'));
    expect(call.path()).toEqual(['first', 'missed', 'bye']);
  });
});

describe('a hang-up by REST', () => {
  const steps = `
  first: { bridge: first, exits: { completed: bye, hangup: summary } }
  summary: { notify: { event: summary }, next: $end }
  missed: { log: missed, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
  const idle: Program = async function* ({ leg, dial }) {
    leg.play([]);
    dial({ to: '1', ringTimeoutMs: 1 });
    return yield* forever();
  };

  it('is a hang-up to the flow, once the leg has ended', async () => {
    const call = await scripted({ first: idle }, { steps, head: '' });
    expect(await call.command({ type: 'hangup', cause: 17 })).toEqual({ ok: true });
    expect(askedOf(call, OWN)).toEqual(['play', 'hangup 17']);
    expect(call.outcomes()).toEqual([]);
    await call.tell(hungUp);
    expect(call.path()).toEqual(['first', 'summary']);
    expect(kinds(call, 'notified')).toHaveLength(1);
    await call.tellParty('leg-1', ended);
    await call.run.done;
    expect(kinds(call, 'ended')).toMatchObject([{ reason: 'completed' }]);
  });

  it('is one too when the leg never reports its end', async () => {
    const call = await scripted({ first: idle }, { steps, head: '' });
    await call.command({ type: 'hangup', cause: 16 });
    await call.clock.advance(40_000);
    expect(call.path()).toEqual(['first', 'summary']);
    await call.tellParty('leg-1', ended);
    await call.run.done;
  });
});

it('makes an interrupting event and its data visible to expressions', async () => {
  const call = await startCall(`
flow: test
start: wait
events: { event.order: tell }
steps:
  wait: { pause: 1m, exits: { done: bye } }
  tell: { notify: { event: told, body: "\${ call.event.name & ' ' & call.event.data.id }" }, next: wait }
  bye: { hangup: normal }
`);
  await call.command({ type: 'event', name: 'order', data: { id: 7 } });
  await call.command({ type: 'event', name: 'order', data: { id: 8 } });
  const told = call.journal().flatMap((entry) => (entry.kind === 'notified' ? [entry.body] : []));
  expect(told).toEqual(['order 7', 'order 8']);
});
