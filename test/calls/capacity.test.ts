import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { type CallLimits, createCapacity, type NewCall, type OtherNode } from '../../src/service/calls/capacity.ts';

interface Node {
  limits?: Partial<CallLimits>;
  projects?: Record<string, { maxCalls?: number; callsPerSecond?: number }>;
  /** Live calls out of each project. */
  live?: Record<string, number>;
  pendingCallers?: number;
  isOpen?: boolean;
  others?: readonly OtherNode[];
}

function capacityOf({
  limits,
  projects = { a: {}, b: {} },
  live = {},
  pendingCallers = 0,
  isOpen = true,
  others = [],
}: Node) {
  const clock = new VirtualClock();
  const capacity = createCapacity({
    clock,
    limits: () => ({ calls: 100, inboundReservePercent: 10, ...limits }),
    projects: { find: (projectId) => projects[projectId], list: () => Object.keys(projects) },
    supervisor: {
      liveCalls: Object.values(live).reduce((sum, calls) => sum + calls, 0),
      liveCallsOf: (projectId) => ({ inbound: 0, outbound: live[projectId] ?? 0 }),
    },
    isOpen: () => isOpen,
    pendingCallers: () => pendingCallers,
    others: () => others,
  });
  return { clock, capacity };
}

const IN = { projectId: 'a', direction: 'inbound' } as const;
const OUT = { projectId: 'a', direction: 'outbound' } as const;

describe('capacity of a node', () => {
  it.each<[string, Node, NewCall, string | undefined]>([
    ['takes a call out below the reserve', { live: { b: 79, c: 10 } }, OUT, undefined],
    ['refuses a call out at the reserve', { live: { b: 79, c: 11 } }, OUT, 'reserved'],
    ['takes a call in at the reserve', { live: { b: 79, c: 20 } }, IN, undefined],
    ['refuses a call in at the limit', { live: { b: 79, c: 21 } }, IN, 'no_capacity'],
    ['counts callers that enter a PIN', { live: { b: 79, c: 20 }, pendingCallers: 1 }, IN, 'no_capacity'],
    ['refuses all while it is closed', { isOpen: false }, IN, 'no_capacity'],
    ['looks at the node alone without a project', { live: { a: 89 } }, { direction: 'outbound' }, undefined],
    ['has no reserve below ten calls', { limits: { calls: 9 }, live: { b: 8 } }, OUT, undefined],
    ['has one place for any project', { limits: { calls: 1 } }, OUT, undefined],
    ['refuses a call in at the share of its project', { live: { a: 80 } }, IN, 'project_full'],
    ['takes a call in below the share of its project', { live: { a: 79 } }, IN, undefined],
    ['refuses a call out at the reserve of the share', { live: { a: 72 } }, OUT, 'project_full'],
    ['takes a call out below the reserve of the share', { live: { a: 71 } }, OUT, undefined],
    ['gives a lone project all but the reserve', { projects: { a: {} }, live: { a: 89 } }, OUT, undefined],
    ['keeps the reserve from a lone project', { projects: { a: {} }, live: { a: 90 } }, OUT, 'reserved'],
    ['gives a project its max_calls', { projects: { a: { maxCalls: 5 }, b: {} }, live: { a: 5 } }, IN, 'project_full'],
    [
      'lets max_calls exceed the usual share',
      { projects: { a: { maxCalls: 95 }, b: {} }, live: { a: 94 } },
      IN,
      undefined,
    ],
    ['keeps the share from callers let in before', { live: { a: 80 } }, { ...IN, isLetIn: true }, 'project_full'],
    ['takes callers let in before while it is closed', { isOpen: false }, { ...IN, isLetIn: true }, undefined],
  ])('decides on a call: it %s', (_title, node, call, why) => {
    expect(capacityOf(node).capacity.problem(call)?.why).toBe(why);
  });

  it.each<[string, Node, NewCall, string | undefined]>([
    ['takes a call below max_calls of all nodes', { live: { a: 4 }, others: [{ callsOf: { a: 5 } }] }, IN, undefined],
    [
      'refuses a call at max_calls of all nodes',
      { live: { a: 4 }, others: [{ callsOf: { a: 6 } }] },
      IN,
      'project_full',
    ],
    [
      'refuses a call if all are elsewhere',
      { others: [{ callsOf: { a: 3 } }, { callsOf: { a: 7 } }] },
      IN,
      'project_full',
    ],
    ['counts no calls of other projects', { live: { a: 9, b: 9 }, others: [{ callsOf: { b: 50 } }] }, IN, undefined],
  ])('decides in a cluster for a project with max_calls: it %s', (_title, node, call, why) => {
    const projects = { a: { maxCalls: 10 }, b: {} };
    expect(capacityOf({ projects, ...node }).capacity.problem(call)?.why).toBe(why);
  });

  it.each<[string, Node, string | undefined]>([
    ['80 % of all nodes', { live: { a: 60 }, others: [{ maxCalls: 100, callsOf: { a: 99 } }] }, undefined],
    ['no more than that', { live: { a: 61 }, others: [{ maxCalls: 100, callsOf: { a: 99 } }] }, 'project_full'],
    ['80 % with a smaller node', { live: { a: 60 }, others: [{ maxCalls: 20, callsOf: { a: 35 } }] }, undefined],
    [
      'no more with a smaller node',
      { live: { a: 61 }, others: [{ maxCalls: 20, callsOf: { a: 35 } }] },
      'project_full',
    ],
    ['80 % with a node of an earlier version', { live: { a: 99 }, others: [{}] }, undefined],
  ])('gives one of several projects in a cluster %s', (_title, node, why) => {
    expect(capacityOf(node).capacity.problem(IN)?.why).toBe(why);
  });

  it('counts calls that are about to begin', () => {
    const { capacity } = capacityOf({ live: { a: 71 } });
    capacity.reserve('a');
    expect(capacity.problem(OUT)?.why).toBe('project_full');
    capacity.settle('a');
    expect(capacity.problem(OUT)).toBeUndefined();
  });

  it('says how many calls the project has, and may have', () => {
    const { capacity } = capacityOf({ live: { a: 80 } });
    expect(capacity.problem(IN)?.message).toBe('the project has 80 of the 80 calls that it may have');
  });
});

describe('pace of a project', () => {
  it('has as many turns at once as in a second, and then evenly', async () => {
    const { clock, capacity } = capacityOf({ projects: { a: { callsPerSecond: 4 } } });
    const turns = (): number => Array.from({ length: 9 }, () => capacity.takeTurn('a')).filter(Boolean).length;
    expect([turns(), capacity.waitMs('a')]).toEqual([4, 250]);
    await clock.advance(500);
    expect(turns()).toBe(2);
    await clock.advance(60_000);
    expect(turns()).toBe(4);
  });

  it('follows a change of its setting', () => {
    const projects: Node['projects'] = { a: { callsPerSecond: 1 } };
    const { capacity } = capacityOf({ projects });
    expect([capacity.takeTurn('a'), capacity.takeTurn('a')]).toEqual([true, false]);
    projects['a'] = { callsPerSecond: 2 };
    expect(capacity.takeTurn('a')).toBe(true);
    projects['a'] = {};
    expect([capacity.takeTurn('a'), capacity.waitMs('a')]).toEqual([true, 0]);
  });
});
