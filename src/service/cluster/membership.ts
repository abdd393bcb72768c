/**
 * Membership of the cluster: renews this node's lease and reads those of the others. Neighbours: `lease-store.ts`
 * stores the leases, `adoption.ts` takes over the calls of lost nodes.
 *
 * Invariants
 *  M1 A lease is trusted from the time *before* its renewal was sent, on the monotonic clock, and for less time than it
 *     lasts in the store: this node stops making decisions before any other can consider it lost.
 *  M2 A node considers no other node lost until it has held its own lease for one lease duration: after an outage of
 *     the store all leases have expired, and live nodes need time to renew theirs.
 *  - Renewals do not overlap each other, nor do reads of other leases. The store may be unavailable or silent without
 *    an exception.
 */
import { atMost, type Clock, type Timer } from '../../base/core/clock.ts';
import type { Log } from '../../base/core/log.ts';
import type { NotReady } from '../../base/core/not-ready.ts';
import { WriteError } from '../../base/core/write-error.ts';
import { ClockComparison } from './clock-comparison.ts';
import type { Cluster, ClusterChange, NodeInfo, NodeReport } from './cluster.ts';
import type { LeaseStore } from './lease-store.ts';

export interface MembershipOptions {
  me: string;
  store: LeaseStore;
  clock: Clock;
  log: Log;
  lease: { expiresMs: number; renewedMs: number; trustedMs: number };
  /** Current report of this node. */
  report(): Omit<NodeReport, 'id'>;
}

/** Time after which an expired node that left no calls is forgotten. */
const FORGOTTEN_AFTER_MS = 600_000;
/** Interval at which the other leases are read. */
const LOOK_EVERY_MS = 200;

