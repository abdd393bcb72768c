/**
 * A replicated store with the guarantees of `store/redis`: a primary that decides, a replica that follows it, a
 * failover that promotes the replica. It is the reference for the answers OK, DUP, FENCED, GAP.
 *
 * Invariants
 *  - a server handles one request at a time, and what it writes reaches its replica in the same order;
 *  - a request that waits for the replica is answered when the replica has all that was written until then.
 */
import type { Delivery } from '../../src/base/core/delivery.ts';
import type { NodeReport } from '../../src/service/cluster/cluster.ts';
import type { CallWrite } from '../../src/service/runtime/call-store.ts';
import type { CallRecord, Checkpoint, JournalEntry } from '../../src/service/runtime/journal.ts';
import type { Guards } from './guards.ts';
import type { World } from './world.ts';

export interface StoredCall {
  record: CallRecord;
  checkpoint: Checkpoint;
  entries: readonly JournalEntry[];
  deliveries: readonly Delivery[];
  owner: string;
  fence: number;
  isEnded: boolean;
}

export interface StoredLease {
  report: NodeReport;
  untilMs: number;
}

export interface Contents {
  calls: Map<string, StoredCall>;
  leases: Map<string, StoredLease>;
}

export type Answer<Value> = { value: Value } | { refused: string };

/** The effect of a request. A write returns its change as a function, which is applied to the replica later. */
export type Work<Value> = (contents: Contents, write: (change: (contents: Contents) => void) => void) => Answer<Value>;

const WAIT_MS = 200;

export class Server {
  readonly number: number;
  isUp = true;
  role: 'primary' | 'replica';
  contents: Contents = { calls: new Map(), leases: new Map() };
  readonly #world: World;
  /** Written on the primary, and not yet on the replica. */
  #unsent: ((contents: Contents) => void)[] = [];
  #written = 0;
  #followed = 0;
  #sendsAtMs = 0;
  #waiting: { until: number; settle(isFollowed: boolean): void }[] = [];
  /** Changes with each failover: requests in flight belong to an earlier epoch. */
  #era = 0;

  constructor(number: number, role: 'primary' | 'replica', world: World) {
    this.number = number;
    this.role = role;
    this.#world = world;
  }

  /** Calls `answer` at once or, with `waits`, when the replica has the write. */
  handle<Value>(
    work: Work<Value>,
    waits: boolean,
    answer: (answer: Answer<Value>) => void,
    replicate: () => void,
  ): void {
    let hasWritten = false;
    const given = work(this.contents, (change) => {
      change(this.contents);
      this.#unsent.push(change);
      this.#written++;
      hasWritten = true;
    });
    if (hasWritten) replicate();
    if (!waits || !hasWritten || 'refused' in given) {
      answer(given);
      return;
    }
    let isSettled = false;
    const settle = (isFollowed: boolean): void => {
      if (isSettled) return;
      isSettled = true;
      answer(isFollowed ? given : { refused: 'NOT_REPLICATED' });
    };
    this.#waiting.push({ until: this.#written, settle });
    this.#world.after(WAIT_MS, () => settle(false));
  }

  /** Sends the writes to the replica, in order. */
  replicate(replica: Server, isLinked: () => boolean): void {
    const era = this.#era;
    this.#sendsAtMs = Math.max(this.#sendsAtMs, this.#world.nowMs + this.#world.int(0, 3));
    this.#world.at(this.#sendsAtMs, () => {
      if (era !== this.#era || !isLinked()) return;
      for (const change of this.#unsent.splice(0)) {
        change(replica.contents);
        this.#followed++;
      }
      const done = this.#waiting.filter(({ until }) => until <= this.#followed);
      this.#waiting = this.#waiting.filter(({ until }) => until > this.#followed);
      for (const { settle } of done) settle(true);
    });
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0;
  }

  begin(role: 'primary' | 'replica', from?: Contents): void {
    this.role = role;
    this.#era++;
    this.#unsent = [];
    this.#written = this.#followed = 0;
    this.#sendsAtMs = 0;
    for (const { settle } of this.#waiting.splice(0)) settle(false);
    if (from) this.contents = { calls: new Map(from.calls), leases: new Map(from.leases) };
  }
}

export class SimulatedStore {
  readonly servers: readonly [Server, Server];
  readonly #world: World;
  #primary = 0;
  #isLinked = true;

  constructor(world: World) {
    this.#world = world;
    this.servers = [new Server(0, 'primary', world), new Server(1, 'replica', world)];
  }

  get primary(): Server {
    return this.servers[this.#primary]!;
  }

  replicate(of: Server): void {
    of.replicate(this.servers[1 - of.number]!, () => this.#isLinked && of.role === 'primary');
  }

  /** Stops replication until it is called again. */
  setLinked(isLinked: boolean): void {
    this.#isLinked = isLinked;
    if (isLinked && this.primary.hasUnsent) this.replicate(this.primary);
  }

  /** Promotes the replica; writes that it lacks are lost. */
  promote(): void {
    this.#world.note(() => `store: server ${1 - this.#primary} is the primary now`);
    this.#primary = 1 - this.#primary;
    this.primary.begin('primary');
  }

  /** The other server returns as the replica of the primary. */
  heal(): void {
    const other = this.servers[1 - this.#primary]!;
    other.isUp = true;
    other.begin('replica', this.primary.contents);
    this.setLinked(true);
  }
}

/** Writes calls as the functions of `callweave_1` do. */
export const callWork = (guards: Guards) => ({
  commit:
    ({ record, checkpoint, entries, deliveries, owner, fence }: CallWrite): Work<'OK' | 'DUP'> =>
    ({ calls }, write) => {
      const { callId } = record;
      const before = calls.get(callId);
      if (before && guards.fence && before.fence !== fence) return { refused: 'FENCED' };
      const length = before?.entries.length ?? 0;
      const isThere = before !== undefined && entries.at(-1)!.seq <= length;
      if (isThere && guards.idempotent) {
        // So that a repeated write waits for the replication of the original one.
        write(() => undefined);
        return { value: 'DUP' };
      }
      if (entries[0]!.seq !== length + 1 && !isThere) return { refused: 'GAP' };
      write((contents) => {
        const known = contents.calls.get(callId);
        contents.calls.set(callId, {
          ...{ record, checkpoint },
          owner: known?.owner ?? owner,
          fence: known?.fence ?? fence,
          entries: [...(known?.entries ?? []), ...entries],
          deliveries: [...(known?.deliveries ?? []), ...deliveries],
          isEnded: entries.some(({ kind }) => kind === 'ended'),
        });
      });
      return { value: 'OK' };
    },
  adopt:
    (callId: string, { owner, seenFence }: { owner: string; seenFence: number }): Work<number | undefined> =>
    ({ calls }, write) => {
      const call = calls.get(callId);
      if (!call || call.isEnded || call.fence !== seenFence) return { value: undefined };
      const fence = seenFence + 1;
      write((contents) => {
        const known = contents.calls.get(callId);
        if (known) contents.calls.set(callId, { ...known, owner, fence });
      });
      return { value: fence };
    },
});

export const leaseWork = {
  renew:
    (report: NodeReport, untilMs: number): Work<undefined> =>
    (_contents, write) => {
      write(({ leases }) => void leases.set(report.id, { report, untilMs }));
      return { value: undefined };
    },
  remove:
    (id: string): Work<undefined> =>
    (_contents, write) => {
      write(({ leases }) => void leases.delete(id));
      return { value: undefined };
    },
};
