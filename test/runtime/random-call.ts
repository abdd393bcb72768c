/**
 * Random histories of one call: events of network, caller and application in random order, with a store of any speed.
 * The simulated engine keeps none of its guarantees.
 */
import fc from 'fast-check';
import type { HttpReply } from '../../src/base/core/http-exchange.ts';
import { isObject, type Json, type JsonObject } from '../../src/base/core/json.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { CallRun } from '../../src/service/runtime/call-run.ts';
import type { CallWrite } from '../../src/service/runtime/call-store.ts';
import type { CallCommand, CallInput, CommandReply, JournalEntry } from '../../src/service/runtime/journal.ts';
import type { Venue } from '../../src/service/runtime/venue.ts';
import { checkedSteps } from '../steps/scripted-call.ts';
import { checkJournal } from './journal-invariants.ts';
import { OWN } from './scripted-steps.ts';
import { flowOf, testPorts } from './test-call.ts';

const everything = `
flow: everything
start: greet
vars: { digits: { type: string, default: "" }, pin: { type: string, sensitive: true } }
limits: { max_duration: 5m, max_steps: 60 }
events: { "dtmf.0": look, "dtmf.*": back, event.jump: call, hangup: summary, max_duration: bye }
defaults: { exits: { error: sorry } }
steps:
  greet: { play: { text: Hello, barge_in: true }, exits: { done: ask, interrupted: ask } }
  ask:
    collect: { prompt: { text: Digits? }, digits: { min: 1, max: 3 }, attempts: 2, start_timeout: 2s, inter_digit_timeout: 1s, confirm: { prompt: { text: Sure? } } }
    set: { digits: "\${ result.digits }" }
    max_visits: 3
    exits: { collected: look, exhausted: wait, limit: bye }
  look:
    request: { get: "https://x.example/", timeout: 900ms, retry: { times: 1, backoff: 300ms }, meanwhile: { text: Hold } }
    exits: { ok: by_digits, not_found: pin, failed: sorry }
  by_digits: { branch: [{ when: "vars.digits = '1'", next: pin }, { when: "$length(vars.digits) > 1", next: message }, { else: call }] }
  pin: { collect: { prompt: { text: PIN? }, digits: { length: 2 }, attempts: 1 }, sensitive: true, set: { pin: "\${ result.digits }" }, exits: { collected: ask_app, exhausted: wait } }
  ask_app: { webhook: { outcomes: [more, enough], may: [goto, flow], timeout: 1s, body: "\${ vars.pin }" }, exits: { more: call, enough: bye, timeout: wait, done: wait } }
  call: { subflow: { flow: inner, outcomes: [known] }, exits: { done: wait, known: message } }
  talk: { bridge: a, exits: { completed: ring, failed: wait } }
  ring: { bridge: { to: [[a, b], [c]], ring_timeout: 2s, whisper: { text: "For you" }, screen: { prompt: { text: One }, timeout: 1s, attempts: 1 }, record: dual, max_duration: 30s }, exits: { completed: pass, failed: wait } }
  pass: { transfer: { to: d, ring_timeout: 1s }, exits: { transferred: bye, returned: wait, failed: tape } }
  back: { resume: {}, exits: { done: wait } }
  tape: { recording: start, exits: { started: words, failed: words } }
  words: { transcribe: { action: start, tracks: [inbound] }, exits: { started: fork, failed: fork } }
  fork: { stream: { action: start, url: "wss://x.example/" }, exits: { started: both, failed: both } }
  both: { parallel: { branches: { one: { flow: inner }, two: { flow: caller } }, until: all, timeout: 4s }, exits: { done: meet, timeout: meet } }
  meet: { conference: { name: here, leave_key: "*" }, exits: { left: line, ended: line, full: line } }
  line: { queue: { name: sales, agents: [e, f], ring_timeout: 1s, timeout: 5s }, exits: { dequeued: wait, timeout: wait, full: wait } }
  message: { record: { prompt: { text: Speak }, end_silence: 1s }, exits: { recorded: tones, silence: again } }
  tones: { send_digits: "12#", next: wait }
  wait: { wait_for: { events: [play, collect, bridge, conference, join_room, accept, order], commands: true, timeout: 3s, meanwhile: { text: Music } }, exits: { play: play, collect: collect, bridge: connect, conference: convene, join_room: room, accept: wait, order: again, timeout: again } }
  connect: { bridge: "\${ steps.wait.data }", exits: { completed: wait, failed: wait, machine: wait } }
  convene: { conference: "\${ steps.wait.data }", exits: { left: wait, ended: wait, full: wait } }
  room: { join_room: "\${ steps.wait.data }", exits: { left: wait, ended: wait, denied: wait } }
  play: { play: "\${ steps.wait.data }", exits: { done: wait, interrupted: wait } }
  collect: { collect: "\${ steps.wait.data }", exits: { collected: wait, exhausted: wait } }
  again: { repeat: { do: ask, times: 2 }, exits: { limit: bye } }
  sorry: { play: "I am sorry", next: bye }
  summary: { notify: { event: summary, body: "\${ vars.digits }" }, next: late }
  late: { request: { post: "https://x.example/", timeout: 900ms }, exits: { ok: bye, not_found: bye, failed: bye } }
  bye: { hangup: normal }
`;
/** The same flow from several beginnings, so that all of it is visited. */
export const STARTS = [
  'greet',
  'look',
  'pin',
  'ask_app',
  'call',
  'message',
  'tones',
  'wait',
  'talk',
  'talk',
  'talk',
  'ring',
  'tape',
  'both',
  'meet',
  'line',
];
const flowsOf = (text: string) => STARTS.map((start) => flowOf(text.replace('start: greet', `start: ${start}`)));
export const flows = flowsOf(everything);
/** Without what can only be followed in a replay, because it is masked. */
export const openFlows = flowsOf(
  everything
    .replace(', sensitive: true }', ' }')
    .replace(' sensitive: true,', '')
    .replace('[goto, flow]', '[goto]')
    .replace('timeout: wait, done: wait }', 'timeout: wait }'),
);
const inner = flowOf(`
flow: inner
start: say
events: { "dtmf.9": out }
steps:
  say: { play: { text: Inside }, exits: { done: rest, hangup: note, error: out } }
  rest: { pause: 1500ms, exits: { done: out } }
  note: { log: gone, next: $end }
  out: { return: known }
`);

