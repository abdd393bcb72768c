/**
 * Groups writing function calls: all that arrive within one turn of the event loop are sent in one pipeline that ends
 * with `WAIT`, so that they share one round trip and one confirmation by a replica. While Redis is unavailable they
 * wait.
 *
 * Invariants
 *  - Calls are carried out in the order of arrival, one group after the other.
 *  - A promise resolves when the write is as durable as `durability` requires, and rejects with `WriteError` after ten
 *    seconds without that; the write may have been carried out nevertheless.
 *  - A call may reach the server several times; its reply is that of the first time. The functions are written for
 *    this.
 */
import { type ChainableCommander, Cluster, type Pipeline } from 'ioredis';
import type { Clock, Timer } from '../../../../base/core/clock.ts';
import { WriteError } from '../../../../base/core/write-error.ts';
import type { WriteHealth } from '../../write-health.ts';
import type { CommitTimes } from './commit-times.ts';
import { type EncodedCommand, encodeCommand, RawCommand } from './encoded-command.ts';
import { loadFunctions } from './functions.ts';
import type { RedisConnection } from './redis-client.ts';
import { lacksFunctions, passingError } from './server-errors.ts';
import { slotOf } from './slots.ts';

interface PendingCall {
  command: EncodedCommand;
  sinceMs: number;
  isSentBefore: boolean;
  isSettled: boolean;
  /** True if the server did not know the function, and the functions were loaded since. */
  areFunctionsLoaded: boolean;
  reply: { value: unknown } | undefined;
  resolve: (reply: unknown) => void;
  reject: (reason: unknown) => void;
}

/** Larger groups are split, so that the server can serve other clients in between. */
const MAX_GROUP = 500;
/** Maximum time that a write waits for Redis. */
const GIVE_UP_MS = 10_000;
const RETRY_AFTER_MS = 50;
/** Time within which a replica must confirm. */
const CONFIRM_TIMEOUT_MS = 1000;
/** Time within which a group must be answered: after that the connection is closed. */
const ANSWER_TIMEOUT_MS = CONFIRM_TIMEOUT_MS + 1000;

export interface CommandGroupsParts {
  connection: RedisConnection;
  clock: Clock;
  health: WriteHealth;
  times?: CommitTimes;
}

export class CommandGroups {
  readonly #connection: RedisConnection;
  readonly #clock: Clock;
  readonly #health: WriteHealth;
  readonly #times: CommitTimes | undefined;
  #waiting: PendingCall[] = [];
  #isScheduled = false;
  #isSending = false;
  #isClosed = false;
  #retry: Timer | undefined;

  constructor({ connection, clock, health, times }: CommandGroupsParts) {
    this.#times = times;
    this.#connection = connection;
    this.#clock = clock;
    this.#health = health;
  }

  /** `tags`: shards whose keys the function uses. */
  call(name: string, tags: string | readonly string[], args: readonly string[]): Promise<unknown> {
    return this.send(encodeCommand(name, [tags].flat(), args));
  }

