import { describe, expect, it } from 'vitest';
import type { StepDefinition } from '../../src/language/steps/step.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import type { CallWrite } from '../../src/service/runtime/call-store.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import type { RuntimePorts } from '../../src/service/runtime/ports.ts';
import { createSupervisor } from '../../src/service/runtime/supervisor.ts';
import type { Venue } from '../../src/service/runtime/venue.ts';
import { stepsByVerb } from '../../src/verbs/steps.ts';
import { checkJournal } from './journal-invariants.ts';
import { flowOf, startCall, type TestCall, testPorts } from './test-call.ts';

const flow = `
flow: test
start: ask
defaults: { exits: { error: bye } }
events: { event.go: look }
steps:
  ask: { collect: { prompt: { text: Q }, digits: { length: 2 } }, exits: { collected: look, exhausted: bye } }
  look: { request: { get: "https://x.example/", timeout: 900ms }, exits: { ok: bye, not_found: bye, failed: bye } }
  bye: { hangup: normal }
`;

/** A book that cannot be written at its nth commits. */
function brokenBook(broken: (commit: number) => boolean) {
  const writes: CallWrite[] = [];
  let commits = 0;
  const callStore: RuntimePorts['callStore'] = {
    commit: async (write) => {
      if (broken(++commits)) throw new Error('disk full');
      writes.push(write);
    },
  };
  const journal = (): JournalEntry[] => writes.flatMap(({ entries }) => entries);
  return { book: callStore, writes, journal };
}

async function expectOver(call: TestCall, journal: JournalEntry[] = call.journal()): Promise<void> {
  await call.run.done;
  expect(journal.at(-1)).toMatchObject({ kind: 'ended', reason: 'fault', fault: { code: 'internal' } });
  expect(checkJournal(journal, { over: true })).toEqual([]);
  expect(call.clock.pendingTimers).toBe(0);
  expect(await call.command({ type: 'hangup', cause: 16 })).toEqual({ ok: false, refusal: 'ended' });
}

/** Walks through the call until it is over. */
async function talk(call: TestCall): Promise<void> {
  await call.press('12');
  call.requests[0]?.answer({ ok: true, status: 200, headers: {}, body: {} });
  await call.clock.settle();
  await call.command({ type: 'event', name: 'go', data: null });
  await call.hangUp();
}

