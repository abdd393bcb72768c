/**
 * Broadcast whose service is killed repeatedly: in the end each number has one result, which matches the calls of its
 * phone, and no number that answered was called again.
 */
import { randomInt } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as elapse } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import type { NumberPage } from '../../src/service/calls/broadcast/broadcasts.ts';
import { Mortal } from './mortal.ts';
import { type Kind, kindOf, phoneOf, type Sight } from './phones.ts';

const KILLS = 20;
const PROJECT = 'demo';
/** Behaviour of ten consecutive phones. */
const MIX: readonly Kind[] = [
  ...(['answers', 'busy', 'answers', 'talks', 'busyAtFirst'] as const),
  ...(['answers', 'unreachable', 'talks', 'answers', 'declines'] as const),
];
/** One of this many phones does not answer, so that it occupies a line for a long time. */
const SILENT_EVERY = 120;
/** Concurrent calls, which is also the maximum number of calls lost in a kill. */
const AT_ONCE = 12;
const RETRIES = 1;
const REASONS: Readonly<Record<Kind, readonly string[]>> = {
  busy: ['Busy'],
  answers: ['success'],
  talks: ['success'],
  silent: ['No Answer'],
  unreachable: ['Temporary Failure'],
  declines: ['Call Rejected'],
  busyAtFirst: ['success'],
};
const LOST = 'Service Restarted';
/** Time limit under the load of all other tests; alone, the test takes a few seconds. */
const MAX_MS = 240_000;

type Row = NumberPage['rows'][number];

let given = 0;
/** Returns phones that no test has called yet. */
const phones = (count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    phoneOf(index % SILENT_EVERY === 0 ? 'silent' : MIX[index % MIX.length]!, ++given),
  );

let service: Mortal;

beforeAll(async () => {
  service = new Mortal();
  await service.live();
});

afterAll(() => service?.end());

const create = async (numbers: readonly string[], { redialLost = false } = {}): Promise<string> => {
  const again = { retries: RETRIES, intervalMs: 50 };
  const never = { retries: 0, intervalMs: 0 };
  const { broadcast } = await service.ask(
    'create',
    {
      projectId: PROJECT,
      name: 'reminder',
      from: '1000',
      eventUrl: 'https://application.example/events',
      action: { type: 'flow', flow: 'talk', input: {} },
      autoRecord: false,
      pacing: { callsPerSecond: 500, maxConcurrent: AT_ONCE },
      retry: { busy: again, no_answer: again, unreachable: again, declined: never },
      ringTimeoutMs: 200,
      idleTimeoutMs: 0,
      redialLost,
    },
    numbers.map((phone) => ({ phone })),
  );
  return broadcast.order.broadcastId;
};

const stateOf = async (broadcastId: string) => (await service.ask('find', PROJECT, broadcastId)).state;
const countsOf = (broadcastId: string) => service.ask('counts', PROJECT, broadcastId);
const rowsOf = async (broadcastId: string): Promise<Row[]> =>
  (await service.ask('report', PROJECT, broadcastId, { limit: 10_000 })).rows;

const untilOver = (broadcastId: string): Promise<void> =>
  service.until(async () => {
    await elapse(10);
    return (await service.ask('find', PROJECT, broadcastId)).endedMs !== undefined;
  }, 'the end of the broadcast');

/** Final events of the broadcast in the outbox. */
function endings(broadcastId: string): unknown[] {
  const database = new DatabaseSync(service.database, { readOnly: true });
  const rows = database.prepare('SELECT body FROM deliveries WHERE waits_for = ?').all(broadcastId);
  database.close();
  const told = rows.map(({ body }) => JSON.parse(String(body)) as Record<string, unknown>);
  return told.filter(({ state }) => state === 'broadcastcomplete');
}

const count = (seen: readonly Sight[], sight: Sight): number => seen.filter((one) => one === sight).length;

/** Differences between the reported result of a number and the log of its phone. */
function disagreements(told: Row, seen: readonly Sight[]): string[] {
  const { state, phone, attempts } = told;
  const { code, reason } = told.result ?? { code: 'none', reason: 'none' };
  const isLost = reason === LOST;
  const [calls, answers] = [count(seen, 'dialled'), count(seen, 'answered')];
  const rules: Record<string, boolean> = {
    'has no result': state === 'done' && (code === 'success') === (reason === 'success'),
    'answered twice': answers <= 1,
    'was called after the answer': answers === 0 || seen.lastIndexOf('dialled') < seen.indexOf('answered'),
    'was called too often': calls <= RETRIES + 1,
    'has another result': isLost || REASONS[kindOf(phone)].includes(reason),
    'was answered, and did not know it': answers === 0 || isLost || code === 'success',
    'was not answered': answers === 1 || code === 'failed',
    // A call that was stored but not dialled cannot be distinguished from a dialled one.
    'was lost in a life that went on': !isLost || calls < attempts || seen.at(-1) === 'killed',
    'has other attempts': calls === attempts || (isLost && calls === attempts - 1),
  };
  const broken = Object.keys(rules).filter((rule) => !rules[rule]);
  return broken.map((rule) => `${phone} ${rule}: ${JSON.stringify(told)}, saw ${seen.join(' ')}`);
}

