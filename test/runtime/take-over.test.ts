/** A phone with two calls connects them: the party of one comes to the other, without being hung up. */
import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/base/core/ids.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import type { StepEvent } from '../../src/language/steps/step.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import type { CallSpec } from '../../src/service/runtime/ports.ts';
import { createSupervisor } from '../../src/service/runtime/supervisor.ts';
import { checkJournal } from './journal-invariants.ts';
import {
  answered,
  ended,
  expectRepeated,
  hungUp,
  isOf,
  type Program,
  scriptedFlow,
  scriptedSteps,
  until,
} from './scripted-steps.ts';
import { flowOf, testPorts } from './test-call.ts';

/** Two calls under one roof: customer `c` talks with Alice (`leg-1`), whose phone (`a`) has called Bob (`leg-2`). */
async function twoCalls(options: { writeMs?: number } = {}) {
  const clock = new VirtualClock();
  const journals = new Map<string, JournalEntry[]>();
  const sent: string[] = [];
  const crashes: unknown[] = [];
  const seen: Record<string, StepEvent[]> = { 'call-c': [], 'call-a': [] };

  const talk: Program = async function* (context) {
    const callId = String(context.call['id']);
    const party = context.dial({ to: callId === 'call-c' ? 'user:alice' : 'user:bob', ringTimeoutMs: 1_000 });
    yield* until(isOf(party.id, 'answered'));
    party.send({ type: 'join', mixId: callId });
    context.leg.send({ type: 'join', mixId: callId });
    for (;;) {
      const event = yield {};
      seen[callId]!.push(event);
      if (event.type === 'party' && event.event.type === 'referred') context.requestPeer(event.event.replacesLegId!);
      if (event.type === 'given_up') return { outcome: 'completed' };
      if (event.type !== 'taken_over') continue;
      const taken = context.parties.find(({ id }) => id === event.party);
      if (!taken) continue;
      taken.send({ type: 'join', mixId: callId });
      party.send({ type: 'hangup', cause: 16 });
    }
  };
  const text = scriptedFlow(`
  first: { bridge: talk, exits: { completed: late } }
  missed: { log: missed, next: bye }
  late: { notify: { event: late }, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`);
  const flow = flowOf(text);
  const steps = scriptedSteps({ talk });
  const supervisor = createSupervisor({
    owner: 'life-1',
    clock,
    ids: countingIds(),
    engine: {
      dial: ({ legId }) => sent.push(`${legId} dial`),
      send: (leg, command: LegCommand) => sent.push(`${leg} ${command.type}`),
    },
    callStore: {
      commit: async ({ record, entries }) => {
        if (options.writeMs) await new Promise<void>((written) => clock.after(options.writeMs!, written));
        journals.set(record.callId, [...(journals.get(record.callId) ?? []), ...entries]);
      },
    },
    flow: () => undefined,
    steps,
    http: () => new Promise(() => undefined),
    deliveriesOf: () => [],
    ...testPorts(),
    onCrash: (_callId, error) => crashes.push(error),
  });
  const spec = (callId: string, legId: string): CallSpec => ({
    callId,
    projectId: 'p',
    direction: 'inbound',
    from: legId,
    to: '1000',
    legId,
    flow,
    input: {},
    seed: 1,
    env: {},
    secrets: {},
    schedules: {},
  });
  const settle = async () => {
    for (let turns = 0; turns < 12; turns++) await clock.advance(options.writeMs ?? 0);
  };
  const tell = async (leg: string, ...events: LegEvent[]) => {
    for (const event of events) supervisor.legEvent(leg, event);
    await settle();
  };
  const runs = { c: supervisor.start(spec('call-c', 'c')), a: supervisor.start(spec('call-a', 'a')) };
  await settle();
  await tell('c', answered);
  await tell('a', answered);
  await tell('leg-1', answered);
  await tell('leg-2', answered);
  sent.length = 0;
  const journal = (callId: string) => journals.get(callId) ?? [];
  const inputs = (callId: string) => journal(callId).flatMap((entry) => (entry.kind === 'in' ? [entry.input] : []));
  const check = async () => {
    expect(crashes).toEqual([]);
    for (const callId of ['call-c', 'call-a']) {
      expect(checkJournal(journal(callId))).toEqual([]);
      await expectRepeated(journal(callId), { scripted: text }, steps, callId);
    }
  };
  return { supervisor, clock, tell, settle, sent, seen, runs, journal, inputs, check };
}

