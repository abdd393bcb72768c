/**
 * Live legs of the engine: passes them the host's commands, and queues their events for the host. Also tracks the
 * requests that have to be answered before the engine may stop.
 * Invariant: E4 of `../engine.ts`. Events are queued, and emitted after the call that caused them has returned.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import type { AttachedLeg, EngineHost, IncomingLeg } from '../engine.ts';
import type { CallLeg } from './call-leg.ts';
import type { InboundCall } from './inbound-call.ts';
import type { SipLog } from './transport-layer.ts';

export class SipLegs {
  readonly #log: SipLog;
  readonly #legs = new Map<string, CallLeg>();
  readonly #attached = new Map<string, AttachedLeg>();
  readonly #queue: { legId: string; event: LegEvent }[] = [];
  /** Number of BYEs, CANCELs and de-registrations without an answer. */
  #pendingByes = 0;
  #onEmpty: (() => void) | undefined;
  /** Set at the start of the engine. */
  host: EngineHost | undefined;

  constructor(log: SipLog) {
    this.#log = log;
  }

  /** Number of SIP legs. */
  get size(): number {
    return this.#legs.size;
  }

  get(legId: string): CallLeg | undefined {
    return this.#legs.get(legId);
  }

  readonly send = (legId: string, command: LegCommand): void => {
    (this.#legs.get(legId) ?? this.#attached.get(legId))?.send(command);
  };

  readonly emit = (legId: string, event: LegEvent): void => {
    if (this.#queue.push({ legId, event }) === 1) queueMicrotask(() => this.#flush());
  };

  attach(leg: AttachedLeg): void {
    this.#attached.set(leg.legId, leg);
  }

  detach(legId: string): void {
    this.#attached.delete(legId);
    this.#checkEmpty();
  }

  add(leg: CallLeg): void {
    this.#legs.set(leg.legId, leg);
  }

  /** Adds the leg of an inbound call, and offers it to the host; rejects it if the host fails. */
  offer(call: InboundCall, leg: Omit<IncomingLeg, 'legId'>): void {
    const { legId, sipPeer: sip } = call;
    this.add(call);
    try {
      this.host?.incoming({ ...leg, legId, sip });
    } catch (error) {
      this.#hostFailed(legId, error);
      call.send({ type: 'reject', sipStatus: 500 });
    }
  }

  remove(legId: string): void {
    this.#legs.delete(legId);
    this.#checkEmpty();
  }

  /** Registers a pending request; the returned function has to be called when it is answered or has failed. */
  trackPendingBye(): () => void {
    this.#pendingByes++;
    return () => {
      this.#pendingByes--;
      this.#checkEmpty();
    };
  }

  hangUpAll(cause: number): void {
    for (const leg of [...this.#legs.values(), ...this.#attached.values()]) leg.send({ type: 'hangup', cause });
  }

  /** Resolves when all legs have ended and all their requests are answered, or after `limitMs`; emits all events. */
  async finish(clock: Clock, limitMs: number): Promise<void> {
    if (!this.#isEmpty) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onEmpty = resolve;
      const limit = clock.after(limitMs, resolve);
      await promise;
      limit.cancel();
    }
    this.#flush();
  }

  /** Gives up requests that were not answered. */
  dropPendingByes(): void {
    this.#pendingByes = 0;
  }

  get #isEmpty(): boolean {
    return this.#legs.size + this.#attached.size + this.#pendingByes === 0;
  }

  #checkEmpty(): void {
    if (this.#isEmpty) this.#onEmpty?.();
  }

  #flush(): void {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      try {
        this.host?.event(next.legId, next.event);
      } catch (error) {
        this.#hostFailed(next.legId, error);
      }
    }
  }

  #hostFailed(legId: string, error: unknown): void {
    this.#log('error', 'sip.host_failed', { legId, error: String(error) });
  }
}
