/**
 * One life of a simulated node: the real supervisor, runs, membership and recovery, over a simulated engine and store.
 * Its timers, answers and events arrive through `run`, which holds them back while the node is paused and drops them
 * after its death.
 */
import type { Clock, Timer } from '../../src/base/core/clock.ts';
import type { HttpReply, HttpRequest } from '../../src/base/core/http-exchange.ts';
import type { Ids } from '../../src/base/core/ids.ts';
import type { LegEvent } from '../../src/base/core/leg.ts';
import type { Log } from '../../src/base/core/log.ts';
import type { DialRequest } from '../../src/media/telephony/engine.ts';
import { SimulatedEngine } from '../../src/media/telephony/simulated/engine.ts';
import { silentAudio } from '../../src/proof/testkit/silent-audio.ts';
import type { Cluster } from '../../src/service/cluster/cluster.ts';
import { leasedCalls } from '../../src/service/cluster/leased-calls.ts';
import { Membership } from '../../src/service/cluster/membership.ts';
import { deliveriesOf } from '../../src/service/observers/webhooks/events.ts';
import type { RuntimePorts } from '../../src/service/runtime/ports.ts';
import { createSupervisor, type Supervisor } from '../../src/service/runtime/supervisor.ts';
import { stepsByVerb } from '../../src/verbs/steps.ts';
import { adoptLost } from './adopt-lost.ts';
import { calleeOf, playFarEnd } from './callers.ts';
import { flowNamed } from './flows.ts';
import type { Guards } from './guards.ts';
import type { Outside } from './outside.ts';
import type { CallPlan } from './plan.ts';
import type { SimulatedStore } from './simulated-store.ts';
import { type SimulatedCalls, StoreClient } from './store-client.ts';
import type { Switch } from './switch.ts';
import type { World } from './world.ts';

export const LEASE = { expiresMs: 1500, renewedMs: 500, trustedMs: 1200 };
const PROJECT = 'simulated';
const EVENT_URL = 'https://application.example/events';
const RING_MS = 6_000;

export interface LifeParts {
  world: World;
  store: SimulatedStore;
  outside: Outside;
  guards: Guards;
  /** The engine that outlives its nodes; without it each node has its own. */
  center: Switch | undefined;
}

export class NodeLife {
  readonly id: string;
  readonly name: string;
  readonly number: number;
  readonly clock: Clock;
  /** The server that this node takes for the primary. */
  view: number;
  isDead = false;
  stalledUntilMs = 0;
  readonly #parts: LifeParts;
  readonly #calls: SimulatedCalls;
  readonly #engine: SimulatedEngine;
  readonly #supervisor: Supervisor;
  readonly #membership: Membership;
  readonly #cluster: Cluster;
  readonly #log: Log;
  readonly #links: boolean[];
  /** Work that arrived while the node is paused. */
  #queued: (() => void)[] | undefined;
  #losesUntilMs = 0;
  #planned = new Map<string, CallPlan>();