const caller = flowOf(`
flow: caller
start: dial
steps:
  dial: { bridge: { to: g, ring_timeout: 1s }, exits: { completed: out, failed: out, error: out, hangup: out } }
  out: { return: known }
`);
export const library: Record<string, CompiledFlow> = { inner, caller };

const ids = fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8);
const cause = { code: 16, reason: 'Normal Clearing' };

const legEvent: fc.Arbitrary<LegEvent> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.constantFrom(...'111223349#**0').map((digit): LegEvent => ({ type: 'digit', digit, durationMs: 80 })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('play_ended' as const),
      playId: ids.map((n) => `play-${n}`),
      reason: fc.constantFrom('finished' as const, 'finished' as const, 'stopped' as const, 'failed' as const),
      playedMs: fc.constant(5),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('record_ended' as const),
      recordId: ids.map((n) => `recording-${n}`),
      reason: fc.constantFrom('end_silence' as const, 'hangup' as const, 'failed' as const),
      file: fc.constant('x.wav'),
      durationMs: fc.constant(2_000),
      speechMs: fc.constantFrom(0, 1_000),
    }),
  },
  { weight: 2, arbitrary: ids.map((n): LegEvent => ({ type: 'digits_sent', sendId: `send-${n}` })) },
  { weight: 1, arbitrary: fc.constant<LegEvent>({ type: 'answered' }) },
  { weight: 1, arbitrary: fc.constant<LegEvent>({ type: 'ringing' }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('far' as const, 'network' as const)
      .map((by): LegEvent => ({ type: 'ended', cause, by })),
  },
);

