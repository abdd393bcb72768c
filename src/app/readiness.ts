/**
 * Readiness of this node for new calls, apart from a drain: the single decision for `/ready`, `/health`, calls,
 * metrics, the list of nodes and the log. Neighbours: `base/core/not-ready.ts` has the messages,
 * `service/store/write-health.ts` and `service/cluster/membership.ts` the facts.
 */
import { atMost, type Clock, type Timer } from '../base/core/clock.ts';
import type { Log } from '../base/core/log.ts';
import { meaningOf, type NotReady, type NotReadyReason, remedyOf } from '../base/core/not-ready.ts';
import type { Cluster } from '../service/cluster/cluster.ts';
import type { Store } from '../service/store/store.ts';

export interface ReadinessParts {
  store: { calls: Pick<Store['calls'], 'call'>; writes: Pick<Store['writes'], 'failure' | 'watch'> };
  cluster: Pick<Cluster, 'problem'>;
  clock: Clock;
  log: Log;
  /** True if leases and clocks are checked as well. */
  isCluster: boolean;
  /** Addresses of the shared Redis. */
  redis?: string | undefined;
}

export interface Readiness {
  /** The known reason to refuse new calls. Undefined if they are accepted. */
  problem(): NotReady | undefined;
  /** Like `problem`, but after a read from the store. */
  look(): Promise<NotReady | undefined>;
  /** Starts to log each change. Returns a function that stops it. */
  watch(): () => void;
}

/** Time after which a store without response is considered unreadable, in ms. */
const READ_WITHIN_MS = 1000;
/** Polling interval, because the expiry of a lease causes no event. */
const LOOK_EVERY_MS = 200;
/** `service/cluster/clock-comparison.ts` logs it, with the difference. */
const LOGGED_ELSEWHERE: ReadonlySet<NotReadyReason> = new Set<NotReadyReason>(['clock_off']);

export function createReadiness({ store, cluster, clock, log, isCluster, redis }: ReadinessParts): Readiness {
  let unreadable: (NotReady & { monotonicMs: number }) | undefined;
  const problem = (): NotReady | undefined => store.writes.failure ?? cluster.problem();

  const isReadable = async (): Promise<boolean> => {
    try {
      const read = Promise.resolve(store.calls.call('')).then(() => true);
      return (await atMost(clock, READ_WITHIN_MS, read)) ?? false;
    } catch {
      return false;
    }
  };

  return {
    problem,
    async look() {
      const known = problem();
      if (known) return known;
      if (await isReadable()) {
        if (unreadable) logRecovered(log, unreadable, clock.monotonicMs() - unreadable.monotonicMs);
        unreadable = undefined;
        return undefined;
      }
      if (unreadable) return unreadable;
      unreadable = { why: 'unreadable', sinceMs: clock.now(), monotonicMs: clock.monotonicMs() };
      logFailing(log, unreadable, redis);
      return unreadable;
    },
    watch() {
      let before: NotReady | undefined;
      let beganMs = 0;
      let timer: Timer | undefined;
      const compare = (): void => {
        const found = problem();
        const now = found && LOGGED_ELSEWHERE.has(found.why) ? undefined : found;
        if (now?.why === before?.why) return;
        if (now && !before) beganMs = clock.monotonicMs();
        if (now) logFailing(log, now, redis);
        else if (before) logRecovered(log, before, clock.monotonicMs() - beganMs);
        before = now;
      };
      const again = (): void => {
        compare();
        if (isCluster) timer = clock.after(LOOK_EVERY_MS, again);
      };
      const unwatch = store.writes.watch(compare);
      again();
      return () => {
        unwatch();
        timer?.cancel();
      };
    },
  };
}

function logFailing(log: Log, notReady: NotReady, redis: string | undefined): void {
  const { why, sinceMs } = notReady;
  const where = redis === undefined ? {} : { redis };
  const words = { why, means: meaningOf(notReady), remedy: remedyOf(notReady) };
  log.error('store.failing', { ...words, ...where, since: new Date(sinceMs).toISOString() });
}

function logRecovered(log: Log, { why }: NotReady, failedForMs: number): void {
  log.info('store.recovered', { why, failedForMs: Math.round(failedForMs) });
}
