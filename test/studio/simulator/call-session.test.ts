import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Language } from '../../../src/language/flow/text/language.ts';
import { ServiceError } from '../../../src/pages/studio/web/api.ts';
import { CallSession } from '../../../src/pages/studio/web/simulator/call-session.ts';
import type {
  LeadingTest,
  Mock,
  SimulationData,
  SimulationOrder,
} from '../../../src/pages/studio/web/simulator/simulation.ts';
import { graphIn, language, textOf } from '../graph/flows.ts';
import { begun, entered, journalOf } from '../journal/recorded.ts';
import { saying, simulation } from './simulation.ts';

const told: string[] = [];
let sent: SimulationOrder[];
beforeEach(() => {
  told.length = 0;
  sent = [];
});

async function begin(
  answer: (order: SimulationOrder) => Partial<SimulationData>,
  way?: LeadingTest,
): Promise<CallSession> {
  const session = new CallSession('hello', (text) => told.push(text), {
    async simulate(order) {
      sent.push(order);
      return simulation(answer(order));
    },
    testedWay: async () => way,
    searchedWay: async () => (way === undefined ? { found: false, tried: 12 } : { found: true, form: way }),
    loadLanguage: async () => ({ verbs: language }) as unknown as Language,
  });
  session.setText('flow: hello');
  // Comes after what begins the call.
  await session.takeBack();
  sent.length = 0;
  return session;
}

describe('a simulated call', () => {
  it('begins again at another time, and keeps its other facts', async () => {
    const session = await begin(() => ({ journal: saying('Welcome') }));
    await session.startAgain({ given: { timezone: 'Europe/Paris' } });
    await session.do({ do: 'press', digits: '1' });
    await session.beginAt(new Date('2026-03-02T10:00:00Z'));
    expect(sent.at(-1)).toMatchObject({ at: '2026-03-02T10:00:00.000Z', timezone: 'Europe/Paris', script: [] });
  });

  it('sends all acts each time, and drops the last one to undo it', async () => {
    const session = await begin(() => ({ journal: saying('Welcome') }));
    await session.do({ do: 'press', digits: '1' });
    await session.do({ do: 'say', text: 'sales' });
    await session.takeBack();
    const both = [{ press: '1' }, { say: 'sales' }];
    expect(sent.map(({ script }) => script)).toEqual([[{ press: '1' }], both, [{ press: '1' }]]);
    expect(sent.every(({ text }) => text === 'flow: hello')).toBe(true);
  });

  it('rejects an impossible act, and reports the reason', async () => {
    const session = await begin(({ script }) =>
      script.length > 0
        ? { stopped_at: { reason: 'act', act: 0, expected: 'to press 1', actual: 'the call was over' } }
        : { journal: saying('Welcome') },
    );
    expect(await session.do({ do: 'press', digits: '1' })).toBe(false);
    expect(session.call.value.acts).toEqual([]);
    expect(session.lines.value).toHaveLength(1);
    expect(told).toEqual(['That cannot be done now: the call was over']);
  });

  it('gives a copy that ends, and continues itself', async () => {
    const session = await begin(({ until }) => ({ state: until === 'end' ? 'ended' : 'connected' }));
    await session.toggleBreakpoint('bye');
    const ended = await session.ended();
    expect(ended).toMatchObject({ now: { state: 'ended' } });
    expect(sent.at(-1)).toMatchObject({ script: ['hang_up'] });
    expect(sent.at(-1)).not.toHaveProperty('breakpoints');
    expect(session.now.value?.state).toBe('connected');
    expect(session.call.value.acts).toEqual([]);
  });

  it('ignores acts after its end', async () => {
    const session = await begin(() => ({ state: 'ended' }));
    expect(await session.do({ do: 'press', digits: '1' })).toBe(false);
    expect(sent).toEqual([]);
  });

  it('runs again, to its end, with an answer that is changed after its end', async () => {
    const session = await begin(({ until }) => ({ state: until === 'end' ? 'ended' : 'connected' }));
    await session.do({ do: 'hang_up' });
    const mock: Mock = { of: 'request', step: 'lookup', nth: 1, answer: { status: 404 } };
    expect(await session.do({ do: 'mock', mock })).toBe(true);
    expect(sent.at(-1)).toMatchObject({ script: ['hang_up'], until: 'end', mocks: { lookup: [{ status: 404 }] } });
    expect(session.now.value?.state).toBe('ended');
  });

  it('overlays its path and its breakpoints on the graph', async () => {
    const session = await begin(() => ({ journal: saying('Welcome') }));
    await session.toggleBreakpoint('bye');
    expect(session.overlays.value).toMatchObject({ path: { now: 'menu' }, breakpoints: new Set(['bye']) });
  });
});

