/** Keeps the store from growing for ever: once at the start and then every hour it forgets what is too old. */
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Store } from './store.ts';

const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;

export interface RetentionOptions {
  store: Pick<Store, 'forget'>;
  clock: Clock;
  log: Log;
  /** How long calls and their journals are kept after their end. */
  callDays: number;
  /** How long dead deliveries are kept, and URLs stay disabled. */
  deadDays?: number;
}

/** Returns how to stop it. */
export function startRetention(options: RetentionOptions): () => void {
  const { store, clock, log } = options;
  let timer: Timer | undefined;
  let stopped = false;

  const forget = async (): Promise<void> => {
    const nowMs = clock.now();
    try {
      const forgotten = await store.forget({
        callsEndedBeforeMs: nowMs - options.callDays * DAY_MS,
        deadBeforeMs: nowMs - (options.deadDays ?? 7) * DAY_MS,
      });
      if (forgotten.calls + forgotten.deliveries + forgotten.urls > 0) log.info('store.forgot', { ...forgotten });
    } catch (error) {
      log.error('store.forget_failed', { error });
    }
    if (!stopped) timer = clock.after(EVERY_MS, () => void forget());
  };

  void forget();
  return () => {
    stopped = true;
    timer?.cancel();
  };
}