  constructor(parts: LifeParts, node: { number: number; life: number; links: boolean[]; view: number }) {
    const { world, store, guards, center } = parts;
    const { number, life, links, view } = node;
    this.#parts = parts;
    this.number = number;
    this.name = `node${number}`;
    this.id = guards.newName ? `${this.name}-life${life}` : this.name;
    this.#links = links;
    this.view = view;
    this.clock = new NodeClock(this, world, world.int(-300, 300));
    this.#log = logOf((line) => world.note(() => `${this.id}: ${line()}`));
    const client = new StoreClient(world, store, this, guards);
    this.#membership = new Membership({
      me: this.id,
      store: client.leases,
      clock: this.clock,
      log: this.#log,
      lease: LEASE,
      report: () => ({
        name: this.name,
        version: '1',
        archive: this.name,
        address: '',
        startedMs: 0,
        liveCalls: this.#supervisor.liveCalls,
        load: 0,
        isDraining: false,
      }),
    });
    // Without the guard the lease counts as valid at any time.
    this.#cluster = guards.lease ? this.#membership : alwaysSure(this.#membership);
    this.#calls = { ...client.calls, commit: leasedCalls(client.calls, this.#cluster, this.clock) };
    const ids = idsOf(`${this.name}.${life}`);
    this.#engine = new SimulatedEngine({
      clock: this.clock,
      ids,
      audio: silentAudio(),
      callee: (request) => calleeOf(this.#planned.get(request.to)),
      dialled: (farEnd, request) => playFarEnd(farEnd, this.#planned.get(request.to), this.clock),
    });
    const events = { nextId: () => ids.next('event'), recordingUrl: (id: string) => id };
    const ports: RuntimePorts = {
      clock: this.clock,
      ids,
      callStore: this.#calls,
      owner: this.id,
      engine: center?.of(this) ?? this.#ownEngine(),
      flow: (flow) => flowNamed(String(flow)),
      steps: stepsByVerb,
      http: (_request: HttpRequest, _projectId, _signal, { callId, requestId }) => this.#request(callId, requestId),
      deliveriesOf: (entry, record) => deliveriesOf(entry, record, events),
      recordings: { open: ({ recordingId }) => ({ file: recordingId }), close: () => undefined },
      venues: { conference: NOWHERE, queue: NOWHERE, room: NOWHERE },
      mayPresent: () => true,
      mayStream: () => true,
      onCrash: (callId, error) => world.note(() => `${this.id}: ${callId} crashed: ${String(error)}`),
    };
    this.#supervisor = createSupervisor(ports);
    void this.#engine.start({
      incoming: ({ legId, from, to }) => this.#begin(legId, from, to),
      event: (legId, event) => this.#supervisor.legEvent(legId, event),
    });
    void this.#live(ports);
  }

  /** Runs the work now, after the pause, or never if the node is dead. */
  run(happen: () => void): void {
    if (this.isDead) return;
    if (this.#queued) this.#queued.push(happen);
    else happen();
  }

  die(): void {
    this.#parts.world.note(() => `${this.id} dies`);
    this.isDead = true;
  }

  pause(): void {
    this.#parts.world.note(() => `${this.id} stands still`);
    this.#queued ??= [];
  }

  resume(): void {
    const queued = this.#queued ?? [];
    this.#queued = undefined;
    this.#parts.world.note(() => `${this.id} goes on: ${queued.length} things have waited`);
    for (const happen of queued) this.#parts.world.after(0, () => this.run(happen));
  }

  /** A command to an engine that outlives the node arrives immediately, or late. */
  stallUntil(untilMs: number): void {
    this.stalledUntilMs = untilMs;
  }

  loseUntil(untilMs: number): void {
    this.#losesUntilMs = untilMs;
  }

  /** True if the next message between this node and the server arrives. */
  reaches(server: number): boolean {
    const { world } = this.#parts;
    if (!this.#links[server]) return false;
    return world.nowMs >= this.#losesUntilMs || !world.chance(0.3);
  }

  /** Starts an incoming or an outgoing call. */
  take(plan: CallPlan): void {
    if (!this.#cluster.isLeaseValid()) return;
    const { number, direction } = plan;
    this.#planned.set(number, plan);
    const { center } = this.#parts;
    center?.plan(plan);
    if (direction === 'inbound') {
      if (center) center.call(plan, this);
      else playFarEnd(this.#engine.call({ from: number, to: '1000' }), plan, this.clock);
      return;
    }
    const legId = `${number}-leg-${this.id}`;
    this.#begin(legId, '1000', number, { legId, from: '1000', to: number, ringTimeoutMs: RING_MS });
  }

  #begin(legId: string, from: string, to: string, dial?: DialRequest): void {
    const { world, outside } = this.#parts;
    const plan = this.#planned.get(dial ? to : from)!;
    const callId = `call-${plan.number.slice(-1)}`;
    world.note(() => `${this.id} begins ${callId} (${plan.flow})`);
    outside.began(callId, legId, this.id);
    const run = this.#supervisor.start({
      ...{ callId, projectId: PROJECT, direction: plan.direction, from, to, legId, seed: 1, input: {} },
      ...{ flow: flowNamed(plan.flow)!, env: {}, secrets: {}, schedules: {}, eventUrl: EVENT_URL },
      ...(dial ? { dial } : {}),
    });
    void run.done.then(() => {
      if (!this.isDead) world.note(() => `${this.id}: the run of ${callId} is over`);
    });
  }

  /** A call arrives on one of its legs. */
  incoming(legId: string, from: string, to: string): void {
    this.#begin(legId, from, to);
  }

  legEvent(legId: string, event: LegEvent): void {
    this.#supervisor.legEvent(legId, event);
  }

  /** The engine that dies with the node. */
  #ownEngine(): RuntimePorts['engine'] {
    const { outside } = this.#parts;
    return {
      dial: (request) => {
        if (this.isDead) return;
        outside.dialled(this.id, request);
        this.#engine.dial(request);
      },
      send: (legId, command) => {
        if (this.isDead) return;
        outside.commanded(this.id, legId, command);
        this.#engine.send(legId, command);
      },
    };
  }

  async #request(callId: string, requestId: string): Promise<HttpReply> {
    const { world, outside } = this.#parts;
    outside.requested(this.id, callId, requestId);
    await new Promise<void>((resolve) => this.clock.after(world.int(5, 400), resolve));
    return { ok: true, status: 200, headers: {}, body: { go: 'on' } };
  }

  async #live(ports: RuntimePorts): Promise<void> {
    const { world } = this.#parts;
    for (;;) {
      try {
        await this.#membership.start();
        break;
      } catch {
        await new Promise<void>((resolve) => this.clock.after(100, resolve));
      }
    }
    world.note(() => `${this.id} has a lease`);
    adoptLost({
      cluster: this.#cluster,
      calls: this.#calls,
      clock: this.clock,
      log: this.#log,
      ports,
      supervisor: this.#supervisor,
      engine: this.#parts.center?.of(this),
      outside: this.#parts.outside,
    });
  }
}

