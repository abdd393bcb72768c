/** Leases of several simulated nodes, in virtual time: the behaviour of Redis, and failures of its connections. */
import type { Clock } from '../../src/base/core/clock.ts';
import { WriteError, type WriteErrorReason } from '../../src/base/core/write-error.ts';
import type { NodeReport } from '../../src/service/cluster/cluster.ts';
import type { LeaseStore } from '../../src/service/cluster/lease-store.ts';

/** The connection of one node to the store. */
export interface Link {
  isCut?: boolean;
  delayMs?: number;
  /** Error with which the store answers. */
  refusal?: WriteErrorReason;
}

export class SimulatedLeases {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { report: NodeReport; untilMs: number }>();
  /** True if the whole store is unreachable: no request is answered. */
  isAway = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  connect(link: Link = {}): LeaseStore {
    const reach = async (): Promise<void> => {
      if (link.refusal) throw new WriteError(link.refusal);
      if (link.isCut || this.isAway) throw new Error('the store cannot be reached');
      if (link.delayMs) await new Promise<void>((resolve) => void this.#clock.after(link.delayMs!, resolve));
    };
    return {
      renew: async (report, expiresMs) => {
        await reach();
        this.#kept.set(report.id, { report, untilMs: this.#clock.monotonicMs() + expiresMs });
        return this.#clock.now();
      },
      list: async () => {
        await reach();
        const nowMs = this.#clock.monotonicMs();
        return [...this.#kept.values()].map(({ report, untilMs }) => ({
          report,
          leftMs: Math.max(0, untilMs - nowMs),
        }));
      },
      remove: async (id) => {
        await reach();
        this.#kept.delete(id);
      },
    };
  }
}
