/** Several nodes over one outbox that answers late: each receiver is served by one node at a time. */
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import { receiverOf } from '../../src/base/core/receiver.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { type ClusterChange, clusterOfOne, type NodeInfo } from '../../src/service/cluster/cluster.ts';
import { receiverOwnership } from '../../src/service/cluster/receiver-ownership.ts';
import { nodeFor } from '../../src/service/cluster/rendezvous.ts';
import { WebhookDispatcher } from '../../src/service/observers/webhooks/dispatcher.ts';
import type { SendResult } from '../../src/service/observers/webhooks/http-sender.ts';
import { deliveryOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { answeringLate } from '../late-store.ts';
import { createMemoryClaims } from '../memory-claims.ts';
import { createMemoryStore } from '../memory-store.ts';
import { ERROR, OK, SECRET } from './rig.ts';

const info = (id: string): NodeInfo => ({
  ...clusterOfOne(id, () => ({
    name: id,
    version: '1',
    archive: id,
    address: '',
    startedMs: 0,
    liveCalls: 0,
    load: 0,
    isDraining: false,
  })).nodes()[0]!,
});

class Nodes {
  readonly clock = new VirtualClock(T0);
  readonly store = createMemoryStore();
  readonly seen: { node: string; id: string; url: string; isAnswered: boolean }[] = [];
  readonly #random: () => number;
  readonly #members = new Map<string, { dispatcher: WebhookDispatcher; changed: (() => void)[] }>();
  readonly #dead = new Set<string>();
  readonly #draining = new Set<string>();
  readonly #claims = createMemoryClaims();
  answers: (url: string, id: string) => SendResult = () => OK;
  readonly live = new Set<string>();
  takesMs = 10;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A node may begin before it sees the others. */
  join(name: string, { seesOthersAfterMs = 0 } = {}): void {
    const { clock } = this;
    const sinceMs = clock.monotonicMs();
    const late = { clock, random: this.#random, mostMs: 20, except: ['subscribe'] };
    const outbox = answeringLate({ ...this.store.outbox, subscribe: () => () => undefined }, late);
    const changed: (() => void)[] = [];
    const cluster = {
      ...clusterOfOne(name, () => info(name)),
      nodes: () =>
        [...this.#members.keys()]
          .filter((id) => id === name || clock.monotonicMs() - sinceMs >= seesOthersAfterMs)
          .map((id) => ({ ...info(id), isDraining: this.#draining.has(id) })),
      onChange(listener: (change: ClusterChange) => void) {
        changed.push(() => listener({ joined: [], lost: [] }));
        return () => undefined;
      },
    };
    const claims = answeringLate(this.#claims, late);
    const ownership = receiverOwnership({ cluster, claims, clock });
    const dispatcher = new WebhookDispatcher({
      outbox,
      ownership,
      clock,
      sender: {
        send: ({ url, headers }) => this.#receive(name, url, headers['webhook-id']!),
        close: async () => undefined,
      },
      log: silentLog,
      random: this.#random,
      secretsOf: () => [SECRET],
      // Another node carries all calls.
      isLive: () => false,
      isLiveElsewhere: async (callId) => this.live.has(callId),
      onAnswer: () => undefined,
    });
    this.#members.set(name, { dispatcher, changed });
    dispatcher.start();
    this.#announce();
  }

  /** Kills the node: attempts in flight are never recorded. */
  kill(name: string): void {
    this.#dead.add(name);
    this.#members.delete(name);
    this.#announce();
  }

  drain(name: string): void {
    this.#draining.add(name);
    this.#announce();
  }

  /** Stops and leaves as a node does that shuts down. */
  async stop(name: string): Promise<void> {
    await this.#members.get(name)!.dispatcher.stop();
    this.#members.delete(name);
    this.#announce();
  }

  #announce(): void {
    for (const { changed } of this.#members.values()) for (const one of changed) one();
  }

  #receive(node: string, url: string, id: string): Promise<SendResult> {
    if (this.#dead.has(node)) return new Promise(() => undefined);
    const attempt = { node, id, url, isAnswered: false };
    this.seen.push(attempt);
    return new Promise((resolve) => {
      this.clock.after(this.takesMs, () => {
        const result = this.answers(url, id);
        if ('status' in result && result.status === 200) attempt.isAnswered = true;
        // The node died: its attempt has no caller that takes the answer.
        if (!this.#dead.has(node)) resolve(result);
      });
    });
  }

  /** Events of calls in turn, each for the receiver of its call. */
  async commit(calls: number, events: number, origins: number): Promise<void> {
    for (let seq = 1; seq <= events; seq++)
      for (let call = 0; call < calls; call++) {
        const url = urlOf(call % origins);
        const delivery = deliveryOf(`c${call}:${seq}`, `c${call}`, { url, createdMs: this.clock.now() });
        await this.store.calls.commit(writeOf(`c${call}`, [seq], { deliveries: [delivery] }));
      }
  }

  /** Order in which a receiver accepted the events of a call, without repetitions. */
  accepted(call: number): string[] {
    const ids = this.seen.filter(({ id, isAnswered }) => isAnswered && id.startsWith(`c${call}:`)).map(({ id }) => id);
    return [...new Set(ids)];
  }

  async close(): Promise<void> {
    for (const { dispatcher } of this.#members.values()) void dispatcher.stop();
    await this.clock.advance(60_000);
  }
}

const urlOf = (origin: number): string => `http://receiver-${origin}.example/events`;
const upTo = (call: number, events: number): string[] =>
  Array.from({ length: events }, (_, index) => `c${call}:${index + 1}`);

let nodes: Nodes | undefined;
afterEach(() => nodes?.close());

it('moves only the receivers of a node that leaves', () => {
  const names = ['n1', 'n2', 'n3', 'n4'];
  const receivers = Array.from({ length: 4000 }, (_, index) => receiverOf('p', urlOf(index)));
  const before = receivers.map((receiver) => nodeFor(receiver, names));
  const after = receivers.map((receiver) =>
    nodeFor(
      receiver,
      names.toReversed().filter((name) => name !== 'n3'),
    ),
  );
  for (const [index, node] of before.entries()) if (node !== 'n3') expect(after[index]).toBe(node);
  for (const name of names) {
    const share = before.filter((node) => node === name).length;
    expect(share).toBeGreaterThan(800);
    expect(share).toBeLessThan(1200);
  }
  expect(nodeFor('anything', [])).toBeUndefined();
});

it.each([1, 2, 3, 4, 5])(
  'sends each event once, in the order of its call, from the node of its receiver (%i)',
  async (seed) => {
    nodes = new Nodes(seed);
    for (const name of ['n1', 'n2', 'n3']) nodes.join(name);
    await nodes.commit(30, 6, 12);
    await nodes.clock.advance(30_000);
    for (let call = 0; call < 30; call++) expect(nodes.accepted(call)).toEqual(upTo(call, 6));
    expect(nodes.seen).toHaveLength(180);
    for (let origin = 0; origin < 12; origin++) {
      const by = new Set(nodes.seen.filter(({ url }) => url === urlOf(origin)).map(({ node }) => node));
      expect([...by]).toEqual([nodeFor(receiverOf('project-1', urlOf(origin)), ['n1', 'n2', 'n3'])]);
    }
    expect(await nodes.store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
  },
);

it.each([1, 2, 3, 4, 5])(
  'lets a joining node take receivers when their nodes have finished, without loss or repetition (%i)',
  async (seed) => {
    nodes = new Nodes(seed);
    nodes.join('n1');
    await nodes.commit(40, 5, 8);
    await nodes.clock.advance(60);
    nodes.join('n2');
    await nodes.clock.advance(60_000);
    for (let call = 0; call < 40; call++) expect(nodes.accepted(call)).toEqual(upTo(call, 5));
    expect(nodes.seen).toHaveLength(200);
    expect(new Set(nodes.seen.map(({ node }) => node))).toEqual(new Set(['n1', 'n2']));
    expect(await nodes.store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
  },
);

it.each([1, 2, 3])(
  'lets a node that joins and does not see the others yet take nothing from them (%i)',
  async (seed) => {
    nodes = new Nodes(seed);
    nodes.takesMs = 100;
    nodes.join('n1');
    await nodes.commit(40, 5, 8);
    await nodes.clock.advance(60);
    nodes.join('n2', { seesOthersAfterMs: 300 });
    await nodes.clock.advance(60_000);
    expect(nodes.seen).toHaveLength(200);
    expect(new Set(nodes.seen.map(({ node }) => node))).toEqual(new Set(['n1', 'n2']));
  },
);

it.each([1, 2, 3])('hands over the receivers of a draining node, and sends no event twice (%i)', async (seed) => {
  nodes = new Nodes(seed);
  nodes.takesMs = 400;
  for (const name of ['n1', 'n2', 'n3']) nodes.join(name);
  await nodes.commit(40, 5, 8);
  await nodes.clock.advance(150);
  nodes.drain('n1');
  await nodes.clock.advance(1000);
  const underWay = nodes.seen.filter(({ node }) => node === 'n1').length;
  expect(underWay).toBeGreaterThan(0);
  const stopped = nodes.stop('n1');
  await nodes.clock.advance(60_000);
  await stopped;
  for (let call = 0; call < 40; call++) expect(nodes.accepted(call)).toEqual(upTo(call, 5));
  expect(nodes.seen).toHaveLength(200);
  expect(nodes.seen.filter(({ node }) => node === 'n1')).toHaveLength(underWay);
});

it('finishes the attempts of a stopping node before another node begins', async () => {
  nodes = new Nodes(8);
  nodes.takesMs = 400;
  for (const name of ['n1', 'n2']) nodes.join(name);
  await nodes.commit(40, 2, 8);
  await nodes.clock.advance(150);
  const stopped = nodes.stop('n1');
  await nodes.clock.advance(60_000);
  await stopped;
  expect(nodes.seen).toHaveLength(80);
});

it('limits the wait for a node that does not finish its receiver', async () => {
  nodes = new Nodes(9);
  nodes.takesMs = 20_000;
  nodes.join('n1');
  await nodes.commit(8, 1, 8);
  await nodes.clock.advance(100);
  nodes.join('n2');
  await nodes.clock.advance(6500);
  expect(nodes.seen.filter(({ node }) => node === 'n2').length).toBeGreaterThan(0);
});

it.each([1, 2, 3, 4, 5])(
  'repeats the attempts of a dead node from another node, with the same id (%i)',
  async (seed) => {
    nodes = new Nodes(seed);
    nodes.join('n1');
    nodes.join('n2');
    nodes.takesMs = 100;
    await nodes.commit(40, 3, 8);
    await nodes.clock.advance(180 + 40 * seed);
    const underWay = nodes.seen.filter(({ node }) => node === 'n1').length;
    expect(underWay).toBeGreaterThan(0);
    nodes.kill('n1');
    await nodes.clock.advance(60_000);
    for (let call = 0; call < 40; call++) expect(nodes.accepted(call)).toEqual(upTo(call, 3));
    // One event of each call of its receivers, and no more.
    expect(nodes.seen.length).toBeLessThanOrEqual(120 + 40);
    expect(await nodes.store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
  },
);

it('keeps a receiver that is down on its node, and delays no other receiver', async () => {
  nodes = new Nodes(7);
  nodes.answers = (url) => (url === urlOf(0) ? ERROR : OK);
  nodes.join('n1');
  nodes.join('n2');
  await nodes.commit(8, 2, 4);
  await nodes.clock.advance(5_000);
  expect((await nodes.store.outbox.counts()).waiting).toBe(4);
  nodes.answers = () => OK;
  await nodes.clock.advance(3_600_000);
  for (let call = 0; call < 8; call++) expect(nodes.accepted(call)).toEqual(upTo(call, 2));
});

it.each([1, 2, 3])(
  'lets an event of a live call on another node wait at most ten seconds for one that fails (%i)',
  async (seed) => {
    nodes = new Nodes(seed);
    nodes.live.add('c0');
    nodes.answers = (_, id) => (id.endsWith(':1') ? ERROR : OK);
    for (const name of ['n1', 'n2']) nodes.join(name);
    const put = async (callId: string, seq: number): Promise<void> => {
      const delivery = deliveryOf(`${callId}:${seq}`, callId, { url: urlOf(seq), createdMs: nodes!.clock.now() });
      await nodes!.store.calls.commit(writeOf(callId, [seq], { deliveries: [delivery] }));
    };
    for (const callId of ['c0', 'c1']) await put(callId, 1);
    await nodes.clock.advance(14_000);
    for (const callId of ['c0', 'c1']) await put(callId, 2);
    await nodes.clock.advance(9_000);
    expect(nodes.accepted(0)).toEqual([]);
    await nodes.clock.advance(3_000);
    expect(nodes.accepted(0)).toEqual(['c0:2']);
    // That call has ended: its events stay in order.
    expect(nodes.accepted(1)).toEqual([]);
    nodes.answers = () => OK;
    await nodes.clock.advance(3_600_000);
    expect(nodes.accepted(0)).toEqual(['c0:2', 'c0:1']);
    expect(nodes.accepted(1)).toEqual(['c1:1', 'c1:2']);
    expect(nodes.seen.filter(({ isAnswered }) => isAnswered)).toHaveLength(4);
  },
);

it('wakes the node of a receiver when the response is sent that its event must not overtake', async () => {
  const clock = new VirtualClock(T0);
  const store = createMemoryStore();
  const woken: string[] = [];
  const ownership = {
    ...{ isMine: () => false, onChange: () => () => undefined, finished: () => undefined },
    leave: async () => undefined,
  };
  const dispatcher = new WebhookDispatcher({
    ...{ ownership, clock, log: silentLog, random: () => 0.5 },
    outbox: { ...store.outbox, wake: (receiver) => void woken.push(receiver) },
    sender: { send: async () => OK, close: async () => undefined },
    secretsOf: () => [SECRET],
    isLive: () => true,
    onAnswer: () => undefined,
  });
  dispatcher.start();
  onTestFinished(() => dispatcher.stop());
  const commit = (callId: string, seq: number) => {
    const delivery = deliveryOf(`${callId}:${seq}`, callId, { url: urlOf(1), createdMs: clock.now() });
    return store.calls.commit(writeOf(callId, [seq], { deliveries: [delivery] }));
  };
  await commit('c1', 1);
  expect(woken).toEqual([receiverOf('project-1', urlOf(1))]);
  // It waits for the event before it.
  await commit('c1', 2);
  expect(woken).toHaveLength(1);
  const release = dispatcher.pause('c2');
  await commit('c2', 1);
  expect(woken).toHaveLength(1);
  release();
  expect(woken).toHaveLength(2);
});

it('leaves events that were claimed and not sent to the next node of the receiver', async () => {
  const clock = new VirtualClock(T0);
  const store = createMemoryStore();
  const sent: string[] = [];
  let isMine = true;
  let changed = (): void => undefined;
  let goOn = (): void => undefined;
  const dispatcher = new WebhookDispatcher({
    ...{ clock, log: silentLog, random: () => 0.5 },
    ownership: {
      ...{ isMine: () => isMine, finished: () => undefined, leave: async () => undefined },
      onChange(listener) {
        changed = () => listener();
        return () => undefined;
      },
    },
    outbox: {
      ...store.outbox,
      // The process is suspended here.
      isDisabled: () => new Promise((resolve) => (goOn = () => resolve(false))),
    },
    sender: {
      async send({ headers }) {
        sent.push(headers['webhook-id']!);
        return OK;
      },
      close: async () => undefined,
    },
    secretsOf: () => [SECRET],
    isLive: () => true,
    onAnswer: () => undefined,
  });
  dispatcher.start();
  onTestFinished(() => dispatcher.stop());
  const delivery = deliveryOf('c1:1', 'c1', { url: urlOf(1), createdMs: clock.now() });
  await store.calls.commit(writeOf('c1', [1], { deliveries: [delivery] }));
  await clock.advance(10);
  isMine = false;
  goOn();
  await clock.advance(10_000);
  expect(sent).toEqual([]);
  expect(await store.outbox.counts()).toEqual({ waiting: 1, dead: 0 });
  isMine = true;
  changed();
  await clock.advance(10);
  goOn();
  await clock.advance(10);
  expect(sent).toEqual(['c1:1']);
  expect(await store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
});
