/**
 * Lifecycle of one broadcast: its state in the store, until its end. Changes are written one at a time, in the order of
 * their requests. Neighbour: `broadcast-run.ts` decides about them.
 */
import { inOrder } from '../../../base/core/in-order.ts';
import { defined } from '../../../base/core/json.ts';
import type { Broadcast, Counts } from './broadcast.ts';
import type { StateChange } from './broadcast-store.ts';
import type { BroadcastParts } from './broadcasts.ts';

export interface BroadcastEnd {
  state: 'completed' | 'stopped' | 'failed';
  error?: string;
}

type LifecycleParts = Pick<BroadcastParts, 'store' | 'clock' | 'log' | 'eventsOf'>;

export class BroadcastLifecycle {
  broadcast: Broadcast;
  readonly #parts: LifecycleParts;
  readonly #inOrder = inOrder();
  #running: Promise<void> | undefined;

  constructor(broadcast: Broadcast, parts: LifecycleParts) {
    this.broadcast = broadcast;
    this.#parts = parts;
  }

  /** Runs the task after the pending changes, and before later ones. */
  afterChanges<Made>(task: () => Promise<Made>): Promise<Made> {
    return this.#inOrder(task);
  }

  /** Writes the state `running` before the first call. Concurrent requests share one write. */
  async run(): Promise<void> {
    if (this.broadcast.state !== 'initiated') return;
    this.#running ??= this.#run();
    await this.#running;
  }

  async #run(): Promise<void> {
    const begun = { state: 'running', startedMs: this.#parts.clock.now() } as const;
    try {
      await this.#inOrder(async () => {
        if (this.broadcast.state !== 'initiated') return;
        await this.#write(begun);
        if (this.broadcast.state === 'initiated') this.broadcast = { ...this.broadcast, ...begun };
      });
    } finally {
      this.#running = undefined;
    }
  }

  /** Writes the state `stopped`. False if the broadcast ended meanwhile, or another stop was written first. */
  stop(hangUp: boolean): Promise<boolean> {
    return this.#inOrder(() => this.#write({ state: 'stopped', ...(hangUp ? { hangUp } : {}) }));
  }

  /** Writes the end and its final event. To be called by a task of `afterChanges`. */
  async end({ state, error }: BroadcastEnd, counts: Counts): Promise<void> {
    const { clock, log, eventsOf, store } = this.#parts;
    const change = defined<StateChange>({ state, endedMs: clock.now(), error });
    const ended: Broadcast = { ...this.broadcast, ...change };
    const { broadcastId } = ended.order;
    const isOurs = await store.change(
      broadcastId,
      change,
      eventsOf(ended, state === 'failed' ? 'failed' : 'complete', counts),
    );
    this.broadcast = ended;
    // Otherwise another node has ended the broadcast.
    if (!isOurs) return;
    const { numbers, success, failed, attempts } = counts;
    log.info('broadcast.ended', { broadcastId, state, count: numbers, success, failed, attempts });
  }

  #write(change: StateChange): Promise<boolean> {
    return this.#parts.store.change(this.broadcast.order.broadcastId, change, []);
  }
}