describe('a commit that fails', () => {
  it('removes the call from its venues', async () => {
    const { book: callStore, journal } = brokenBook((commit) => commit === 5);
    const inside = new Set<string>();
    const place: Venue = {
      enter: ({ memberId }) => void inside.add(memberId),
      tell: () => undefined,
      exit: (memberId) => void inside.delete(memberId),
    };
    const venues = { conference: place, queue: place, room: place };
    const meeting = `
flow: test
start: meet
defaults: { exits: { error: bye } }
steps:
  meet: { conference: all, exits: { left: bye, ended: bye, full: bye } }
  bye: { hangup: normal }
`;
    const call = await startCall(meeting, { ports: { callStore, venues } });
    const [memberId = ''] = inside;
    const data = { conference_id: 'c', mix_id: 'c', members: 1 };
    call.run.post({ type: 'venue', ticket: memberId, name: 'joined', data });
    await call.clock.settle();
    expect([...inside]).toEqual([memberId]);
    for (const members of [2, 3, 4]) {
      call.run.post({ type: 'venue', ticket: memberId, name: 'members', data: { members } });
      await call.clock.settle();
    }
    await expectOver(call, journal());
    expect([...inside]).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'at commit %i: performs nothing of that decision, releases the call, writes the end',
    async (nth) => {
      const { book: callStore, journal } = brokenBook((commit) => commit === nth);
      const call = await startCall(flow, { ports: { callStore } });
      await talk(call);
      expect(call.crashes).toEqual([expect.objectContaining({ message: 'disk full' })]);
      expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 41 });
      const committed = journal().flatMap((entry) => (entry.kind === 'command' ? [entry.command] : []));
      expect(call.commands.slice(0, -1)).toEqual(committed);
      await expectOver(call, journal());
    },
  );

  it('writes the end again at the end of the leg', async () => {
    const { book: callStore, journal } = brokenBook((commit) => commit === 7);
    const call = await startCall(flow, { ports: { callStore } });
    await talk(call);
    expect(call.crashes).toHaveLength(1);
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16 });
    await expectOver(call, journal());
    expect(journal().at(-2)).toMatchObject({ kind: 'state', state: 'disconnected', cause: { code: 16 } });
  });

  it.each([
    ['of the caller', 'hangup'],
    ['by our bug', 'bug'],
  ] as const)('reports the call before its end if it was not yet reported, at the end %s', async (_whose, how) => {
    const { book: callStore, journal } = brokenBook((commit) => commit === 3);
    const call = await startCall(flow, { spec: { announce: 'later' }, ports: { callStore } });
    if (how === 'hangup') await call.hangUp();
    else await call.press('1');
    await expectOver(call, journal());
    const states = journal().flatMap((entry) => (entry.kind === 'state' ? [entry.state] : []));
    expect(states.filter((state) => state !== 'connected')).toEqual(['incomingcall', 'disconnected']);
  });

  it('ends the call even if every commit fails', async () => {
    const { book: callStore, journal } = brokenBook((commit) => commit >= 2);
    const call = await startCall(flow, { ports: { callStore } });
    await call.run.done;
    expect(call.crashes).toHaveLength(2);
    expect(call.commands).toEqual([{ type: 'answer' }, { type: 'hangup', cause: 41 }]);
    expect(call.clock.pendingTimers).toBe(0);
    expect(checkJournal(journal())).toEqual([]);
  });

  it('does not write another end after the end of the leg', async () => {
    const { book: callStore } = brokenBook((commit) => commit >= 3);
    const call = await startCall(flow, { ports: { callStore } });
    await call.hangUp();
    await call.run.done;
    expect(call.commands.filter(({ type }) => type === 'hangup')).toEqual([]);
  });

  it('refuses the command that it could not commit, and those queued behind it', async () => {
    const { book: callStore } = brokenBook((commit) => commit === 3);
    const call = await startCall(flow, { ports: { callStore } });
    const go = { type: 'event', name: 'go', data: null } as const;
    const replies = [call.run.command(go), call.run.command(go), call.run.command({ type: 'hangup', cause: 16 })];
    expect(await Promise.all(replies)).toEqual(Array(3).fill({ ok: false, refusal: 'ended' }));
    await call.run.done;
  });

  it('aborts the request in progress', async () => {
    const { book: callStore } = brokenBook((commit) => commit === 5);
    const call = await startCall(flow, { ports: { callStore } });
    await call.press('12');
    expect(call.requests).toHaveLength(1);
    call.run.post({ type: 'max_duration' });
    await call.run.done;
    expect(call.requests[0]!.signal.aborted).toBe(true);
  });
});

