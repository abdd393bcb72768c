/**
 * Whatever a network, a caller and an application do, in whatever order, and however slow the book is: what is done was
 * written before, the journal keeps its rules, the call comes to one end, and the same story gives the same journal.
 * The engine of these stories keeps none of its promises.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LegCommand, LegEvent } from '../../src/core/leg.ts';
import type { CallCommand, CommandReply, JournalEntry } from '../../src/runtime/journal.ts';
import { Run } from '../../src/runtime/run.ts';
import type { HttpReply } from '../../src/steps/step.ts';
import { VirtualClock } from '../../src/testkit/virtual-clock.ts';
import { watchedSteps } from '../steps/paper.ts';
import { flowOf, paperPorts } from './call-on-paper.ts';
import { checkJournal } from './journal-rules.ts';

const everything = `
flow: everything
start: greet
vars: { digits: { type: string, default: "" }, pin: { type: string, sensitive: true } }
limits: { max_duration: 5m, max_steps: 60 }
events: { "dtmf.0": look, event.jump: call, hangup: summary, max_duration: bye }
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
  message: { record: { prompt: { text: Speak }, end_silence: 1s }, exits: { recorded: tones, silence: again } }
  tones: { send_digits: "12#", next: wait }
  wait: { wait_for: { events: [play, collect, accept, order], commands: true, timeout: 3s, meanwhile: { text: Music } }, exits: { play: play, collect: collect, accept: wait, order: again, timeout: again } }
  play: { play: "\${ steps.wait.data }", exits: { done: wait, interrupted: wait } }
  collect: { collect: "\${ steps.wait.data }", exits: { collected: wait, exhausted: wait } }
  again: { repeat: { do: ask, times: 2 }, exits: { limit: bye } }
  sorry: { play: "I am sorry", next: bye }
  summary: { notify: { event: summary, body: "\${ vars.digits }" }, next: late }
  late: { request: { post: "https://x.example/", timeout: 900ms }, exits: { ok: bye, not_found: bye, failed: bye } }
  bye: { hangup: normal }
`;
/** The same flow from several beginnings, so that all of it is visited. */
const flows = ['greet', 'look', 'pin', 'ask_app', 'call', 'message', 'tones', 'wait'].map((start) =>
  flowOf(everything.replace('start: greet', `start: ${start}`)),
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

const ids = fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8);
const cause = { code: 16, reason: 'Normal Clearing' };

const legEvent: fc.Arbitrary<LegEvent> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.constantFrom(...'111223349#*0').map((digit): LegEvent => ({ type: 'digit', digit, durationMs: 80 })),
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

