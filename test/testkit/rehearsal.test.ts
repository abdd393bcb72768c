/** Broadcasts rehearsed by the real engine, with simple callees: their results, and reproducibility. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { visitsOf } from '../../src/proof/testkit/coverage.ts';
import { loadCallees } from '../../src/proof/testkit/rehearsal/callees-file.ts';
import { type Rehearsal, type RehearsalOptions, rehearse } from '../../src/proof/testkit/rehearsal/rehearse.ts';
import { readBroadcast } from '../../src/service/api/broadcast-bodies.ts';
import type { NumberPage } from '../../src/service/calls/broadcast/broadcasts.ts';
import { verbs } from '../../src/verbs/steps.ts';

const BUILT_IN = new FlowLibrary(verbs).loadBuiltIn();
const phones = (count: number): string[] => Array.from({ length: count }, (_, at) => `+99900${at + 1}`);

const SURVEY = `
flow: survey
start: ask
vars: { answer: { type: string, default: none } }
output: { answer: "\${ vars.answer }" }
steps:
  ask:
    menu:
      prompt: Press one or two.
      choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }
      attempts: 2
      no_input: [Please press one or two.]
      no_match: [That was neither.]
    set: { answer: "\${ result.choice }" }
    exits: { one: bye, two: bye, exhausted: bye, error: bye }
  bye: { play: Thank you., exits: { done: end, error: end } }
  end: { return: done }
`;

function flowsOf(...texts: string[]): RehearsalOptions['flows'] {
  const flows = new Map<string, CompiledFlow>();
  for (const text of texts) {
    const { flow, diagnostics } = compileFlow(text, 'x.flow.yaml', verbs, {});
    if (!flow) throw new Error(JSON.stringify(diagnostics));
    flows.set(flow.name, flow);
  }
  const get = (name: string) => flows.get(name) ?? BUILT_IN.get(name);
  return {
    get,
    find: (flow) => (typeof flow === 'string' ? get(flow) : BUILT_IN.find(flow)),
    names: () => [...flows.keys(), ...BUILT_IN.names()],
    compile: (document) => BUILT_IN.compile(document),
  };
}

interface Play extends Partial<Omit<RehearsalOptions, 'profiles'>> {
  callees?: string;
  to?: number | string[];
}

async function play(body: JsonObject, { callees, to = 1, ...more }: Play = {}): Promise<Rehearsal> {
  const { order, callees: numbers } = readBroadcast({
    application_name: 'rehearsed',
    from: '1000',
    broadcast_numbers_array: typeof to === 'number' ? phones(to) : to,
    ...body,
  });
  const loaded = callees === undefined ? undefined : loadCallees(callees, 'callees.yaml');
  if (loaded && !loaded.profiles) throw new Error(JSON.stringify(loaded.diagnostics));
  return rehearse({
    order,
    numbers,
    flows: flowsOf(SURVEY),
    ...(loaded?.profiles ? { profiles: loaded.profiles } : {}),
    ...more,
  });
}

const rowsOf = async (rehearsal: Rehearsal): Promise<NumberPage['rows']> =>
  (await rehearsal.report({ limit: 10_000 })).rows;
const tookMs = ({ broadcast }: Rehearsal): number => broadcast.endedMs! - broadcast.createdMs;
const answersOf = async (rehearsal: Rehearsal): Promise<Record<string, number>> => {
  const answers: Record<string, number> = {};
  for (const { output } of await rowsOf(rehearsal)) {
    const answer = String((output as { answer?: string } | undefined)?.answer);
    answers[answer] = (answers[answer] ?? 0) + 1;
  }
  return answers;
};

test('returns a result for every number of the usual callees, without a broken call', async () => {
  const rehearsal = await play({ flow: 'survey', answering_machine_detection: true }, { to: 300 });
  expect(rehearsal.crashes).toEqual({ count: 0 });
  expect(rehearsal.broadcast.state).toBe('completed');
  expect(rehearsal.counts).toEqual({
    numbers: 300,
    queued: 0,
    ringing: 0,
    connected: 0,
    calling: 0,
    done: 300,
    success: 179,
    failed: 121,
    attempts: 440,
    reasons: { success: 179, AMD: 96, 'Unallocated Number': 4, 'Call Rejected': 18, 'No Answer': 3 },
  });
  expect(rehearsal.mostCalls).toBe(100);
  expect([...rehearsal.callsByGroup.values()].reduce((sum, times) => sum + times, 0)).toBe(440);
});

test('gives the same report to the byte for the same seed, and another for another seed', async () => {
  const report = async (seed: number): Promise<string> => {
    const rehearsal = await play({ flow: 'survey', answering_machine_detection: true }, { to: 80, seed });
    return JSON.stringify([rehearsal.broadcast, rehearsal.counts, await rowsOf(rehearsal), rehearsal.nowMs]);
  };
  const first = await report(1);
  expect(await report(1)).toBe(first);
  expect(await report(2)).not.toBe(first);
});

test('returns the same results for every pace and order of the numbers', async () => {
  const outcomes = async (to: string[], pace: number): Promise<Map<string, string>> => {
    const pacing = { calls_per_second: pace, max_concurrent: pace * 5, number_of_retries: 2 };
    const rehearsal = await play({ flow: 'survey', call_param: pacing }, { to });
    return new Map(
      (await rowsOf(rehearsal)).map(({ phone, result, attempts, output }) => [
        phone,
        JSON.stringify([result, attempts, output]),
      ]),
    );
  };
  const list = phones(120);
  const slow = await outcomes(list, 2);
  const fast = await outcomes([...list].reverse(), 40);
  for (const phone of list) expect(fast.get(phone)).toBe(slow.get(phone));
});

test('reports the output of the flow as answers, one item for each question', async () => {
  const answers = async (presses: string) =>
    answersOf(await play({ flow: 'survey' }, { to: 200, callees: `groups: [{ presses: ${presses} }]` }));
  expect(await answers('"2"')).toEqual({ two: 200 });
  expect(await answers('[none]')).toEqual({ none: 200 });
  expect(await answers('[none, "1"]')).toEqual({ one: 200 });
  expect(await answers('["7", { digits: "2", after: 1s }]')).toEqual({ two: 200 });
  expect(await answers('{ "1": 70, "2": 20, none: 10 }')).toEqual({ one: 150, two: 28, none: 22 });
});

test('presses keys at a time, during a prompt', async () => {
  const callees = (at: string) => `groups: [{ after: 1s, presses: [{ digits: "2", at: ${at} }] }]`;
  const early = await play({ flow: 'survey' }, { callees: callees('200ms') });
  const late = await play({ flow: 'survey' }, { callees: callees('4s') });
  expect([await answersOf(early), await answersOf(late)]).toEqual([{ two: 1 }, { two: 1 }]);
  const of = async (rehearsal: Rehearsal): Promise<number> => {
    const [row] = await rowsOf(rehearsal);
    return row!.endedMs! - row!.answeredMs!;
  };
  expect((await of(late)) - (await of(early))).toBe(3800);
});

test('distinguishes people, machines with and without a beep, faxes and silence', async () => {
  const callees = `
groups:
  - { numbers: "1", is: human }
  - { numbers: "2", is: machine, greeting: 4s }
  - { numbers: "3", is: machine, greeting: 4s, beep_after: false }
  - { numbers: "4", is: fax }
  - { numbers: "5", is: silent, talk: 30s }
  - { does: busy }
`;
  const to = ['1', '2', '3', '4', '5'];
  const found = async (amd: JsonObject) =>
    (await rowsOf(await play({ action_on_connect: { play: { text: 'Hello.' } }, amd }, { to, callees }))).map(
      ({ answeredBy, result }) => `${answeredBy} ${result?.code} ${result?.reason}`,
    );
  expect(await found({})).toEqual([
    'human success success',
    'machine failed AMD',
    'machine failed AMD',
    'fax failed AMD',
    'unknown success success',
  ]);
  expect(await found({ on_machine: { play: { text: 'Call us.' } }, await_beep: 10 })).toEqual([
    'human success success',
    'machine success AMD',
    'machine success AMD',
    'fax failed AMD',
    'unknown success success',
  ]);
});

test('redials after temporary failures, and never after permanent ones', async () => {
  const callees = `
groups:
  - { numbers: "1", does: fail, sip_status: 404 }
  - { numbers: "2", does: fail, sip_status: 503, then: [{ does: busy }, { does: no_answer }, { talk: 5s }] }
  - { numbers: "3", does: declined }
  - { numbers: "4", does: unreachable }
  - { does: busy }
`;
  const rehearsal = await play({ flow: 'survey' }, { to: ['1', '2', '3', '4', '5'], callees });
  expect((await rowsOf(rehearsal)).map(({ attempts, result }) => [attempts, result?.reason])).toEqual([
    [1, 'Unallocated Number'],
    [4, 'success'],
    [1, 'Call Rejected'],
    [4, 'No Route To Destination'],
    [4, 'Busy'],
  ]);
});

test('lasts as long as the campaign: at its pace, and through the night', async () => {
  const callees = 'groups: [{ does: busy, after: 1s }]';
  const once = { number_of_retries: 0, calls_per_second: 1 };
  expect(tookMs(await play({ flow: 'survey', call_param: once }, { to: 61, callees }))).toBe(61_000);
  const window = { from: '09:00', to: '10:00', timezone: 'Europe/Paris' };
  const overnight = await play(
    { flow: 'survey', call_param: { ...once, window } },
    { to: 61, callees, startMs: Date.parse('2026-03-02T09:59:30+01:00') },
  );
  expect(new Date(overnight.broadcast.endedMs!).toISOString()).toMatch(/^2026-03-03T08:00:3/);
  expect(overnight.counts.done).toBe(61);
});

test('gives up a window that never opens after a month', async () => {
  const window = { timezone: 'Europe/Paris', open: [] };
  const rehearsal = await play({ flow: 'survey', call_param: { window } }, { callees: 'groups: [{}]' });
  expect(rehearsal.broadcast.endedMs).toBeUndefined();
  expect(rehearsal.counts.queued).toBe(1);
});

test('simulates parties called by the flow, who talk for a while', async () => {
  const callees = `
groups: [{ after: 2s }]
parties: [{ after: 3s, talk: 40s }]
`;
  const rehearsal = await play({ action_on_connect: { connect: { to: '+33199001122' } } }, { callees });
  const [row] = await rowsOf(rehearsal);
  expect(row!.result).toEqual({ code: 'success', reason: 'success', cause: 16 });
  expect(row!.endedMs! - row!.answeredMs!).toBe(43_000);
});

test('keeps the journals of one number, and of no other', async () => {
  const rehearsal = await play({ flow: 'survey' }, { to: 3, traced: '+99900 2', callees: 'groups: [{ does: busy }]' });
  expect(rehearsal.journals).toHaveLength(4);
  for (const entries of rehearsal.journals) {
    expect(entries[0]).toMatchObject({ kind: 'started', to: '+999002' });
    expect(entries.at(-1)).toMatchObject({ kind: 'ended' });
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
  }
});

test('changes no result by tracing', async () => {
  const rows = async (more: Play) => rowsOf(await play({ flow: 'survey' }, { to: 40, ...more }));
  expect(await rows({ traced: '+999007' })).toEqual(await rows({}));
});

test('counts the paths of calls as in their journals, and changes nothing', async () => {
  const all = await play({ flow: 'survey' }, { to: 1, traced: '+999001', counted: 'survey' });
  const { steps, outcomes } = visitsOf('survey', all.journals);
  expect(steps.size).toBeGreaterThan(2);
  expect([all.visits.steps, all.visits.exits]).toEqual([steps, outcomes]);
  const plain = await play({ flow: 'survey' }, { to: 1 });
  expect(await rowsOf(all)).toEqual(await rowsOf(plain));
  expect(plain.visits.steps.size).toBe(0);
});

test('ends a cancelled rehearsal at once', async () => {
  let events = 0;
  const between = (): void => {
    if (++events > 10) throw new Error('enough');
  };
  await expect(play({ flow: 'survey' }, { to: 40, between })).rejects.toThrow('enough');
  expect(events).toBe(11);
});

test('refuses everything that the service would refuse', async () => {
  await expect(play({ flow: 'nowhere' })).rejects.toMatchObject({ code: 'unknown_flow' });
  await expect(play({ flow: 'survey' }, { to: ['+331', 'x y'] })).rejects.toMatchObject({ code: 'numbers_invalid' });
  const numbers = {
    find: () => undefined,
    shared: () => [],
    belongsTo: () => false,
    of: () => [],
    outboundGreeting: () => undefined,
  };
  await expect(play({ flow: 'survey' }, { project: { settings: {}, numbers } })).rejects.toMatchObject({
    code: 'cli_not_assigned',
  });
});

describe('order of a call by a flow', () => {
  const ORDERING = `
flow: ordering
start: order
steps:
  order: { call: { to: "+999007", in: 10m, flow: survey, key: late }, exits: { placed: bye, refused: bye, error: bye } }
  bye: { return: done }
`;
  const CANCELLING = ORDERING.replace('placed: bye', 'placed: cancel').replace(
    '  bye:',
    '  cancel: { cancel_call: late, exits: { cancelled: bye, not_found: bye, error: bye } }\n  bye:',
  );
  const callsTo = async (flow: string): Promise<string[]> => {
    const rehearsal = await play(
      { flow: 'ordering' },
      { callees: 'groups: [{ presses: ["2"] }]', flows: flowsOf(flow, SURVEY), traced: '+999007', counted: 'survey' },
    );
    expect(rehearsal.crashes).toEqual({ count: 0 });
    expect(rehearsal.counts).toMatchObject({ numbers: 1, success: 1 });
    expect([...rehearsal.visits.exits.keys()].filter((exit) => exit.startsWith('ask'))).toEqual(
      rehearsal.journals.length === 0 ? [] : ['ask two'],
    );
    await rehearsal.close();
    return rehearsal.journals.map(([started]) => new Date(started!.atMs).toISOString());
  };

  test('calls a callee of the profiles on simulated lines at its time', async () => {
    const [only, ...more] = await callsTo(ORDERING);
    expect(more).toEqual([]);
    expect(only! > '2026-03-02T08:40:00').toBe(true);
    expect(only! < '2026-03-02T08:42:00').toBe(true);
  });

  test('places no call after the flow has cancelled it', async () => {
    expect(await callsTo(CANCELLING)).toEqual([]);
  });
});