/** The wall clock of the node: it differs from those of others, and stops while the node is paused. */
class NodeClock implements Clock {
  readonly #life: NodeLife;
  readonly #world: World;
  readonly #offMs: number;

  constructor(life: NodeLife, world: World, offMs: number) {
    this.#life = life;
    this.#world = world;
    this.#offMs = offMs;
  }

  now(): number {
    return this.#world.clock.now() + this.#offMs;
  }

  monotonicMs(): number {
    return this.#world.clock.monotonicMs();
  }

  after(delayMs: number, fire: () => void): Timer {
    let isCancelled = false;
    const timer = this.#world.after(delayMs, () =>
      this.#life.run(() => {
        if (!isCancelled) fire();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }
}

function idsOf(prefix: string): Ids {
  const counts = new Map<string, number>();
  return {
    next(kind) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return `${kind}-${prefix}.${count}`;
    },
  };
}

const NOWHERE = { enter: () => undefined, tell: () => undefined, exit: () => undefined };

const alwaysSure = (cluster: Cluster): Cluster => ({
  me: cluster.me,
  isLeaseValid: () => true,
  problem: () => undefined,
  clockOffsetMs: () => undefined,
  leaseHeldMs: () => Number.POSITIVE_INFINITY,
  nodes: () => cluster.nodes(),
  others: () => cluster.others(),
  onChange: (listener) => cluster.onChange(listener),
});

function logOf(note: (line: () => string) => void): Log {
  const write = (message: string, fields: object = {}): void =>
    note(
      () => `${message} ${JSON.stringify(fields, (_key, value) => (value instanceof Error ? value.message : value))}`,
    );
  const log: Log = { debug: () => undefined, info: write, warn: write, error: write, child: () => log };
  return log;
}
