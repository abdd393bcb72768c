/**
 * One transaction: its state, its timers and its table (`transaction-tables.ts`, RFC 3261 §17). Subclasses perform the
 * actions: `ClientTransaction` in `transactions.ts`, `ServerTransaction` in `server-transaction.ts`.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { SipRequest, SipResponse } from './message.ts';
import {
  nextTimerMs,
  type StateName,
  type TimerName,
  type TransactionAction,
  type TransactionInput,
  type TransactionTable,
  timerMs,
} from './transaction-tables.ts';
import type { Peer } from './transport.ts';

/** Part of the transport layer that transactions use. */
export interface TransactionTransport {
  /** Returns the Via value of an outgoing request. */
  via(peer: Peer, branch: string): string;
  /** `callId`: the Call-ID of the message. */
  send(bytes: Buffer, to: Peer, callId: string, failed?: (reason: string) => void): void;
  /** Returns the destination of a response to `request` (§18.2.2, RFC 3581). */
  replyPeer(request: SipRequest, source: Peer): Peer;
}

/** Environment of every transaction. */
export interface TransactionEnvironment {
  transport: TransactionTransport;
  clock: Clock;
  /** Returns a new unguessable token, for tags and branches. */
  token: () => string;
}

/** State, timers and table of one transaction; subclasses perform the actions. */
export abstract class SipTransaction {
  state: StateName;
  readonly reliable: boolean;
  protected readonly context: TransactionEnvironment;
  readonly #machine: TransactionTable;
  readonly #running = new Map<TimerName, Timer>();

  constructor(context: TransactionEnvironment, machine: TransactionTable, reliable: boolean) {
    this.context = context;
    this.#machine = machine;
    this.reliable = reliable;
    this.state = machine.start;
  }

  protected abstract act(act: TransactionAction, message?: SipRequest | SipResponse): void;
  protected abstract gone(): void;

  accept(input: TransactionInput, message?: SipRequest | SipResponse): void {
    const row = this.#machine.states[this.state]?.on[input];
    if (!row) return;
    const changed = row.to !== this.state;
    this.state = row.to;
    if (changed) this.#changeTimers();
    for (const act of row.actions) this.act(act, message);
    if (changed && row.to === 'terminated') this.gone();
  }

  protected takes(input: TransactionInput): boolean {
    return this.#machine.states[this.state]?.on[input] !== undefined;
  }

  protected begin(): void {
    this.#changeTimers();
  }

  /** Sets a timer in addition to those of the table; it is cancelled when the state changes. */
  protected alsoAfter(name: TimerName): void {
    this.#start(name, timerMs(name, this.reliable));
  }

  protected stopTimer(name: TimerName): void {
    this.#running.get(name)?.cancel();
    this.#running.delete(name);
  }

  end(): void {
    this.state = 'terminated';
    this.#changeTimers();
    this.gone();
  }

  #changeTimers(): void {
    const wanted = this.#machine.states[this.state]?.timers ?? [];
    for (const name of this.#running.keys()) if (!wanted.includes(name)) this.stopTimer(name);
    for (const name of wanted) if (!this.#running.has(name)) this.#start(name, timerMs(name, this.reliable));
  }

  #start(name: TimerName, delayMs: number | undefined): void {
    if (delayMs === undefined) return;
    const timer = this.context.clock.after(delayMs, () => {
      this.#running.delete(name);
      this.#start(name, nextTimerMs(name, this.state, delayMs));
      this.accept(name);
    });
    this.#running.set(name, timer);
  }
}

export const inputOf = (status: number): TransactionInput => (status < 200 ? '1xx' : status < 300 ? '2xx' : 'failure');