  send(command: EncodedCommand): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      const sinceMs = this.#clock.monotonicMs();
      this.#waiting.push({
        command,
        sinceMs,
        isSentBefore: false,
        isSettled: false,
        areFunctionsLoaded: false,
        reply: undefined,
        resolve,
        reject,
      });
      this.#schedule();
    });
  }

  /** Waits for earlier calls, and accepts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.idle();
    this.#retry?.cancel();
  }

  /** Resolves when all earlier calls have settled. */
  async idle(): Promise<void> {
    const settled = this.#waiting
      .filter(({ isSettled }) => !isSettled)
      .map(
        (pending) =>
          new Promise<void>((done) => {
            const { resolve, reject } = pending;
            pending.resolve = (reply) => done(resolve(reply));
            pending.reject = (reason) => done(reject(reason));
          }),
      );
    await Promise.all(settled);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isSending || this.#retry) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, MAX_GROUP);
      const failure = await this.#sendGroup(group);
      this.#waiting = this.#waiting.filter((pending) => !pending.isSettled);
      if (failure) {
        this.#failed(failure);
        break;
      }
    }
    this.#isSending = false;
  }

  /** Settled calls leave the queue. Returns the reason to resend the others, if any. */
  async #sendGroup(group: readonly PendingCall[]): Promise<WriteError | undefined> {
    const failures = await Promise.all([...this.#byServer(group)].map((part) => this.#sendPart(part)));
    const failure = failures.find((each) => each !== undefined);
    if (!failure) this.#health.commits.add('ok');
    return failure;
  }

  /** Split by server, because a pipeline goes to one server. */
  #byServer(group: readonly PendingCall[]): Iterable<PendingCall[]> {
    const { writer } = this.#connection;
    if (!(writer instanceof Cluster)) return [[...group]];
    return Map.groupBy(group, ({ command }) => (writer.slots[slotOf(command.tags[0]!)] ?? []).join()).values();
  }

  async #sendPart(part: PendingCall[]): Promise<WriteError | undefined> {
    const { writer, durability } = this.#connection;
    if (writer.status !== 'ready') return new WriteError('unreachable');
    const pipeline = writer.pipeline() as ChainableCommander & Pick<Pipeline, 'sendCommand'>;
    for (const { command } of part) pipeline.sendCommand(new RawCommand(command));
    // Repeated writes may change nothing, and `WAIT` covers only writes of its own connection: this write makes it
    // wait.
    if (durability !== 'memory' && part.some(({ isSentBefore }) => isSentBefore)) {
      pipeline.set(`${part[0]!.command.tags[0]}:confirm`, '', 'PX', GIVE_UP_MS);
    }
    if (durability === 'replica') pipeline.wait(1, CONFIRM_TIMEOUT_MS);
    if (durability === 'disk') pipeline.call('WAITAOF', '1', '1', CONFIRM_TIMEOUT_MS);
    const late = this.#clock.after(ANSWER_TIMEOUT_MS, () => writer.disconnect(true));
    let results: [error: Error | null, reply: unknown][];
    try {
      results = (await pipeline.exec()) ?? [];
    } catch (error) {
      return passingError(error) ?? new WriteError('unreachable', error);
    } finally {
      late.cancel();
      for (const pending of part) pending.isSentBefore = true;
    }
    return this.#settle(part, results);
  }

  async #settle(
    part: PendingCall[],
    results: [error: Error | null, reply: unknown][],
  ): Promise<WriteError | undefined> {
    let failure: WriteError | undefined;
    for (const [index, pending] of part.entries()) {
      const [error, reply] = results[index] ?? [new WriteError('unreachable'), undefined];
      if (!error) {
        pending.reply ??= { value: reply };
        continue;
      }
      const passing = passingError(error);
      const isUnknown = lacksFunctions(error) && pending.areFunctionsLoaded;
      if (!passing || isUnknown) {
        pending.isSettled = true;
        pending.reject(error);
        continue;
      }
      failure ??= passing;
      if (lacksFunctions(error)) await loadFunctions(this.#connection.writer).catch(() => undefined);
      pending.areFunctionsLoaded = lacksFunctions(error);
    }
    if (!failure) failure = this.#unconfirmed(results.at(-1)!);
    if (failure) return failure;
    this.#health.succeeded();
    for (const pending of part) {
      if (pending.isSettled) continue;
      pending.isSettled = true;
      this.#times?.add(this.#clock.monotonicMs() - pending.sinceMs);
      pending.resolve(pending.reply!.value);
    }
    return undefined;
  }

  #unconfirmed([error, reply]: [error: Error | null, reply: unknown]): WriteError | undefined {
    const { durability } = this.#connection;
    if (durability === 'memory') return undefined;
    if (error) return passingError(error) ?? new WriteError('no_replica', error);
    const confirmed = durability === 'replica' ? Number(reply) : Math.min(...(reply as unknown[]).map(Number));
    return confirmed >= 1 ? undefined : new WriteError('no_replica');
  }

  #failed(failure: WriteError): void {
    this.#health.failed(failure);
    const nowMs = this.#clock.monotonicMs();
    this.#waiting = this.#waiting.filter((pending) => {
      if (nowMs - pending.sinceMs < GIVE_UP_MS) return true;
      pending.reject(failure);
      return false;
    });
    if (this.#waiting.length === 0) return;
    this.#retry = this.#clock.after(RETRY_AFTER_MS, () => {
      this.#retry = undefined;
      void this.#sendAll();
    });
  }
}