const command: fc.Arbitrary<CallCommand> = fc.constantFrom<CallCommand>(
  { type: 'accept' },
  { type: 'hangup', cause: 17 },
  { type: 'event', name: 'jump', data: { n: 1 } },
  { type: 'event', name: 'order', data: null },
  { type: 'event', name: 'unknown', data: null },
  { type: 'play', playId: 'rest-1', verb: 'play', args: { prompt: { text: 'From outside' } } },
  { type: 'play', playId: 'rest-2', verb: 'collect', args: { digits: { length: 2 }, attempts: 1 } },
  { type: 'play', playId: 'rest-3', verb: 'play', args: { nonsense: true } },
  { type: 'flow', flow: 'inner', input: {} },
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

type Act =
  | { act: 'leg'; event: LegEvent }
  | { act: 'command'; command: CallCommand }
  | { act: 'reply'; reply: HttpReply; which: number }
  /** What a decent engine would say to the last command, so that stories get somewhere. */
  | { act: 'respond' }
  | { act: 'time'; ms: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 10, arbitrary: legEvent.map((event): Act => ({ act: 'leg', event })) },
  { weight: 10, arbitrary: fc.constant<Act>({ act: 'respond' }) },
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

const story = fc.record({
  acts: fc.array(act, { minLength: 10, maxLength: 60 }),
  start: fc.nat(flows.length - 1),
  isDialled: fc.boolean(),
  /** How long each write takes, in turn. */
  writeMs: fc.array(fc.constantFrom(0, 0, 0, 1, 7, 1_000), { minLength: 1, maxLength: 4 }),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

function responseTo(command: LegCommand | undefined, isDialled: boolean): LegEvent | undefined {
  switch (command?.type) {
    case undefined:
      return isDialled ? { type: 'answered' } : undefined;
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
    default:
      return undefined;
  }
}

interface Told {
  journal: string;
  replies: CommandReply[];
  wrong: string[];
}

async function tell({ acts, start, isDialled, writeMs }: Story): Promise<Told> {
  const clock = new VirtualClock();
  const wrong: string[] = [];
  const journal: JournalEntry[] = [];
  const owed: string[] = [];
  const asked: { signal: AbortSignal; answer: (reply: HttpReply) => void }[] = [];
  const sent: LegCommand[] = [];
  let writes = 0;
  let legGone = false;
  const counts = new Map<string, number>();
  /** An effect has to be one that was written, and each is done once and in order. */
  const did = (what: string): void => {
    if (owed.shift() !== what) wrong.push(`${what} was done before it was written`);
  };
  const run = new Run(
    {
      callId: 'call-1',
      projectId: 'p',
      direction: isDialled ? 'outbound' : 'inbound',
      from: '1',
      to: '2',
      legId: 'leg-1',
      ...(isDialled ? { dial: { legId: 'leg-1', from: '1', to: '2', ringTimeoutMs: 30_000 } } : {}),
      flow: flows[start]!,
      input: {},
      seed: 1,
      env: {},
      secrets: {},
      schedules: {},
      eventUrl: 'https://app.example/',
    },
    {
      clock,
      ids: {
        next(kind) {
          counts.set(kind, (counts.get(kind) ?? 0) + 1);
          return `${kind}-${counts.get(kind)}`;
        },
      },
      engine: {
        dial: () => did('dial'),
        send(_legId, command) {
          did(command.type);
          sent.push(command);
        },
      },
      book: {
        async commit(write) {
          if (owed.length > 0) wrong.push(`${owed.join()} was written and not done before the next write`);
          const ms = writeMs[writes++ % writeMs.length]!;
          if (ms > 0) await new Promise<void>((written) => clock.after(ms, written));
          for (const entry of write.entries) {
            journal.push(entry);
            if (entry.kind === 'started' && isDialled) owed.push('dial');
            if (entry.kind === 'command') owed.push(entry.command.type);
            if (entry.kind === 'request') owed.push('http');
            if (entry.kind === 'in' && entry.input.type === 'leg' && entry.input.event.type === 'ended') legGone = true;
          }
        },
      },
      flow: (name) => (name === 'inner' ? inner : undefined),
      steps: watchedSteps,
      http: (_request, _projectId, signal) => {
        did('http');
        return new Promise((answer) => asked.push({ signal, answer }));
      },
      deliveriesOf: () => [],
      ...paperPorts(),
      crashed: (_callId, error) => wrong.push(`it broke: ${String(error)}`),
    },
  );
  void run.start();
  const replies: Promise<CommandReply>[] = [];
  for (const what of acts) {
    switch (what.act) {
      case 'leg':
        run.post({ type: 'leg', event: what.event });
        break;
      case 'respond': {
        await clock.settle();
        const event = responseTo(
          sent.findLast((each) => responseTo(each, isDialled) !== undefined),
          isDialled,
        );
        if (event) run.post({ type: 'leg', event });
        break;
      }
      case 'command':
        replies.push(run.command(what.command));
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
  return { journal: JSON.stringify(journal), replies: await Promise.all(replies), wrong };
}

describe('any order of events', () => {
  it('keeps the rules', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (given) => {
        expect((await tell(given)).wrong).toEqual([]);
      }),
      { numRuns: 400, seed: 3 },
    );
  });

  it('gives the same journal and the same replies again', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (given) => {
        expect(await tell(given)).toEqual(await tell(given));
      }),
      { numRuns: 100, seed: 5 },
    );
  });
});