/** Event of a leg that the flow called. */
const partyEvent: fc.Arbitrary<LegEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<LegEvent>({ type: 'ringing' }) },
  { weight: 6, arbitrary: fc.constant<LegEvent>({ type: 'answered' }) },
  { weight: 1, arbitrary: fc.constant<LegEvent>({ type: 'far_hold', held: true }) },
  { weight: 1, arbitrary: fc.constant<LegEvent>({ type: 'referred', referId: 'r', to: 'sip:x' }) },
  { weight: 4, arbitrary: legEvent },
);

const told = {
  name: fc.constantFrom('joined', 'position', 'turn', 'ended', 'muted', 'surprise'),
  data: fc.constantFrom<Json>(null, { mix_id: 'm', members: 2 }, { agent: 'e', position: 1, waiting: 1 }),
};

const command: fc.Arbitrary<CallCommand> = fc.constantFrom<CallCommand>(
  { type: 'accept' },
  { type: 'hangup', cause: 17 },
  { type: 'event', name: 'jump', data: { n: 1 } },
  { type: 'event', name: 'order', data: null },
  { type: 'event', name: 'unknown', data: null },
  { type: 'play', playId: 'rest-1', verb: 'play', args: { prompt: { text: 'From outside' } } },
  { type: 'play', playId: 'rest-2', verb: 'collect', args: { digits: { length: 2 }, attempts: 1 } },
  { type: 'play', playId: 'rest-3', verb: 'play', args: { nonsense: true } },
  { type: 'bridge', bridgeId: 'b', args: { to: 'i' } },
  { type: 'bridge', bridgeId: 'b', args: { nonsense: true } },
  { type: 'conference', args: { conference_id: 'here' } },
  { type: 'conference', args: { conference_id: 'there' } },
  { type: 'join_room', args: { room_id: 'there' } },
  { type: 'flow', flow: 'inner', input: {} },
  { type: 'hold', hold: true },
  { type: 'hold', hold: false },
  { type: 'recording', action: 'start' },
  { type: 'recording', action: 'stop' },
  { type: 'stream', action: 'start', url: 'wss://x.example/', tracks: ['inbound'], bidirectional: false },
  { type: 'stream', action: 'stop' },
  { type: 'transfer', channelId: 'c', args: { to: 'h' } },
  { type: 'outcome', outcome: 'failed', set: {} },
  { type: 'outcome', outcome: 'done', set: { digits: '1' } },
);

const reply: fc.Arbitrary<HttpReply> = fc.constantFrom<HttpReply>(
  { ok: true, status: 200, headers: {}, body: { outcome: 'more', set: { digits: '77' } } },
  { ok: true, status: 200, headers: {}, body: { outcome: 'surprise' } },
  { ok: true, status: 200, headers: {}, body: { goto: 'message' } },
  { ok: true, status: 200, headers: {}, body: { goto: 'nowhere' } },
  { ok: true, status: 200, headers: {}, body: { flow: 'inner' } },
  { ok: true, status: 404, headers: {}, body: null },
  { ok: true, status: 500, headers: {}, body: null },
  { ok: false, reason: 'timeout', message: 'late' },
);

export type Act =
  | { act: 'leg'; event: LegEvent }
  | { act: 'party'; leg: string; event: LegEvent }
  | { act: 'venue'; ticket: string; name: string; data: Json }
  | { act: 'command'; command: CallCommand }
  | { act: 'reply'; reply: HttpReply; which: number }
  /** Answer of a correct engine to one of the last commands, so that histories make progress. */
  | { act: 'respond'; which: number }
  | { act: 'time'; ms: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 10, arbitrary: legEvent.map((event): Act => ({ act: 'leg', event })) },
  {
    weight: 8,
    arbitrary: fc.record({ act: fc.constant('party' as const), leg: ids.map((n) => `leg-${n}`), event: partyEvent }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('venue' as const), ticket: ids.map((n) => `ticket-${n}`), ...told }),
  },
  { weight: 10, arbitrary: fc.record({ act: fc.constant('respond' as const), which: fc.constantFrom(0, 0, 0, 1, 2) }) },
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constant('reply' as const), reply, which: fc.constantFrom(0, 0, 0, 1, 2) }),
  },
  { weight: 2, arbitrary: command.map((given): Act => ({ act: 'command', command: given })) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(0, 1, 299, 300, 900, 1_000, 2_000, 3_000).map((ms): Act => ({ act: 'time', ms })),
  },
);

