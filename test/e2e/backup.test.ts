/**
 * Backups under load: sipp places ten calls a second, each call leaves a recording and pending events, because their
 * receiver is down, and backups run back to back. Each backup contains everything that had ended before it began,
 * contains no partial data, and does not disturb calls. `TEST_ROUNDS=10` makes two hundred of them.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as elapse } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { restoreBackup } from '../../src/service/backup/restore-backup.ts';
import { takeBackup } from '../../src/service/backup/take-backup.ts';
import { verifyBackup } from '../../src/service/backup/verify-backup.ts';
import { deliveriesOf } from '../../src/service/observers/webhooks/events.ts';
import type { CallRecord, JournalEntry } from '../../src/service/runtime/journal.ts';
import { program } from '../programs.ts';
import { rounds } from '../rounds.ts';
import { invite, isHungUp, playCaller, receives, request } from './scenario.ts';
import { type Service, startService } from './service.ts';

const sippProgram = program('sipp');
const ADDRESS = '127.0.0.106';
const CALLER_ADDRESS = '127.0.0.107';
const BACKUPS = rounds(20);
const CALLS_PER_SECOND = 10;
const BETWEEN_MS = 100;
/** As long as backups are made, on a machine with other work. */
const CALLS = Math.ceil((BACKUPS * BETWEEN_MS * CALLS_PER_SECOND) / 1000) * 2 + 60;

const FLOW = `
flow: mailbox
start: record
steps:
  record: { record: { beep: false, max_length: 1s, end_silence: 0s }, exits: { recorded: bye, silence: bye, error: bye } }
  bye: { hangup: normal }
`;

const HEADER_BYTES = 44;

/** Ended calls and pending events in a database. */
interface Contents {
  ended: string[];
  recordings: string[];
  events: string[];
}

function contentsOf(directory: string): Contents {
  const database = new DatabaseSync(join(directory, 'callweave.db'));
  const texts = (query: string): string[] =>
    database
      .prepare(query)
      .all()
      .map((row) => String(row['text']));
  try {
    // One moment for all three.
    database.exec('BEGIN');
    return {
      ended: texts('SELECT call_id AS text FROM calls WHERE ended_ms IS NOT NULL ORDER BY call_no'),
      recordings: texts("SELECT file AS text FROM recordings WHERE state = 'completed' ORDER BY recording_no"),
      events: texts('SELECT id AS text FROM deliveries ORDER BY delivery_no'),
    };
  } finally {
    database.close();
  }
}

/** The calls of which more or fewer events wait than their journals have. */
function incompleteCalls(directory: string): string[] {
  const database = new DatabaseSync(join(directory, 'callweave.db'));
  const waiting = database.prepare('SELECT count(*) AS count FROM deliveries WHERE order_key = ?');
  const journal = database.prepare('SELECT entries FROM journal WHERE call_no = ? ORDER BY first_seq');
  const calls = database.prepare('SELECT call_no, record FROM calls').all();
  const wrong = calls.flatMap((row) => {
    const record = JSON.parse(String(row['record'])) as CallRecord;
    const entries = journal
      .all(row['call_no']!)
      .flatMap(({ entries }) => JSON.parse(String(entries)) as JournalEntry[]);
    const events = entries.flatMap((entry) =>
      deliveriesOf(entry, record, { nextId: () => '', recordingUrl: (id) => id }),
    );
    return Number(waiting.get(record.callId)!['count']) === events.length ? [] : record.callId;
  });
  database.close();
  return wrong;
}

/** True if the file has as many bytes of audio as its header declares. */
function isWholeWav(path: string): boolean {
  const bytes = readFileSync(path);
  return bytes.length > HEADER_BYTES && bytes.readUInt32LE(HEADER_BYTES - 4) === bytes.length - HEADER_BYTES;
}

const root = mkdtempSync(join(tmpdir(), 'callweave-backups-'));
let service: Service | undefined;
afterAll(async () => {
  await service?.stop();
  rmSync(root, { recursive: true });
});

it.skipIf(sippProgram.missing)(
  `${BACKUPS} backups during ${CALLS_PER_SECOND} calls a second have every call, recording and event, and the calls lose nothing${sippProgram.why}`,
  async () => {
    service = await startService({
      directory: root,
      address: ADDRESS,
      flows: { 'mailbox.flow.yaml': FLOW },
      numbers: [{ number: '1000', flow: 'mailbox', webhook: `http://${ADDRESS}:9/events` }],
    });
    const data = join(root, 'data');
    const callers = await playCaller([invite(), receives(200), request('ACK'), isHungUp()], {
      ...{ target: service.sip, address: CALLER_ADDRESS, number: '1000' },
      ...{ calls: CALLS, rate: CALLS_PER_SECOND, withinSeconds: CALLS },
    });
    const place = (kind: string, index: number): string => join(root, `${kind}-${index}`);
    let duringCalls = 0;
    for (let index = 0; index < BACKUPS; index++) {
      const before = contentsOf(data);
      const previous = index === 0 ? undefined : place('backup', index - 1);
      const taken = await takeBackup({ dataDirectory: data, to: place('backup', index), previous, nowMs: Date.now() });
      await restoreBackup({ from: place('backup', index), dataDirectory: place('copy', index) });
      const after = contentsOf(place('copy', index));
      for (const kind of ['ended', 'recordings', 'events'] as const) {
        expect(after[kind]).toEqual(expect.arrayContaining(before[kind]));
      }
      if (taken.liveCalls > 0) duringCalls++;
      expect(taken.missing).toEqual([]);
      expect(after.recordings.filter((name) => !isWholeWav(join(place('copy', index), name)))).toEqual([]);
      expect(incompleteCalls(place('copy', index))).toEqual([]);
      if (index > 0) rmSync(place('copy', index - 1), { recursive: true });
      await elapse(BETWEEN_MS);
    }
    expect(duringCalls).toBeGreaterThan(BACKUPS / 4);

    expect(await callers.ended).toMatchObject({ successful: CALLS, failed: 0 });
    // The service writes the end of the last one a moment after the caller has it.
    await vi.waitFor(() => expect(contentsOf(data).ended).toHaveLength(CALLS), 20_000);
    const left = contentsOf(data);
    expect([left.ended.length, left.recordings.length]).toEqual([CALLS, CALLS]);
    expect(left.recordings.filter((name) => !isWholeWav(join(data, name)))).toEqual([]);
    expect(incompleteCalls(data)).toEqual([]);
    expect(service.log()).not.toMatch(/"level":"error"|"message":"(call\.crashed|store\.failing|call\.held)"/);
    // Hard-linked files have not changed since.
    for (let index = 0; index < BACKUPS; index++) {
      expect((await verifyBackup(place('backup', index))).problems).toEqual([]);
    }
    expect(existsSync(`${place('backup', 0)}.partial`)).toBe(false);
  },
  CALLS * 1000,
);
