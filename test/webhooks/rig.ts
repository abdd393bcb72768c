/** A dispatcher in virtual time over a store in memory, with a receiver whose answers the test chooses. */
import type { JsonObject } from '../../src/base/core/json.ts';
import type { Log, LogFields } from '../../src/base/core/log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { WebhookDispatcher, type WebhookDispatcherParts } from '../../src/service/observers/webhooks/dispatcher.ts';
import type { SendRequest, SendResult } from '../../src/service/observers/webhooks/http-sender.ts';
import type { Store } from '../../src/service/store/store.ts';
import { deliveryOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const OK: SendResult = { status: 200, body: { text: '' } };
export const ERROR: SendResult = { status: 500, body: { text: '' } };

export interface Sent extends SendRequest {
  id: string;
  /** Milliseconds since the start of the test. */
  atMs: number;
}

type Receiver = (sent: Sent) => SendResult | Promise<SendResult>;

export class Rig {
  readonly clock = new VirtualClock(T0);
  readonly store: Store;
  readonly dispatcher: WebhookDispatcher;
  readonly sent: Sent[] = [];
  readonly answers: { callId: string; answer: JsonObject }[] = [];
  readonly lines: { level: string; message: string; fields: LogFields }[] = [];
  readonly live = new Set<string>();
  /** Answer of the receiver to an event. */
  receive: Receiver = () => OK;
  closed = false;
  readonly #lastSeq = new Map<string, number>();

  constructor(parts: Partial<WebhookDispatcherParts> = {}, store: Store = createMemoryStore()) {
    this.store = store;
    this.dispatcher = new WebhookDispatcher({
      outbox: store.outbox,
      sender: {
        send: async (request) => {
          const sent = { ...request, id: request.headers['webhook-id']!, atMs: this.clock.now() - T0 };
          this.sent.push(sent);
          return this.receive(sent);
        },
        close: async () => {
          this.closed = true;
        },
      },
      clock: this.clock,
      log: this.#log(),
      random: () => 0.5,
      secretsOf: (projectId) => (projectId === 'stranger' ? [] : [SECRET]),
      isLive: (orderKey) => this.live.has(orderKey),
      onAnswer: (callId, answer) => this.answers.push({ callId, answer }),
      ...parts,
    });
  }

  /** Commits events of one call: `a1` belongs to call `a`. */
  async put(ids: string[], url = 'http://receiver.example/events'): Promise<void> {
    for (const id of ids) {
      const callId = id[0]!;
      const seq = (this.#lastSeq.get(callId) ?? 0) + 1;
      this.#lastSeq.set(callId, seq);
      const delivery = deliveryOf(id, callId, { url, createdMs: this.clock.now() });
      await this.store.calls.commit(writeOf(callId, [seq], { deliveries: [delivery] }));
    }
    await this.settle();
  }

  /** Runs all that is due without advancing time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await this.clock.settle();
  }

  /** Advances time, and runs all that becomes due. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  /** Number of events still to be sent. */
  waiting(): Promise<number> {
    return this.store.outbox.counts().then(({ waiting }) => waiting);
  }

  get ids(): string[] {
    return this.sent.map(({ id }) => id);
  }

  #log(): Log {
    const at =
      (level: string) =>
      (message: string, fields: LogFields = {}) => {
        this.lines.push({ level, message, fields });
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => this.#log() };
  }
}

/** A promise that the test settles. */
export function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, resolve };
}
