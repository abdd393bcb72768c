/**
 * Preloaded into the service (`node --import`), in its main thread and in its media threads. Records the call stack of
 * each hand-over, and the functions that run. A hand-over is a moment at which work leaves its call stack: an input that
 * is posted to a call, an effect that waits for the commit, a write to the database, a queued task, a command to a media
 * thread, an event of one, a sent packet.
 *
 * `walk.ts` starts and ends a record by a signal to the process. Each thread writes its own file.
 */
import { Socket } from 'node:dgram';
import { renameSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

export interface HandOver {
  kind: string;
  /** Monotonic time of the system. */
  atMs: number;
  stack: string;
}

export interface ThreadRecord {
  isMain: boolean;
  handOvers: HandOver[];
  coverage: Profiler.ScriptCoverage[];
}

/** Environment variable with the folder for the records. */
export const WALK_DIRECTORY = 'CALLWEAVE_WALK_DIRECTORY';
export const WALK_SIGNAL = 'SIGUSR2';
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

type Method = (this: unknown, ...args: unknown[]) => unknown;

const directory = process.env[WALK_DIRECTORY];
if (directory !== undefined) await install(directory);

async function install(into: string): Promise<void> {
  const thread = isMainThread ? 'main' : `thread-${threadId}`;
  const session = new Session();
  let handOvers: HandOver[] | undefined;

  const write = (name: string, content: unknown): void => {
    const file = join(into, name);
    writeFileSync(`${file}.part`, JSON.stringify(content));
    renameSync(`${file}.part`, file);
  };

  const begin = (): void => {
    Error.stackTraceLimit = 200;
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    handOvers = [];
    write(`${thread}.begun`, {});
  };

  const end = (taken: HandOver[]): void => {
    handOvers = undefined;
    session.post('Profiler.takePreciseCoverage', (error, found) => {
      if (error) throw error;
      const coverage = found.result.filter(({ url }) => url.includes('/src/'));
      write(`${thread}.json`, { isMain: isMainThread, handOvers: taken, coverage } satisfies ThreadRecord);
    });
    session.disconnect();
  };

  const turn = (): void => (handOvers ? end(handOvers) : begin());

  const record = (kind: string, above: Method): void => {
    if (!handOvers) return;
    const at = { stack: '' };
    Error.captureStackTrace(at, above);
    handOvers.push({ kind, atMs: monotonicMs(), stack: at.stack });
  };

  /** Records each call of the method. */
  const watch = (kind: string, owner: object, name: string, isMeant = (_self: unknown): boolean => true): void => {
    const methods = owner as Record<string, Method>;
    const original = methods[name]!;
    const watched: Method = function (...args) {
      if (isMeant(this)) record(kind, watched);
      return original.apply(this, args);
    };
    methods[name] = watched;
  };

  const { SystemDatagrams } = await import('../../src/media/telephony/media/system-datagrams.ts');
  const { ThreadEvents } = await import('../../src/media/telephony/media/thread-events.ts');
  const { CommandSender } = await import('../../src/media/telephony/media/thread-commands.ts');
  watch('packet', Socket.prototype, 'send');
  watch('packet', SystemDatagrams.prototype, 'transmit');
  watch('event', ThreadEvents.prototype, 'emit');
  watch('command', CommandSender.prototype, 'send');
  watch('task', globalThis, 'setImmediate');
  const channel = new BroadcastChannel(WALK_DIRECTORY);
  channel.unref();
  if (!isMainThread) {
    channel.onmessage = turn;
    return;
  }
  watch('task', globalThis, 'queueMicrotask');
  const isWrite = (statement: unknown): boolean => /^\s*(insert|update)/i.test((statement as StatementSync).sourceSQL);
  for (const name of ['run', 'get']) watch('write', StatementSync.prototype, name, isWrite);
  const { CallRun } = await import('../../src/service/runtime/call-run.ts');
  const { CallTransaction } = await import('../../src/service/runtime/call-transaction.ts');
  watch('input', CallRun.prototype, 'post');
  watch('effect', CallTransaction.prototype, 'onCommit');
  process.on(WALK_SIGNAL, () => {
    channel.postMessage('turn');
    turn();
  });
}