export class Membership implements Cluster {
  readonly me: string;
  readonly #options: MembershipOptions;
  readonly #listeners = new Set<(change: ClusterChange) => void>();
  readonly #regained = new Set<() => void>();
  /** Other nodes with a valid lease, by id. */
  #others = new Map<string, { report: NodeReport; renewedMs: number }>();
  /** Nodes whose lease has expired, with the time since when. */
  readonly #gone = new Map<string, number>();
  readonly #clocks: ClockComparison;
  #renewedMs = Number.NEGATIVE_INFINITY;
  /** Start of the time for which this node has held its lease without a gap. */
  #heldSinceMs: number | undefined;
  /** Reason why renewals fail, since the first failure. */
  #failure: NotReady | undefined;
  #isRunning = false;
  #timers = new Map<string, Timer>();

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.me = options.me;
    this.#clocks = new ClockComparison(options);
  }

  /** Resolves when this node has a lease and has read those of the others. Rejects if the store is unreachable. */
  async start(): Promise<void> {
    this.#isRunning = true;
    await this.#renew();
    await this.#look();
    this.#repeat('renew', this.#options.lease.renewedMs, () => this.#renew(), this.#notRenewed);
    this.#repeat('look', LOOK_EVERY_MS, () => this.#look());
    this.#watchOwnLease();
  }

  /** Removes the lease, so that the other nodes see the departure at once. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    for (const timer of this.#timers.values()) timer.cancel();
    await this.#options.store.remove(this.me).catch((error: unknown) => {
      this.#options.log.warn('cluster.not_left', { error });
    });
    this.#renewedMs = Number.NEGATIVE_INFINITY;
  }

  isLeaseValid(): boolean {
    return this.#options.clock.monotonicMs() - this.#renewedMs < this.#options.lease.trustedMs;
  }

  problem(): NotReady | undefined {
    return this.isLeaseValid()
      ? this.#clocks.problem
      : (this.#failure ?? { why: 'no_lease', sinceMs: this.#untilMs() });
  }

  /** End of the lease, by the wall clock. */
  #untilMs(): number {
    const { clock, lease } = this.#options;
    const overMs = clock.monotonicMs() - this.#renewedMs - lease.trustedMs;
    return Math.round(clock.now() - (Number.isFinite(overMs) ? overMs : 0));
  }

  clockOffsetMs(): number | undefined {
    return this.#clocks.offsetMs;
  }

  leaseHeldMs(): number {
    if (this.#heldSinceMs === undefined || !this.isLeaseValid()) return 0;
    return this.#options.clock.monotonicMs() - this.#heldSinceMs;
  }

  nodes(): readonly NodeInfo[] {
    const nowMs = this.#options.clock.monotonicMs();
    const { expiresMs } = this.#options.lease;
    const infoOf = (report: NodeReport, renewedMs: number): NodeInfo => {
      const leaseAgeMs = Math.max(0, Math.round(nowMs - renewedMs));
      return { ...report, leaseAgeMs, leaseLeftMs: Math.max(0, expiresMs - leaseAgeMs) };
    };
    const mine = this.isLeaseValid() ? [infoOf(this.#ownReport(), this.#renewedMs)] : [];
    const others = [...this.#others.values()].sort((one, other) => compare(one.report, other.report));
    return [...mine, ...others.map(({ report, renewedMs }) => infoOf(report, renewedMs))];
  }

  others(): readonly NodeReport[] {
    return [...this.#others.values()].map(({ report }) => report);
  }

  onChange(listener: (change: ClusterChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls the listener when this node holds its lease again after other nodes could consider it lost. */
  onRegained(listener: () => void): () => void {
    this.#regained.add(listener);
    return () => void this.#regained.delete(listener);
  }

  /** Publishes a changed report immediately. */
  announce(): void {
    if (!this.#isRunning) return;
    void this.#renew().catch(() => undefined);
    this.#emit({ joined: [], lost: [] });
  }

  #ownReport = (): NodeReport => ({ id: this.me, ...this.#options.report() });

  async #renew(): Promise<void> {
    const { store, clock, lease, log } = this.#options;
    const sentMs = clock.monotonicMs();
    const sentWallMs = clock.now();
    const storeMs = await store.renew(this.#ownReport(), lease.expiresMs);
    if (storeMs !== undefined) {
      // A node of an earlier version does not report its clock.
      const others = [...this.#others.values()].map(({ report }) => report.clockOffsetMs ?? 0);
      this.#clocks.compare({ sentMs: sentWallMs, storeMs, receivedMs: clock.now() }, others);
    }
    this.#failure = undefined;
    const wasHeld = this.#heldSinceMs !== undefined && sentMs - this.#renewedMs < lease.expiresMs;
    const isFirst = this.#renewedMs === Number.NEGATIVE_INFINITY;
    // M1: a reply that took too long renews nothing.
    this.#renewedMs = Math.max(this.#renewedMs, sentMs);
    if (wasHeld || !this.isLeaseValid()) return;
    this.#heldSinceMs = sentMs;
    log.info('cluster.lease_held', { node: this.me });
    if (!isFirst) for (const listener of this.#regained) listener();
  }

  #notRenewed = (error: unknown): void => {
    const why = error instanceof WriteError ? error.reason : 'no_lease';
    this.#failure = { why, sinceMs: this.#failure?.sinceMs ?? this.#options.clock.now() };
  };

  async #look(): Promise<void> {
    const { store, clock, lease } = this.#options;
    const askedMs = clock.monotonicMs();
    const listed = await store.list();
    const seen = new Map<string, { report: NodeReport; renewedMs: number }>();
    for (const { report, leftMs } of listed) {
      if (report.id === this.me) continue;
      if (leftMs <= 0) {
        this.#forget(report.id);
        continue;
      }
      this.#gone.delete(report.id);
      seen.set(report.id, { report, renewedMs: askedMs - (lease.expiresMs - leftMs) });
    }
    const before = this.#others;
    // M2
    const mayJudge = this.isLeaseValid() && clock.monotonicMs() - (this.#heldSinceMs ?? askedMs) >= lease.expiresMs;
    if (!mayJudge) for (const [id, other] of before) if (!seen.has(id)) seen.set(id, other);
    this.#others = seen;
    const joined = [...seen.keys()].filter((id) => !before.has(id));
    const lost = [...before.keys()].filter((id) => !seen.has(id));
    const isOtherwise = [...seen].some(([id, { report }]) => report.isDraining !== before.get(id)?.report.isDraining);
    if (lost.length === 0 && !isOtherwise) return;
    const infoIn = (from: typeof seen, id: string): NodeInfo => ({ ...from.get(id)!.report, leaseAgeMs: 0 });
    for (const id of joined) this.#options.log.info('cluster.joined', { node: id, name: seen.get(id)!.report.name });
    for (const id of lost) this.#options.log.warn('cluster.lost', { node: id, name: before.get(id)!.report.name });
    const change = { joined: joined.map((id) => infoIn(seen, id)), lost: lost.map((id) => infoIn(before, id)) };
    this.#emit(change);
  }

  #emit(change: ClusterChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Forgets a lost node, whose calls have been adopted by then. */
  #forget(id: string): void {
    const { store, clock } = this.#options;
    const sinceMs = this.#gone.get(id) ?? clock.monotonicMs();
    this.#gone.set(id, sinceMs);
    if (clock.monotonicMs() - sinceMs < FORGOTTEN_AFTER_MS) return;
    this.#gone.delete(id);
    void store.remove(id).catch(() => undefined);
  }

  /** Checked by a timer, so that it is detected when other nodes may consider this one lost, not at the next query. */
  #watchOwnLease(): void {
    const { clock, lease, log } = this.#options;
    this.#repeat('own', LOOK_EVERY_MS, async () => {
      if (this.#heldSinceMs === undefined || clock.monotonicMs() - this.#renewedMs < lease.expiresMs) return;
      this.#heldSinceMs = undefined;
      log.error('cluster.lease_lost', { node: this.me });
    });
  }

  /**
   * Runs the work at fixed intervals, skipping a turn while the previous one is running. `readiness.ts` reports an
   * unavailable store.
   */
  #repeat(name: string, everyMs: number, work: () => Promise<void>, failed?: (error: unknown) => void): void {
    const { clock, log, lease } = this.#options;
    let isBusy = false;
    let isFailing = false;
    const take = async (): Promise<void> => {
      isBusy = true;
      try {
        const done = await atMost(
          clock,
          lease.expiresMs,
          work().then(() => true),
        );
        if (!done) throw new WriteError('unreachable');
        isFailing = false;
      } catch (error) {
        failed?.(error);
        const level = error instanceof WriteError ? 'debug' : 'error';
        if (!isFailing && this.#isRunning) log[level]('cluster.store_away', { work: name, error });
        isFailing = true;
      } finally {
        isBusy = false;
      }
    };
    const again = (): void => {
      if (!this.#isRunning) return;
      if (!isBusy) void take();
      this.#timers.set(name, clock.after(everyMs, again));
    };
    this.#timers.set(name, clock.after(everyMs, again));
  }
}

const compare = (one: NodeReport, other: NodeReport): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : one.id < other.id ? -1 : 1;