export const story = fc.record({
  acts: fc.array(act, { minLength: 10, maxLength: 60 }),
  start: fc.nat(flows.length - 1),
  isDialled: fc.boolean(),
  /** How long each write takes, in turn. */
  writeMs: fc.array(fc.constantFrom(0, 0, 0, 1, 7, 1_000), { minLength: 1, maxLength: 4 }),
});
export type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Gives the command a unique id. */
function withId(command: CallCommand, n: number): CallCommand {
  switch (command.type) {
    case 'play':
      return { ...command, playId: `${command.playId}.${n}` };
    case 'bridge':
      return { ...command, bridgeId: `${command.bridgeId}.${n}` };
    case 'transfer':
      return { ...command, channelId: `${command.channelId}.${n}` };
    default:
      return command;
  }
}

/** A request to a leg or to a venue, or a request to dial. */
interface Asked {
  leg?: string;
  command: LegCommand | { type: 'dial' } | { type: 'enter'; memberId: string };
}

function responseTo({ leg, command }: Asked): CallInput | undefined {
  if (command.type === 'enter') {
    return { type: 'venue', ticket: command.memberId, name: 'joined', data: { mix_id: 'm', members: 2 } };
  }
  const event = eventAfter(command);
  return event && { type: 'leg', event, ...(leg === undefined ? {} : { leg }) };
}

function eventAfter(command: LegCommand | { type: 'dial' }): LegEvent | undefined {
  switch (command.type) {
    case 'dial':
    case 'answer':
      return { type: 'answered' };
    case 'play':
      return { type: 'play_ended', playId: command.playId, reason: 'finished', playedMs: 9 };
    case 'record': {
      const { recordId, file } = command;
      return { type: 'record_ended', recordId, file, reason: 'end_silence', durationMs: 2_000, speechMs: 900 };
    }
    case 'send_digits':
      return { type: 'digits_sent', sendId: command.sendId };
    case 'listen':
      return { type: 'utterance', listenId: command.listenId, text: 'hello', confidence: 1, fromMs: 0, toMs: 1 };
    case 'stream':
      return { type: 'stream_started', streamId: command.streamId };
    default:
      return undefined;
  }
}

export interface Told {
  journal: string;
  /** Writes of one commit, in order. */
  writes: CallWrite[];
  replies: CommandReply[];
  wrong: string[];
}

