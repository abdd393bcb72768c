/**
 * Random actions of a caller and an application at random times: the call has one end, its journal keeps the rules and
 * can be replayed.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import type { CalleePlan, FarEnd } from '../../src/media/telephony/simulated/far-end.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { SimulatedCall } from '../../src/proof/testkit/simulated-call.ts';
import type { CallCommand, JournalEntry } from '../../src/service/runtime/journal.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { rounds } from '../rounds.ts';
import { checkJournal } from '../runtime/journal-invariants.ts';
import { flowOf } from './rehearse.ts';

const supportLine = new FlowLibrary(verbs).load(import.meta.dirname).get('support-line')!;
const schedules = {
  office_hours: { timezone: 'Europe/Paris', open: [{ days: ['mon-fri'], from: '09:00', to: '18:00' }] },
};
const survey = `
flow: survey
vars: { mark: { type: string } }
events: { dtmf.*: operator, event.stop: bye, max_duration: bye, hangup: report }
limits: { max_duration: 2m }
start: greet
steps:
  greet: { play: { prompt: { text: "Welcome" }, barge_in: true }, exits: { done: ask, interrupted: ask, error: bye } }
  ask:
    collect:
      prompt: { text: "Your mark, then hash" }
      digits: { min: 1, max: 2 }
      attempts: 2
      start_timeout: 3s
      inter_digit_timeout: 1s
      confirm: { prompt: "You said \${ result.digits }", accept: "1", retry: "2" }
    set: { mark: "\${ result.digits }" }
    exits: { collected: check, exhausted: idle, error: bye }
  check: { subflow: { flow: inner, outcomes: [again] }, max_visits: 3, exits: { done: idle, again: ask, limit: bye, hangup: report, error: bye } }
  idle:
    wait_for: { events: [now, later], timeout: 5s, meanwhile: { tone: 440, duration: 700ms } }
    exits: { now: voicemail, later: check, timeout: voicemail }
  voicemail: { record: { prompt: { text: "Speak" }, max_length: 6s, end_silence: 1s }, exits: { recorded: report, silence: report, error: bye } }
  operator: { play: { text: "An operator" }, exits: { done: bye, error: bye } }
  report: { notify: { event: done, body: { mark: "\${ vars.mark }" } }, next: bye }
  bye: { hangup: normal }
`;
const switchboard = `
flow: switchboard
events: { dtmf.9: move, dtmf.8: tell, hangup: bye }
limits: { max_duration: 3m }
start: connect
steps:
  connect:
    bridge: { to: [["user:alice", "user:bob"], "user:carol"], ring_timeout: 3s, whisper: { text: A call }, record: dual }
    exits: { completed: idle, failed: wait, error: bye }
  move: { transfer: { to: "user:carol", ring_timeout: 2s }, exits: { transferred: bye, returned: idle, failed: wait, error: bye } }
  tell: { play: { text: One moment please }, exits: { done: back, error: bye } }
  back: { resume: {}, next: idle }
  wait: { queue: { name: all, agents: ["user:alice", "user:carol"], ring_timeout: 2s, timeout: 20s }, exits: { dequeued: idle, timeout: meet, full: bye, error: bye } }
  meet: { conference: { name: all, leave_key: "#" }, exits: { left: idle, ended: bye, full: bye, error: bye } }
  idle: { wait_for: { events: [now, later], timeout: 5s }, exits: { now: connect, later: meet, timeout: bye } }
  bye: { hangup: normal }
`;
const inner = `
flow: inner
events: { dtmf.9: back }
start: look
steps:
  look: { request: { get: "http://a.example/", timeout: 1s, retry: { times: 1, backoff: 300ms }, meanwhile: { tone: 440, duration: 400ms } }, exits: { ok: say, not_found: back, failed: back, error: back } }
  say: { play: { text: "Found it" }, exits: { done: out, error: out } }
  back: { return: again }
  out: { return: done }
`;

const innerFlow = flowOf(inner);

const act = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4_000 })),
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('1', '2', '0', '#', '9', '*', '12345678#', '11') },
    {
      weight: 3,
      arbitrary: fc.constantFrom('speak', 'event:now', 'event:later', 'event:stop', 'play', 'accept'),
    },
    { weight: 3, arbitrary: fc.constantFrom('say', 'hold', 'take back', 'refer', 'somebody else calls') },
    {
      weight: 3,
      arbitrary: fc.constantFrom('party hangs up', 'party holds', 'party refers', 'party presses', 'party takes over'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom<CallCommand>(
        { type: 'hold', hold: true },
        { type: 'hold', hold: false },
        { type: 'recording', action: 'start' },
        { type: 'recording', action: 'pause' },
        { type: 'recording', action: 'stop' },
        { type: 'stream', action: 'start', url: 'wss://a.example/', tracks: ['inbound'], bidirectional: true },
        { type: 'stream', action: 'stop' },
        { type: 'bridge', bridgeId: 'api', args: { to: 'user:bob' } },
        { type: 'transfer', channelId: 'api', args: { to: 'user:carol', ring_timeout: '2s' } },
        { type: 'conference', args: { name: 'all' } },
        { type: 'outcome', outcome: 'completed', set: {} },
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom('hangUp', 'hangUp twice', 'lose', 'hangup') },
  ),
});
const plan: fc.Arbitrary<CalleePlan> = fc.oneof(
  fc.record({
    does: fc.constant('answer' as const),
    afterMs: fc.integer({ min: 0, max: 3_500 }),
    talkMs: fc.integer({ min: 0, max: 20_000 }),
    earlyMediaAfterMs: fc.integer({ min: 0, max: 2_000 }),
  }),
  fc.constant<CalleePlan>({ does: 'answer' }),
  fc.constant<CalleePlan>({ does: 'no_answer' }),
  fc.record({
    does: fc.constantFrom('busy' as const, 'declined' as const, 'unreachable' as const),
    afterMs: fc.integer({ min: 0, max: 1_000 }),
  }),
);
const story = fc.record({
  acts: fc.array(act, { maxLength: 14 }),
  answersMs: fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 3 }),
  isDialled: fc.boolean(),
  plans: fc.array(plan, { minLength: 1, maxLength: 4 }),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

async function tell(flow: CompiledFlow, { acts, answersMs, isDialled, plans }: Story): Promise<JournalEntry[]> {
  let asked = 0;
  const parties: FarEnd[] = [];
  const guests: FarEnd[] = [];
  const call: SimulatedCall = await SimulatedCall.open({
    flow,
    flows: (name) => (name === 'inner' ? innerFlow : undefined),
    startMs: Date.parse('2026-03-02T09:30:00+01:00'),
    direction: isDialled ? 'outbound' : 'inbound',
    callee: { does: 'answer', afterMs: 700 },
    schedules,
    parties: () => plans[parties.length % plans.length],
    onDial: (farEnd) => parties.push(farEnd),
    http: (request, _projectId, signal) =>
      new Promise((resolve) => {
        const afterMs = answersMs[asked++ % answersMs.length]!;
        const reply =
          afterMs % 3 === 0
            ? ({ ok: false, reason: 'timeout', message: request.name } as const)
            : ({ ok: true, status: afterMs % 3 === 1 ? 200 : 404, headers: {}, body: { tier: 'gold' } } as const);
        const timer = call.clock.after(afterMs, () => resolve(reply));
        signal.addEventListener('abort', () => timer.cancel());
      }),
  });
  for (const { afterMs, what } of acts) {
    await call.clock.advance(afterMs);
    const party = parties.at(-1);
    if (typeof what !== 'string') void call.command(what);
    else if (what === 'say') call.farEnd.say('speak to someone');
    else if (what === 'hold' || what === 'take back') call.farEnd.hold(what === 'hold');
    else if (what === 'refer') call.farEnd.refer('user:bob');
    else if (what === 'somebody else calls') guests.push(call.addCaller({ from: '+33699999999' }));
    else if (what === 'party hangs up') party?.hangUp();
    else if (what === 'party holds') party?.hold(!party.holdsUs);
    else if (what === 'party refers') party?.refer('user:carol');
    else if (what === 'party presses') party?.press('1');
    else if (what === 'party takes over') {
      const [other] = parties.filter((each) => each !== party);
      if (other) party?.refer('user:x', { replaces: other });
    } else if (what === 'hangUp') call.farEnd.hangUp();
    else if (what === 'hangUp twice') {
      call.farEnd.hangUp();
      call.farEnd.hangUp();
    } else if (what === 'lose') call.farEnd.lose();
    else if (what === 'speak') call.farEnd.speak(1_500);
    else if (what === 'hangup') void call.command({ type: 'hangup', cause: 16 });
    else if (what === 'accept') void call.command({ type: 'accept' });
    else if (what === 'play') void call.command({ type: 'play', playId: 'api', verb: 'play', args: {} });
    else if (what.startsWith('event:')) void call.command({ type: 'event', name: what.slice(6), data: { n: 1 } });
    else call.farEnd.press(what, { toneMs: 40, gapMs: 20 });
  }
  await call.runUntilEnd(10 * 60_000);
  for (const guest of guests) guest.hangUp();
  await call.close();
  for (const farEnd of [...parties, ...guests]) expect(farEnd.state).toBe('ended');
  expect(call.crashes).toEqual([]);
  expect(call.hasEnded).toBe(true);
  expect(checkJournal(call.journal, { over: true })).toEqual([]);
  expect(call.clock.pendingTimers).toBe(0);
  // It is JSON: nothing is lost where it is kept.
  expect(JSON.parse(JSON.stringify(call.journal))).toEqual(call.journal);
  return call.journal;
}

it.each([
  ['the support line', supportLine],
  ['a survey with a subflow and interrupts', flowOf(survey)],
  ['a switchboard', flowOf(switchboard)],
])('keeps the rules for random actions: %s', async (_name, flow) => {
  const compiled = [flow, innerFlow];
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const journal = await tell(flow, told);
      expect(JSON.stringify(await tell(flow, told))).toBe(JSON.stringify(journal));
      const result = await replayJournal(journal, (name) => compiled.find((each) => each.name === name), {
        schedules,
        callId: 'call-1',
      });
      if (!result.ok) expect(result.divergence).toEqual('none');
    }),
    { numRuns: rounds(20), seed: 7, endOnFailure: false },
  );
});
