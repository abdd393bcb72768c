/**
 * Another process holds the lock of the database: writes are retried, the event loop continues, and no write is lost.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WriteError } from '../../src/base/core/write-error.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { BUSY_TIMEOUT_MS } from '../../src/service/store/sqlite/database.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { T0, writeOf } from '../contracts/store/call-fixtures.ts';

/** Takes the write lock, reports it, and releases it on any input. */
const HOLDER = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1]);
database.exec('BEGIN IMMEDIATE');
process.stdout.write('held');
process.stdin.once('data', () => { database.exec('ROLLBACK'); database.close(); process.stdout.write('free'); process.exit(); });
`;

describe('a database that another process holds', () => {
  let clock: VirtualClock;
  let file: string;
  let store: Store;
  let holder: ChildProcess | undefined;

  beforeEach(() => {
    clock = new VirtualClock(T0);
    file = join(mkdtempSync(join(tmpdir(), 'callweave-locked-')), 'callweave.db');
    store = openSqliteStore({ file, clock });
  });
  afterEach(async () => {
    await letGo();
    await store.close();
  });

  async function hold(): Promise<void> {
    holder = spawn(process.execPath, ['--no-warnings', '-e', HOLDER, file], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(holder.stdout!, 'data');
  }

  async function letGo(): Promise<void> {
    if (!holder) return;
    const gone = once(holder, 'exit');
    holder.stdin!.write('go');
    await gone;
    holder = undefined;
  }

  /** How often the event loop turned until then. */
  async function turnsUntil(isOver: () => boolean, most: number): Promise<number> {
    let turns = 0;
    while (!isOver() && turns < most) {
      turns += 1;
      await clock.advance(1);
    }
    return turns;
  }

  it('is waited for without stopping the event loop, and written as soon as it is free', async () => {
    await hold();
    let isWritten = false;
    const written = store.calls.commit(writeOf('call-1', [1])).then(() => {
      isWritten = true;
    });
    expect(await turnsUntil(() => isWritten, 500)).toBe(500);
    expect(store.writes.failure).toBeUndefined();
    await letGo();
    expect(await turnsUntil(() => isWritten, 100)).toBeLessThanOrEqual(25);
    await written;
    expect(await store.calls.journal('call-1')).toHaveLength(1);
  });

  it('never makes the process wait longer than an instant', async () => {
    await hold();
    const reader = new DatabaseSync(file, { timeout: 0 });
    expect(() => reader.exec('BEGIN IMMEDIATE')).toThrow('locked');
    reader.close();
    // Wait of SQLite itself, in the thread of all calls.
    expect(() => store.recordings.add(recording('r1'))).toThrow(WriteError);
    expect(BUSY_TIMEOUT_MS).toBeLessThanOrEqual(20);
  });

  it('fails all waiting writes after a second, and recovers automatically', async () => {
    await hold();
    const writes = ['a', 'b', 'c'].map((id) => store.calls.commit(writeOf(id, [1])).catch((error: unknown) => error));
    await clock.advance(1100);
    for (const end of await Promise.all(writes)) expect(end).toMatchObject({ code: 'NOT_WRITTEN', reason: 'locked' });
    expect(store.writes.failure).toEqual({ why: 'locked', sinceMs: expect.any(Number) });
    // While it fails, further writes do not wait for another second.
    const next = store.calls.commit(writeOf('d', [1])).catch((error: unknown) => error);
    await clock.settle();
    expect(await next).toMatchObject({ reason: 'locked' });
    await store.writes.probe();
    expect(store.writes.failure).toBeDefined();
    await letGo();
    await store.writes.probe();
    expect(store.writes.failure).toBeUndefined();
    await store.calls.commit(writeOf('e', [1]));
  });

  it('keeps the order of the writes of a call', async () => {
    await hold();
    const writes = [1, 2, 3].map((seq) => store.calls.commit(writeOf('call-1', [seq])));
    await clock.advance(300);
    await letGo();
    await clock.advance(100);
    await Promise.all(writes);
    expect((await store.calls.journal('call-1')).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });
});

const recording = (recordingId: string) => ({
  recordingId,
  projectId: 'shop',
  callId: 'c',
  file: `recordings/${recordingId}.wav`,
  state: 'open' as const,
  createdMs: 1,
});