/** Alice's phone, on the line of the customer's call: connect this one with whom my other line talks to. */
const connect = (replacesLegId: string): LegEvent => ({ type: 'referred', referId: 'r', to: 'sip:bob', replacesLegId });

describe('a party of another call', () => {
  it('moves without being hung up, and both journals show it', async () => {
    const two = await twoCalls();
    await two.tell('leg-1', connect('a'));
    expect(two.sent).toEqual(['a leave', 'a hangup', 'leg-2 join', 'leg-1 hangup']);
    expect(two.seen['call-c']!.at(-1)).toEqual({ type: 'taken_over', party: 'leg-2' });
    expect(two.seen['call-a']!.at(-1)).toEqual({ type: 'given_up', party: 'leg-2' });
    expect(two.inputs('call-c').at(-1)).toEqual({ type: 'taken_over', visit: 1, leg: 'leg-2', to: 'user:bob' });
    expect(two.inputs('call-a').at(-1)).toEqual({ type: 'given_up', leg: 'leg-2' });
    await two.tell('leg-1', hungUp);
    await two.tell('leg-2', { type: 'far_hold', held: true });
    expect(two.seen['call-c']!.at(-1)).toMatchObject({ type: 'party', party: 'leg-2' });
    await two.tell('a', hungUp);
    await two.runs.a.done;
    await two.tell('leg-2', ended);
    expect(two.seen['call-c']!.at(-1)).toMatchObject({ event: { type: 'ended' } });
    await two.check();
  });

  it('takes over the caller of another call, which ends as after a hang-up', async () => {
    const two = await twoCalls();
    // Alice's phone has the customer on one line and asks from the other.
    await two.tell('leg-2', connect('leg-1'));
    expect(two.sent).toEqual(['leg-1 hangup', 'c join', 'leg-2 hangup']);
    expect(two.inputs('call-a').at(-1)).toMatchObject({ type: 'taken_over', leg: 'c', to: 'c' });
    expect(two.runs.c.record.state).toBe('disconnected');
    await two.tell('leg-1', hungUp);
    await two.runs.c.done;
    await two.tell('c', ended);
    expect(two.seen['call-a']!.at(-1)).toMatchObject({ type: 'party', party: 'c', event: { type: 'ended' } });
    await two.check();
  });

  it.each(['nobody', 'c', 'leg-1'])('is not found behind the leg %s', async (leg) => {
    const two = await twoCalls();
    await two.tell('leg-1', connect(leg));
    expect(two.seen['call-c']!.at(-1)).toEqual({ type: 'taken_over', party: null });
    await two.check();
  });

  it('reports the end of a party that ends during the move to the call that has it', async () => {
    const two = await twoCalls({ writeMs: 5 });
    two.supervisor.legEvent('leg-1', connect('a'));
    await two.clock.advance(6);
    // The other call is writing that it gives the party up: this is read by neither yet.
    two.supervisor.legEvent('leg-2', ended);
    await two.settle();
    expect(two.seen['call-c']!.slice(-2)).toEqual([
      { type: 'taken_over', party: 'leg-2' },
      { type: 'party', party: 'leg-2', event: ended },
    ]);
    expect(
      two
        .inputs('call-a')
        .some((input) => input.type === 'leg' && input.leg === 'leg-2' && input.event.type === 'ended'),
    ).toBe(false);
    await two.check();
  });

  it('is hung up when the call that asked has left the step, or is over', async () => {
    for (const isOver of [false, true]) {
      const two = await twoCalls({ writeMs: 5 });
      two.supervisor.legEvent('leg-1', connect('a'));
      await two.clock.advance(6);
      two.supervisor.legEvent('c', ended);
      if (isOver) two.supervisor.legEvent('leg-1', ended);
      await two.settle();
      expect(two.sent).toContain('leg-2 hangup');
      await two.tell('leg-2', hungUp);
      await two.tell('leg-1', hungUp);
      await two.runs.c.done;
      await two.check();
    }
  });
});