describe('a flow changed during the call', () => {
  const change = async (session: CallSession, text: string): Promise<void> => {
    session.setText(text);
    await vi.waitFor(() => expect(sent.at(-1)?.text).toBe(text), 20_000);
    // Comes after the answer.
    await session.toggleBreakpoint('nowhere');
  };

  it('replays the same acts, and overlays differences until the next act', async () => {
    const session = await begin(({ text }) => ({ journal: saying(text === 'flow: hello' ? 'Welcome' : 'Hello') }));
    await session.do({ do: 'press', digits: '1' });
    await change(session, 'flow: hello # changed');
    expect(sent.at(-1)?.script).toEqual([{ press: '1' }]);
    expect(session.compared.value.map(({ change: each }) => each)).toEqual(['gone', 'new']);
    expect(session.differs.value).toBe(true);
    await session.do({ do: 'press', digits: '2' });
    expect(session.differs.value).toBe(false);
  });

  it('leaves the call unchanged while it has errors', async () => {
    const session = await begin(({ text }) => {
      if (text === 'flow: hello') return { journal: saying('Welcome') };
      const diagnostics = [{ severity: 'error', line: 3, message: 'there is no step bye' }];
      throw new ServiceError(422, 'the flow has errors', { diagnostics });
    });
    await change(session, 'flow: [');
    expect(session.problem.value).toBe('Line 3: there is no step bye');
    expect(session.lines.value).toHaveLength(1);
  });
});

describe('playing on to a step', () => {
  const order = graphIn(textOf('flows/order-status.flow.yaml'));
  const path = (...steps: string[]) =>
    journalOf(begun, ...steps.map((step, index) => entered(index, step, 'play', index + 1)));
  const mock: Mock = { of: 'request', step: 'look_up', nth: 1, answer: { status: 404 } };

  it('performs the needed acts, and stops when the call is there', async () => {
    const session = await begin(({ script, mocks }) => {
      if (mocks?.['look_up'] !== undefined) return { journal: path('ask_order', 'look_up', 'unknown', 'ask_order') };
      if (script.length > 0) {
        const actions = [{ label: 'look_up: 404', leads_to: ['not_found'], mock }];
        return { journal: path('ask_order', 'look_up'), actions };
      }
      const actions = [{ label: 'press 123456', leads_to: ['collected'], acts: [{ press: '123456' }] }];
      return { journal: path('ask_order'), actions };
    });
    await session.playOnTo('unknown', order);
    expect(sent.at(-1)).toMatchObject({ script: [{ press: '123456' }], mocks: { look_up: [{ status: 404 }] } });
    expect(told).toEqual([]);
  });

  it('restarts with the acts of a test when no next act is known', async () => {
    const way = { script: [{ press: '123456' }, 'silence'], mocks: { look_up: [{ status: 200 }] } };
    const session = await begin(() => ({ journal: path('ask_order', 'bye') }), way);
    await session.playOnTo('shipped', order);
    expect(sent.at(-1)).toMatchObject({ ...way, until: 'quiet' });
    expect(session.call.value.acts).toHaveLength(2);
  });

  it('reports the step that it cannot pass automatically', async () => {
    const session = await begin(() => ({ journal: path('ask_order', 'bye') }));
    await session.playOnTo('shipped', order);
    expect(told).toEqual(['No route leads from bye to shipped']);
  });
});

describe('a test for a missing outcome', () => {
  const gap = { step: 'unknown', outcomes: ['done'] };

  it('starts with the acts of the search, and with the settings of the call', async () => {
    const way = { script: [{ press: '1' }], mocks: { look_up: [{ status: 404 }] }, at: '2026-01-07T10:00:00Z' };
    const session = await begin(() => ({ journal: saying('Welcome') }), way);
    await session.propose(gap);
    expect(sent.at(-1)).toMatchObject({ ...way, until: 'quiet' });
    expect(session.proposed.value).toMatchObject({ gap, state: 'found' });
    await session.do({ do: 'press', digits: '2' });
    expect(sent.at(-1)).toMatchObject({ at: way.at, script: [{ press: '1' }, { press: '2' }] });
  });

  it('leaves the call unchanged if the search fails', async () => {
    const session = await begin(() => ({ journal: saying('Welcome') }));
    await session.propose(gap);
    expect(sent).toEqual([]);
    expect(session.proposed.value).toEqual({ gap, state: 'none', tried: 12 });
  });
});
