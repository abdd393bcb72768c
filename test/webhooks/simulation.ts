/**
 * Many calls, several receivers and a service that may stop and die, in virtual time. The test chooses the answers of
 * receivers by their origin; every attempt is recorded.
 */
import { seededRandom } from '../../src/base/core/ids.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { WebhookDispatcher, type WebhookDispatcherParts } from '../../src/service/observers/webhooks/dispatcher.ts';
import type { SendResult } from '../../src/service/observers/webhooks/http-sender.ts';
import type { Store } from '../../src/service/store/store.ts';
import { deliveryOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { ERROR, OK, SECRET } from './rig.ts';

export interface SeenAttempt {
  id: string;
  callId: string;
  url: string;
  atMs: number;
  /** Undefined while the receiver has not answered. */
  ok?: boolean;
}

/** Behaviour of a receiver in one attempt: how long it takes, and how it answers. */
export type Behaviour = (seen: SeenAttempt) => { takesMs: number; result: SendResult };

export const up: Behaviour = () => ({ takesMs: 3, result: OK });
export const down: Behaviour = () => ({ takesMs: 0, result: { failure: 'connection_refused' } });
export const hanging: Behaviour = () => ({ takesMs: 5000, result: { failure: 'timeout' } });
export const slow: Behaviour = () => ({ takesMs: 4900, result: OK });
export const failing: Behaviour = () => ({ takesMs: 3, result: ERROR });
export const refusing: Behaviour = () => ({ takesMs: 3, result: { status: 404, body: { text: '' } } });

export class DeliverySimulation {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly seen: SeenAttempt[] = [];
  readonly live = new Set<string>();
  readonly receivers = new Map<string, Behaviour>();
  /** Per call, in the order of the commits. */
  readonly committed = new Map<string, string[]>();
  readonly mostAtOnce = new Map<string, number>();
  dispatcher: WebhookDispatcher;
  readonly #atOnce = new Map<string, number>();
  readonly #limits: WebhookDispatcherParts['limits'];
  readonly #chance = seededRandom(4);
  readonly #isInSqlite: boolean;
  #life = 0;

  constructor(options: { store?: (clock: VirtualClock) => Store; limits?: WebhookDispatcherParts['limits'] } = {}) {
    this.#isInSqlite = options.store !== undefined;
    this.clock = new VirtualClock(T0, this.#isInSqlite ? 'turn' : 'promises');
    this.store = options.store?.(this.clock) ?? createMemoryStore();
    this.#limits = options.limits;
    this.dispatcher = this.#start();
  }

  /** Commits events of one call, each with its own decision. */
  async commit(
    callId: string,
    count: number,
    url = 'http://one.example/events',
    projectId = 'project-1',
  ): Promise<void> {
    const ids = this.committed.get(callId) ?? [];
    this.committed.set(callId, ids);
    const written: Promise<void>[] = [];
    for (let n = 0; n < count; n++) {
      const id = `${callId}:${ids.length}`;
      ids.push(id);
      const delivery = deliveryOf(id, callId, { url, projectId, createdMs: this.clock.now() });
      written.push(this.store.calls.commit(writeOf(callId, [ids.length], { deliveries: [delivery] })));
    }
    await Promise.all(written);
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    // SQLite writes in a turn of the event loop, and the result may set the next deadline.
    if (this.#isInSqlite) {
      do await this.settle();
      while (await this.clock.advanceToNext(untilMs));
    }
    await this.clock.advanceTo(untilMs);
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await this.clock.settle();
  }

  /** Advances step by step until no event waits; false if some still do after the maximum time. */
  async drain(longestMs: number, stepMs: number): Promise<boolean> {
    for (let ms = 0; ms < longestMs && (await this.waiting()) > 0; ms += stepMs) await this.advance(stepMs);
    return (await this.waiting()) === 0;
  }

  waiting(): Promise<number> {
    return this.store.outbox.counts().then(({ waiting }) => waiting);
  }

  /** Stops and starts again, as an operator does. */
  async restart(): Promise<void> {
    const stopped = this.dispatcher.stop();
    await this.advance(6000);
    await stopped;
    this.dispatcher = this.#start();
  }

  /** Kills the process with all that it had not written, and starts another one. */
  async crash(): Promise<void> {
    await this.settle();
    this.dispatcher = this.#start();
  }

  /** By call, the events in the order of their first acceptance. */
  taken(): Map<string, string[]> {
    const taken = new Map<string, Set<string>>();
    for (const { callId, id, ok } of this.seen) {
      if (!ok) continue;
      const ids = taken.get(callId) ?? new Set();
      taken.set(callId, ids.add(id));
    }
    return new Map([...taken].map(([callId, ids]) => [callId, [...ids]]));
  }

  /** Calls of which some event was not accepted in the order of the commits. */
  disordered(): string[] {
    const taken = this.taken();
    return [...this.committed].flatMap(([callId, ids]) => (taken.get(callId)?.join() === ids.join() ? [] : [callId]));
  }

  attemptsAt(origin: string): SeenAttempt[] {
    return this.seen.filter(({ url }) => new URL(url).origin === origin);
  }

  #start(): WebhookDispatcher {
    const life = ++this.#life;
    const dispatcher = new WebhookDispatcher({
      outbox: this.store.outbox,
      sender: {
        send: ({ url, headers }) =>
          life === this.#life ? this.#receive(headers['webhook-id']!, url) : new Promise<SendResult>(() => undefined),
        close: async () => undefined,
      },
      clock: this.clock,
      log: silentLog,
      random: this.#chance,
      secretsOf: () => [SECRET],
      isLive: (orderKey) => life === this.#life && this.live.has(orderKey),
      onAnswer: () => undefined,
      ...(this.#limits ? { limits: this.#limits } : {}),
    });
    dispatcher.start();
    return dispatcher;
  }

  #receive(id: string, url: string): Promise<SendResult> {
    const life = this.#life;
    const callId = id.split(':')[0]!;
    const { origin } = new URL(url);
    const seen: SeenAttempt = { id, callId, url, atMs: this.clock.now() - T0 };
    this.seen.push(seen);
    const { takesMs, result } = (this.receivers.get(origin) ?? up)(seen);
    for (const key of [callId, origin]) {
      const now = (this.#atOnce.get(key) ?? 0) + 1;
      this.#atOnce.set(key, now);
      this.mostAtOnce.set(key, Math.max(now, this.mostAtOnce.get(key) ?? 0));
    }
    return new Promise((resolve) => {
      this.clock.after(takesMs, () => {
        for (const key of [callId, origin]) this.#atOnce.set(key, this.#atOnce.get(key)! - 1);
        seen.ok = 'status' in result && result.status < 300;
        if (life === this.#life) resolve(result);
      });
    });
  }
}