/** `brokenAt`: the write that fails, the first being 1. */
export async function tell({ acts, start, isDialled, writeMs }: Story, from = flows, brokenAt?: number): Promise<Told> {
  const clock = new VirtualClock();
  const wrong: string[] = [];
  const journal: JournalEntry[] = [];
  const writes: CallWrite[] = [];
  let commits = 0;
  const owed: string[] = [];
  const asked: { signal: AbortSignal; answer: (reply: HttpReply) => void }[] = [];
  const sent: Asked[] = [];
  let legGone = false;
  const counts = new Map<string, number>();
  const partyOf = (legId: string) => (legId === OWN ? {} : { leg: legId });
  /** Identities of venues by member id. */
  const identities = new Map<string, JsonObject>();
  const placeOf = (key?: 'conference_id' | 'room_id'): Venue => ({
    enter({ memberId, name }) {
      if (key) identities.set(memberId, { [key]: name });
      sent.push({ command: { type: 'enter', memberId } });
    },
    tell: () => undefined,
    exit: () => undefined,
  });
  /** Adds the name by which a member is admitted. */
  const named = (input: CallInput): CallInput => {
    if (input.type !== 'venue' || input.name !== 'joined') return input;
    const identity = identities.get(input.ticket);
    // A member that has not joined cannot be admitted.
    if (!identity) return { ...input, name: 'surprise' };
    return { ...input, data: { ...(isObject(input.data) ? input.data : {}), ...identity } };
  };
  /** An effect has to be one that was written, and each is done once and in order. */
  const did = (what: string): void => {
    if (owed.shift() !== what) wrong.push(`${what} was done before it was written`);
  };
  const run = new CallRun(
    {
      callId: 'call-1',
      projectId: 'p',
      direction: isDialled ? 'outbound' : 'inbound',
      from: '1',
      to: '2',
      legId: OWN,
      ...(isDialled ? { dial: { legId: OWN, from: '1', to: '2', ringTimeoutMs: 30_000 } } : {}),
      flow: from[start]!,
      input: {},
      seed: 1,
      env: {},
      secrets: {},
      schedules: {},
      eventUrl: 'https://app.example/',
    },
    {
      owner: 'life-1',
      clock,
      ids: {
        next(kind) {
          counts.set(kind, (counts.get(kind) ?? 0) + 1);
          return `${kind}-${counts.get(kind)}`;
        },
      },
      engine: {
        dial({ legId }) {
          did('dial');
          sent.push({ command: { type: 'dial' }, ...partyOf(legId) });
        },
        send(legId, command) {
          did(command.type);
          sent.push({ command, ...partyOf(legId) });
        },
      },
      callStore: {
        async commit(write) {
          if (++commits === brokenAt) throw new Error('the disk is full');
          if (owed.length > 0) wrong.push(`${owed.join()} was written and not done before the next write`);
          const ms = writeMs[writes.length % writeMs.length]!;
          if (ms > 0) await new Promise<void>((written) => clock.after(ms, written));
          writes.push(structuredClone(write));
          for (const entry of write.entries) {
            journal.push(entry);
            if ((entry.kind === 'started' && isDialled) || entry.kind === 'dialled') owed.push('dial');
            if (entry.kind === 'command') owed.push(entry.command.type);
            if (entry.kind === 'request') owed.push('http');
            if (entry.kind !== 'in' || entry.input.type !== 'leg' || entry.input.event.type !== 'ended') continue;
            legGone ||= entry.input.leg === undefined;
          }
        },
      },
      flow: (name) => library[String(name)],
      steps: checkedSteps,
      http: (_request, _projectId, signal) => {
        did('http');
        return new Promise((answer) => asked.push({ signal, answer }));
      },
      deliveriesOf: () => [],
      ...testPorts(),
      venues: { conference: placeOf('conference_id'), queue: placeOf(), room: placeOf('room_id') },
      onCrash: (_callId, error) => wrong.push(`it broke: ${String(error)}`),
    },
  );
  void run.start();
  const replies: Promise<CommandReply>[] = [];
  for (const what of acts) {
    switch (what.act) {
      case 'leg':
        run.post({ type: 'leg', event: what.event });
        break;
      case 'party':
        run.post({ type: 'leg', leg: what.leg, event: what.event });
        break;
      case 'venue':
        run.post(named({ type: 'venue', ticket: what.ticket, name: what.name, data: what.data }));
        break;
      case 'respond': {
        await clock.settle();
        const input = sent
          .map(responseTo)
          .filter((each) => each !== undefined)
          .at(-1 - what.which);
        if (input) run.post(named(input));
        break;
      }
      case 'command':
        replies.push(run.command(withId(what.command, replies.length)));
        break;
      case 'reply':
        asked.at(-1 - what.which)?.answer(what.reply);
        break;
      case 'time':
        await clock.advance(what.ms);
        break;
    }
  }
  await clock.advance(10_000);
  for (const { answer } of asked) answer({ ok: false, reason: 'network', message: 'gone' });
  // However the story went, the limit, or the leg's silence after the hang-up, ends it.
  await clock.advance(400_000);
  for (const { answer } of asked) answer({ ok: false, reason: 'network', message: 'gone' });
  await clock.advance(400_000);
  await run.done;
  await clock.settle();
  wrong.push(...checkJournal(journal, { over: true }));
  if (!legGone) wrong.push('it ended without the end of its leg');
  if (clock.pendingTimers > 0) wrong.push(`${clock.pendingTimers} timers are left`);
  if (owed.length > 0) wrong.push(`${owed.join()} was written and never done`);
  for (const { signal } of asked) if (!signal.aborted) wrong.push('a request was not given up');
  return { journal: JSON.stringify(journal), writes, replies: await Promise.all(replies), wrong };
}