describe('a broadcast whose service is killed', { timeout: MAX_MS }, () => {
  it(`ends each number once and calls no answered number again, at ${KILLS} moments`, async () => {
    const seed = Number(process.env['CRASH_SEED'] ?? randomInt(2 ** 32));
    const random = seededRandom(seed);
    const numbers = phones(900);
    const broadcastId = await create(numbers);
    // The logs of all phones grow to about 60 bytes a number. The last kill occurs at 25 bytes a number or earlier.
    const moments = Array.from({ length: KILLS }, () => random() * numbers.length * 25).sort((a, b) => a - b);
    for (const [kill, moment] of moments.entries()) {
      await service.untilSeen(moment - (moments[kill - 1] ?? 0));
      await service.kill();
      await service.live();
    }
    expect(await stateOf(broadcastId), `seed ${seed}: over before the last kill`).toBe('running');
    await untilOver(broadcastId);

    const rows = await rowsOf(broadcastId);
    const { byPhone, lastLife } = service.seen();
    const wrong = rows.flatMap((row) => disagreements(row, byPhone.get(row.phone) ?? []));
    expect(wrong, `seed ${seed}`).toEqual([]);
    expect(rows.map(({ phone }) => phone)).toEqual(numbers);
    expect([...byPhone.keys()].filter((phone) => !numbers.includes(phone))).toEqual([]);

    const counts = await countsOf(broadcastId);
    const lost = rows.filter(({ result }) => result?.reason === LOST);
    expect(await stateOf(broadcastId)).toBe('completed');
    expect(counts).toMatchObject({ numbers: numbers.length, done: numbers.length, queued: 0, calling: 0 });
    expect(counts.success + counts.failed).toBe(numbers.length);
    expect(counts.attempts).toBe(rows.reduce((sum, { attempts }) => sum + attempts, 0));
    expect(Object.values(counts.reasons).reduce((sum, one) => sum + one, 0)).toBe(numbers.length);
    expect(counts.reasons[LOST] ?? 0).toBe(lost.length);
    // Some kills must have interrupted calls, otherwise the test proves nothing.
    expect(lost.length).toBeGreaterThan(KILLS / 2);
    // A kill loses at most the calls in progress.
    const dialled = lost.filter(({ phone, attempts }) => count(byPhone.get(phone) ?? [], 'dialled') === attempts);
    for (const some of Object.values(Object.groupBy(dialled, ({ phone }) => lastLife.get(phone)!))) {
      expect(some!.length).toBeLessThanOrEqual(AT_ONCE);
    }
    expect(counts.success).toBeGreaterThan(numbers.length / 4);

    await service.kill();
    await service.live();
    expect(await countsOf(broadcastId)).toEqual(counts);
    const told = { successfull_calls: counts.success, failed_calls: counts.failed };
    expect(endings(broadcastId)).toEqual([expect.objectContaining({ resultSet: told })]);
  });

  it('calls numbers again that may have answered if so ordered, and loses none', async () => {
    const numbers = phones(240);
    const broadcastId = await create(numbers, { redialLost: true });
    for (let kill = 0; kill < 2; kill++) {
      await service.untilSeen(4000);
      await service.kill();
      await service.live();
    }
    await untilOver(broadcastId);
    const { byPhone } = service.seen();
    for (const { phone, result, attempts } of await rowsOf(broadcastId)) {
      const seen = byPhone.get(phone) ?? [];
      expect(REASONS[kindOf(phone)], phone).toContain(result?.reason);
      expect(seen.join(' '), phone).not.toMatch(/answered (ended )?dialled/);
      expect(count(seen, 'dialled')).toBeLessThanOrEqual(attempts);
    }
    const again = [...byPhone.values()].filter((seen) => /killed dialled/.test(seen.join(' ')));
    expect(again.length).toBeGreaterThan(0);
  });

  it('removes a broadcast whose creation was interrupted', async () => {
    const before = await service.ask('list', { projectId: PROJECT, limit: 100 });
    const numbers = phones(30_000);
    const database = new DatabaseSync(service.database, { readOnly: true });
    const lastNo = 'SELECT max(broadcast_no) FROM broadcasts';
    const rows = database.prepare(
      `SELECT max(number) AS written FROM broadcast_numbers WHERE broadcast_no = (${lastNo})`,
    );
    const pieces = database.prepare('SELECT count(*) AS pieces FROM broadcasts WHERE whole = 0');
    for (const some of [1, 20_000]) {
      const created = create(numbers).catch(() => 'killed');
      await service.until(() => pieces.get()!['pieces'] === 1, 'it is being made');
      await service.until(() => Number(rows.get()!['written']) >= some, 'some of its numbers are written');
      await service.kill();
      expect(await created).toBe('killed');
      expect(pieces.get()).toEqual({ pieces: 1 });
      await service.live();
      expect(await service.ask('list', { projectId: PROJECT, limit: 100 })).toEqual(before);
      // Leftovers are removed concurrently with the calls.
      await service.until(() => pieces.get()!['pieces'] === 0, 'what was left over is gone');
    }
    const left = database.prepare('SELECT count(*) AS rows FROM broadcast_numbers WHERE phone IN (?, ?)');
    expect(left.get(numbers.at(0)!, numbers.at(-1)!)).toEqual({ rows: 0 });
    database.close();
    const { byPhone } = service.seen();
    expect(numbers.filter((phone) => byPhone.has(phone))).toEqual([]);
  });

  it('dials no number after it was stopped', async () => {
    const numbers = phones(1000);
    const broadcastId = await create(numbers);
    await service.untilSeen(3000);
    await service.ask('stop', PROJECT, broadcastId, { hangUp: false });
    await service.kill();
    const before = service.seen();
    await service.live();
    await untilOver(broadcastId);
    const counts = await countsOf(broadcastId);
    expect(await stateOf(broadcastId)).toBe('stopped');
    expect(counts.done).toBe(numbers.length);
    expect(counts.reasons['Broadcast Stopped']).toBeGreaterThan(numbers.length / 2);
    expect(service.seen().byPhone).toEqual(before.byPhone);
    expect(endings(broadcastId)).toEqual([expect.objectContaining({ stopped: true })]);
  });
});
