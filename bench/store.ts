/**
 * Cost of a commit: CPU time of the whole process per decision (record, checkpoint, five journal entries, and an event
 * with every third), when 1, 10 or 100 of them arrive in one turn of the event loop. Compared with the same rows
 * written manually in SQLite, one transaction for each decision.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../src/base/core/clock.ts';
import { openSqliteStore } from '../src/service/store/sqlite/store.ts';
import { decisionsOf } from './decisions.ts';
import { report } from './figure.ts';

const COMMITS = 10_000;
const CALLS = 500;
const folder = mkdtempSync(join(tmpdir(), 'callweave-bench-'));

/** CPU time per commit in µs, and commits per second of wall time. */
async function measured(work: () => Promise<void>): Promise<{ cpuUs: number; perSecond: number }> {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const startNs = process.hrtime.bigint();
  await work();
  const seconds = Number(process.hrtime.bigint() - startNs) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: (user + system) / COMMITS, perSecond: COMMITS / seconds };
}

async function ours(atOnce: number): Promise<{ cpuUs: number; perSecond: number }> {
  const store = openSqliteStore({ file: join(folder, `ours-${atOnce}.db`), clock: systemClock });
  const all = decisionsOf(`d${atOnce}`, { commits: COMMITS, calls: CALLS });
  const result = await measured(async () => {
    for (let n = 0; n < all.length; n += atOnce) {
      await Promise.all(all.slice(n, n + atOnce).map((write) => store.calls.commit(write)));
    }
  });
  await store.close();
  return result;
}

async function byHand(): Promise<{ cpuUs: number; perSecond: number }> {
  const database = new DatabaseSync(join(folder, 'by-hand.db'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE calls (call_id TEXT PRIMARY KEY, record TEXT, checkpoint TEXT);
    CREATE TABLE journal (call_id TEXT, seq INTEGER, entry TEXT, PRIMARY KEY (call_id, seq)) WITHOUT ROWID;
    CREATE TABLE deliveries (id TEXT PRIMARY KEY, url TEXT, body TEXT);`);
  const call = database.prepare('INSERT OR REPLACE INTO calls VALUES (?, ?, ?)');
  const entry = database.prepare('INSERT INTO journal VALUES (?, ?, ?)');
  const delivery = database.prepare('INSERT INTO deliveries VALUES (?, ?, ?)');
  const all = decisionsOf('by-hand', { commits: COMMITS, calls: CALLS });
  const result = await measured(async () => {
    for (const { record, checkpoint, entries, deliveries } of all) {
      database.exec('BEGIN');
      call.run(record.callId, JSON.stringify(record), JSON.stringify(checkpoint));
      for (const made of entries) entry.run(record.callId, made.seq, JSON.stringify(made));
      for (const made of deliveries) delivery.run(made.id, made.url, JSON.stringify(made.payload));
      database.exec('COMMIT');
    }
  });
  database.close();
  return result;
}

try {
  const peer = await byHand();
  for (const atOnce of [1, 10, 100]) {
    const { cpuUs, perSecond } = await ours(atOnce);
    report(`store.commit_cpu.group_of_${atOnce}`, cpuUs, 'us', peer.cpuUs);
    report(`store.commits.group_of_${atOnce}`, perSecond, '1/s', peer.perSecond);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
