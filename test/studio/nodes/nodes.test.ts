/** The nodes of a cluster, in the words of their page. */
import { describe, expect, test } from 'vitest';
import {
  costOf,
  isCluster,
  type NodeData,
  nowDrained,
  questionOf,
  stateOf,
  storeWords,
  warningsOf,
} from '../../../src/pages/studio/web/nodes/nodes.ts';

const node = (name: string, more: Partial<NodeData> = {}): NodeData => ({
  ...{ id: `${name}-1-aaaa`, name, version: '1.0.0', address: `http://${name}:8080`, started: '2026-01-01T00:00:00Z' },
  ...{ live_calls: 0, live_sessions: 0, load: 0, draining: false, answers: false, flows: 'abc', lease_left_ms: 1200 },
  ...more,
});
const [one, two] = [node('one', { answers: true }), node('two', { live_calls: 2 })];

describe('a node', () => {
  test('says whether it takes calls, and while it drains what is left', () => {
    expect(stateOf(one).words).toBe('takes calls');
    expect(stateOf(node('two', { draining: true, live_calls: 1 })).words).toBe('draining: 1 call left');
    const withRoom = node('two', { draining: true, live_calls: 2, live_sessions: 1 });
    expect(stateOf(withRoom).words).toBe('draining: 2 calls and 1 room left');
    expect(stateOf(node('two', { draining: true })).words).toBe('drained: it can be stopped');
  });

  test('is said to be empty once, when the last of its calls is over', () => {
    const draining = node('two', { draining: true, live_calls: 1 });
    const empty = { ...draining, live_calls: 0 };
    expect(nowDrained([one, draining], [one, empty])).toEqual([empty]);
    expect(nowDrained([one, empty], [one, empty])).toEqual([]);
    expect(nowDrained([], [one, empty])).toEqual([]);
  });

  test('is drained after a question, which says so when no other is left', () => {
    expect(questionOf(two!, [one!, two!])).toBe('Drain two? 2 calls will continue.');
    expect(questionOf(one!, [one!, node('two', { draining: true })])).toMatch(/No other node takes calls/);
  });

  test('costs what it costs, or nothing is known of it', () => {
    expect(costOf(one!)).toEqual({ cpu: '–', memory: '–', delay: '–' });
    const process = { cpu: 0.456, memory_bytes: 300 * 2 ** 20, event_loop_ms: 1.5 };
    expect(costOf(node('two', { process }))).toEqual({ cpu: '46 %', memory: '300 MB', delay: '1.5 ms' });
  });
});

describe('all of them', () => {
  test('are warned of by other flows, other versions, and a Redis that keeps nothing up', () => {
    expect(warningsOf({ nodes: [one!, two!] })).toEqual([]);
    const store = { reachable: true, durability: 'replica', replicas: 0 };
    const nodes = [one!, node('two', { flows: 'xyz', version: '0.9.0' })];
    expect(warningsOf({ nodes, store })).toEqual([
      'Other flows than on one: two. Bring the same files to all nodes.',
      'The nodes run different versions: 1.0.0 and 0.9.0.',
      'Redis has no replica: nothing is decided until one follows.',
    ]);
    expect(warningsOf({ nodes: [one!], store: { reachable: false, durability: 'disk' } })).toHaveLength(1);
    expect(warningsOf({ nodes: [node('one', { draining: true })] })).toHaveLength(1);
  });

  test('shows why they take no calls, and warns that no further Redis server may fail', () => {
    const notReady = { why: 'no_replica', since: '2026-01-01T00:00:00Z', means: 'no replica', remedy: 'start one' };
    const store = { reachable: true, durability: 'replica', replicas: 0, replicas_wanted: 2 };
    expect(warningsOf({ nodes: [], not_ready: notReady, store })).toEqual([
      'This node takes no new calls: no replica. To do: start one.',
    ]);
    const other = node('two', { not_ready: { ...notReady, why: 'clock_off' } });
    expect(stateOf(other)).toEqual({ words: 'takes no calls: clock_off', tone: 'warn' });
    expect(warningsOf({ nodes: [one!, other], store: { ...store, replicas: 1 } })).toEqual([
      'two takes no new calls: no replica. To do: start one.',
      expect.stringMatching(/^Redis has one replica/),
    ]);
  });

  test('are a cluster where they have leases', () => {
    const { lease_left_ms: _, ...single } = one!;
    expect([isCluster({ nodes: [one!] }), isCluster({ nodes: [single] })]).toEqual([true, false]);
  });

  test('shows replicas, lag and commit times of the shared store', () => {
    const more = { replicas: 1, replica_lag_bytes: 2048, commit_p50_ms: 0.5, commit_p99_ms: 2, memory_bytes: 2 ** 20 };
    expect(storeWords({ reachable: true, durability: 'replica', version: 'Redis 7.0.15', ...more })).toEqual([
      ['Store', 'Redis 7.0.15'],
      ['Replicas', '1, 2 kB behind'],
      ['Its memory', '1 MB'],
      ['Half of the commits within', '0.5 ms'],
      ['99 % within', '2 ms'],
      ['Durability', 'replica'],
    ]);
    expect(storeWords({ reachable: false, durability: 'replica' })).toEqual([['Redis', 'does not answer']]);
  });
});
