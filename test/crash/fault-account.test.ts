/** That the account of a cluster under faults finds what must not be, and allows for what a fault excuses. */
import { expect, it } from 'vitest';
import { KEYS, problemsOf, type Seen, type Told } from './fault-account.ts';
import type { Fault, FaultKind } from './fault-nodes.ts';
import { lostLeases } from './lost-leases.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');

const fault = (kind: FaultKind, fromMs: number, untilMs = fromMs + 2000): Fault => ({
  kind,
  ...(kind === 'failover' ? {} : { node: 'one' as const }),
  ...{ fromMs: T0 + fromMs, healedMs: T0 + fromMs + 3000, untilMs: T0 + untilMs },
});

const told = (state: string, atMs: number, more: Partial<Told> & { cause?: number } = {}): Told => {
  const { cause, ...rest } = more;
  const happened = { timestamp: new Date(T0 + atMs).toISOString(), ...(cause ? { disconnect_cause_code: cause } : {}) };
  return {
    ...{ id: `${state}-1`, receiver: 0, atMs: T0 + atMs, answeredMs: T0 + atMs + 20 },
    ...{ body: { voice_id: 'c1', state, to: '33100', ...happened } },
    ...rest,
  };
};

const END = told('disconnected', 4000, { cause: 16 });
const rung = (more: Partial<Seen['rung'][number]> = {}) => ({
  ...{ number: '33100', from: '127.0.45.1', atMs: T0, keys: KEYS, prompts: 5, endedMs: T0 + 4000 },
  ...more,
});

/** A call of node `one` that went well, but for what is given. */
const seen = (more: Partial<Seen> = {}): Seen => ({
  faults: [],
  told: [told('ringing', 50), told('connected', 200), END],
  placed: [{ callId: 'c1', number: '33100', node: 'one', atMs: T0 }],
  nodeOfNumber: new Map(),
  rung: [rung()],
  heardKeys: [],
  journals: new Map([
    [
      'c1',
      [
        { seq: 1, kind: 'in' },
        { seq: 2, kind: 'ended' },
      ],
    ],
  ]),
  tellWithinMs: 5000,
  ...more,
});
const lost = (atMs: number) => [told('connected', 200), told('disconnected', atMs, { cause: 41 })];
/** A call into node `one`, of which nothing was heard while its receiver had no node. */
const calledIn = (happenedMs: number, toldMs: number): Partial<Seen> => ({
  placed: [],
  rung: [],
  nodeOfNumber: new Map([['33100', 'one']]),
  told: [
    told('incomingcall', happenedMs, { atMs: T0 + toldMs }),
    told('disconnected', toldMs + 100, { cause: 41, atMs: T0 + toldMs + 100 }),
  ],
});

const logOf = (...lines: readonly [message: string, atMs: number][]): string =>
  lines.map(([message, atMs]) => JSON.stringify({ time: new Date(T0 + atMs).toISOString(), message })).join('\n');

it.each<[what: string, Seen]>([
  ['nothing happened', seen()],
  [
    'the event was under way when its sender fell',
    seen({ faults: [fault('kill', 210)], told: [...seen().told, told('connected', 1800)] }),
  ],
  [
    'its sender stood still while it sent',
    seen({ faults: [fault('pause', 100, 3100)], told: [told('connected', 1800), told('connected', 3110), END] }),
  ],
  [
    'the machine was too busy for the lease of its node',
    seen({
      faults: lostLeases(
        new Map([
          ['1-one', logOf(['cluster.lease_held', 0], ['cluster.lease_lost', 2000], ['cluster.lease_held', 2500])],
        ]),
        [],
      ),
      told: [told('ringing', 50), told('connected', 1800), told('connected', 2200), END],
    }),
  ],
  ['its node died', seen({ faults: [fault('kill', 1000)], told: lost(3500), rung: [rung({ keys: '1', prompts: 2 })] })],
  ['its node died before the call was told of', seen({ faults: [fault('kill', 1000)], ...calledIn(900, 3200) })],
  [
    'its node stood still, and died before it hung up',
    seen({
      faults: [fault('pause', 1000, 4000), fault('kill', 4300)],
      told: lost(3500),
      rung: [{ ...rung({ keys: '1', prompts: 2 }), endedMs: undefined } as never],
    }),
  ],
  [
    'it was connected, and heard that it rang',
    seen({
      placed: [{ ...seen().placed[0]!, connected: '33200' }],
      rung: [rung({ keys: '1', prompts: 3 })],
    }),
  ],
])('is content where %s', (_, found) => {
  expect(problemsOf(found)).toEqual([]);
});

it.each<[what: string, Seen, RegExp]>([
  [
    'an event twice',
    seen({ told: [...seen().told.slice(0, 2), told('connected', 230), END] }),
    /came again 30 ms later/,
  ],
  [
    'an event twice long after the fault',
    seen({ faults: [fault('kill', 210)], told: [told('connected', 1000), told('connected', 1010), END] }),
    /came again/,
  ],
  [
    'an event twice from one that stood still long before',
    seen({ faults: [fault('pause', 100, 3100)], told: [told('connected', 1800), told('connected', 3700), END] }),
    /came again/,
  ],
  ['a call without an end', seen({ told: seen().told.slice(0, 2) }), /has 0 ends/],
  ['two ends', seen({ told: [...seen().told, { ...END, id: 'other' }] }), /has 2 ends/],
  ['a call that was lost while its node was well', seen({ told: lost(4000) }), /was lost/],
  [
    'a call into a node that was well again',
    seen({ faults: [fault('kill', 1000)], ...calledIn(3100, 3200) }),
    /was lost/,
  ],
  ['a call of a dead node that ends late', seen({ faults: [fault('kill', 1000)], told: lost(6100) }), /5100 ms after/],
  ['a number that rings twice', seen({ rung: [rung(), rung()] }), /rang 2 times/],
  ['a key twice', seen({ rung: [rung({ keys: '1123' })] }), /got the keys 1123/],
  ['a prompt twice', seen({ rung: [rung({ prompts: 7 })] }), /heard 7 prompts/],
  ['a call that does not go on', seen({ rung: [rung({ keys: '12', prompts: 3 })] }), /got 12 of 12345/],
  [
    'a phone that nobody hangs up',
    seen({
      faults: [fault('pause', 1000, 4000)],
      told: lost(3500),
      rung: [{ ...rung(), endedMs: undefined } as never],
    }),
    /never hung up/,
  ],
  ['a journal with a hole', seen({ journals: new Map([['c1', [{ seq: 2, kind: 'ended' }]]]) }), /has a hole before 2/],
])('finds the fault in %s', (_, found, problem) => {
  expect(problemsOf(found).join('\n')).toMatch(problem);
});

it('does not count a lease that a fault of the node has lost as one of a busy machine', () => {
  const logs = new Map([['2-one', logOf(['cluster.lease_lost', 2500], ['cluster.lease_held', 3100])]]);
  expect(lostLeases(logs, [fault('cut_hang', 1000)])).toEqual([]);
  expect(lostLeases(logs, [{ ...fault('cut_hang', 1000), node: 'two' }])).toMatchObject([
    { kind: 'overload', node: 'one' },
  ]);
});