describe('a bug', () => {
  const steps = (verb: string, run: StepDefinition['run']) =>
    new Map([...stepsByVerb, [verb, { ...stepsByVerb.get(verb)!, run }]]);

  it.each<[string, Partial<RuntimePorts>]>([
    ['in a step that never waits', { steps: steps('hangup', async () => Promise.reject(new Error('our bug'))) }],
    [
      'in a step, before it is a program',
      {
        steps: steps('collect', () => {
          throw new Error('our bug');
        }),
      },
    ],
    [
      'in a step, after an event',
      {
        steps: steps('request', async function* ({ http }) {
          http({ method: 'GET', url: 'x', headers: {}, timeoutMs: 1, name: 'x' });
          yield {};
          throw new Error('our bug');
        }),
      },
    ],
    [
      'in a step that is left',
      {
        steps: steps('request', async function* () {
          try {
            for (;;) yield {};
          } finally {
            // biome-ignore lint/correctness/noUnsafeFinally: the bug that is tested.
            throw new Error('our bug');
          }
        }),
      },
    ],
    [
      'in what observers are told',
      {
        deliveriesOf: (entry) => {
          if (entry.kind === 'left') throw new Error('our bug');
          return [];
        },
      },
    ],
    ['in a verb that is missing', { steps: new Map([...stepsByVerb].filter(([verb]) => verb !== 'request')) }],
    [
      'in the door to HTTP',
      {
        http: () => {
          throw new Error('our bug');
        },
      },
    ],
  ])('%s: ends only that call', async (_name, ports) => {
    const call = await startCall(flow, { ports });
    await talk(call);
    expect(call.crashes).toHaveLength(1);
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 41 });
    await expectOver(call);
  });

  it('terminates the call if it is in the source of flows', async () => {
    const call = await startCall(
      'flow: test\nstart: first\nsteps:\n  first: { subflow: x, exits: { done: $end, error: $end } }\n',
      {
        ports: {
          flow: () => {
            throw new Error('our bug');
          },
        },
      },
    );
    await expectOver(call);
  });

  it('does not prevent the end of the call if it is in the engine', async () => {
    const call = await startCall(flow, {
      ports: {
        engine: {
          dial: () => undefined,
          send: () => {
            throw new Error('our bug');
          },
        },
      },
    });
    await expectOver(call);
    expect(call.crashes.length).toBeGreaterThan(0);
  });

  it('leaves a committed dial-out committed, and writes its end', async () => {
    const { writes, book: callStore } = brokenBook(() => false);
    const dial = { legId: 'leg-1', from: '1000', to: '2000', ringTimeoutMs: 1000 };
    const call = await startCall(flow, {
      spec: { direction: 'outbound', dial },
      ports: {
        callStore,
        engine: {
          dial: () => {
            throw new Error('our bug');
          },
          send: () => undefined,
        },
      },
    });
    expect(await call.run.written).toBe(true);
    await call.run.done;
    expect(writes.at(-1)?.record.state).toBe('failed');
  });

  it('does not prevent the end if it is in the deliveries of the end', async () => {
    const call = await startCall(flow, {
      ports: {
        deliveriesOf: (entry) => {
          if (entry.kind === 'ended' || entry.kind === 'left') throw new Error('our bug');
          return [];
        },
      },
    });
    await talk(call);
    await call.run.done;
    expect(call.crashes).toHaveLength(2);
    expect(call.clock.pendingTimers).toBe(0);
  });

  it('does not prevent the end if it is in the crash report', async () => {
    const { book: callStore, journal } = brokenBook((commit) => commit === 2);
    const call = await startCall(flow, {
      ports: {
        callStore,
        onCrash: () => {
          throw new Error('our bug');
        },
      },
    });
    await expectOver(call, journal());
  });

  it('does not show sensitive values in its message', async () => {
    const call = await startCall(flow, {
      spec: { secrets: { key: 'tip-top' } },
      ports: {
        steps: steps('collect', async () => {
          throw new Error('no tip-top here');
        }),
      },
    });
    await call.run.done;
    expect(call.journal().at(-1)).toMatchObject({ fault: { message: 'no ••• here' } });
  });
});

describe('a call that breaks', () => {
  it('does not affect other calls', async () => {
    const clock = new VirtualClock();
    const { book: callStore, journal } = brokenBook(() => false);
    const sent: string[] = [];
    const broken: string[] = [];
    const supervisor = createSupervisor({
      owner: 'life-1',
      clock,
      ids: { next: (kind) => kind },
      engine: { dial: () => undefined, send: (legId, { type }) => sent.push(`${legId} ${type}`) },
      callStore: {
        commit: async (write) => {
          if (write.record.callId === 'call-1' && write.record.answeredMs) throw new Error('disk full');
          await callStore.commit(write);
        },
      },
      flow: () => undefined,
      steps: stepsByVerb,
      http: () => new Promise(() => undefined),
      deliveriesOf: () => [],
      ...testPorts(),
      onCrash: (callId) => broken.push(callId),
    });
    for (const n of [1, 2]) {
      supervisor.start({
        callId: `call-${n}`,
        projectId: 'p',
        direction: 'inbound',
        from: '1',
        to: '2',
        legId: `leg-${n}`,
        flow: flowOf(flow),
        input: {},
        seed: 1,
        env: {},
        secrets: {},
        schedules: {},
      });
    }
    await clock.settle();
    for (const n of [1, 2]) supervisor.legEvent(`leg-${n}`, { type: 'answered' });
    await clock.settle();
    expect(new Set(broken)).toEqual(new Set(['call-1']));
    expect(supervisor.liveCalls).toBe(1);
    expect(supervisor.view('call-1')).toBeUndefined();
    expect(supervisor.view('call-2')).toMatchObject({ legState: 'connected', step: 'ask', verb: 'collect' });
    expect(sent).toContain('leg-1 hangup');
    expect(sent).toContain('leg-2 play');
    supervisor.legEvent('leg-9', { type: 'answered' });
    const drained = supervisor.drain({ hangUp: true });
    await clock.settle();
    supervisor.legEvent('leg-2', { type: 'ended', cause: { code: 41, reason: '' }, by: 'near' });
    await drained;
    expect(supervisor.liveCalls).toBe(0);
    expect(journal().filter(({ kind }) => kind === 'ended')).toHaveLength(1);
  });
});
