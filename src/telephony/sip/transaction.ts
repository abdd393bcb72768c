/**
 * One transaction: its state, its timers and its table (`transaction-tables.ts`, RFC 3261 §17). Subclasses perform the
 * actions: `ClientTransaction` in `transactions.ts`, `ServerTransaction` in `server-transaction.ts`.
 */
import type { Clock, Timer } from '../../core/clock.ts';
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

/** The part of the transport layer that transactions need. */
export interface TransactionTransport {
  /** The Via value for a request of ours. */
  via(peer: Peer, branch: string): string;
  send(bytes: Buffer, to: Peer, failed?: (reason: string) => void): void;
  /** Where a response to `request` goes (§18.2.2, RFC 3581). */
  replyPeer(request: SipRequest, source: Peer): Peer;
}

/** What every transaction needs. */
export interface TransactionEnvironment {
  transport: TransactionTransport;
  clock: Clock;
  /** A new unguessable token, for tags and branches. */
  token: () => string;
}

interface Running {
  timer: Timer;
  name: TimerName;
}

/** State, timers and table of one transaction; subclasses perform the actions. */
export abstract class SipTransaction {
  state: StateName;
  readonly reliable: boolean;
  protected readonly context: TransactionEnvironment;
  readonly #machine: TransactionTable;
  #running: Running[] = [];

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

  /** Sets a timer in addition to those of the table; it is cancelled with the state. */
  protected alsoAfter(name: TimerName): void {
    this.#start(name, timerMs(name, this.reliable));
  }

  protected stopTimer(name: TimerName): void {
    const index = this.#running.findIndex((running) => running.name === name);
    if (index >= 0) this.#running.splice(index, 1)[0]!.timer.cancel();
  }

  end(): void {
    this.state = 'terminated';
    this.#changeTimers();
    this.gone();
  }

  #changeTimers(): void {
    const wanted = this.#machine.states[this.state]?.timers ?? [];
    const kept: Running[] = [];
    for (const running of this.#running) {
      if (wanted.includes(running.name)) kept.push(running);
      else running.timer.cancel();
    }
    this.#running = kept;
    for (const name of wanted) {
      if (!kept.some((running) => running.name === name)) this.#start(name, timerMs(name, this.reliable));
    }
  }

  #start(name: TimerName, delayMs: number | undefined): void {
    if (delayMs === undefined) return;
    const running: Running = {
      name,
      timer: this.context.clock.after(delayMs, () => {
        this.#running = this.#running.filter((other) => other !== running);
        const againMs = nextTimerMs(name, this.state, delayMs);
        if (againMs !== undefined) this.#start(name, againMs);
        this.accept(name);
      }),
    };
    this.#running.push(running);
  }
}

export const inputOf = (status: number): TransactionInput => (status < 200 ? '1xx' : status < 300 ? '2xx' : 'failure');
