/**
 * A running broadcast whose service is killed, again and again: in the end each of its numbers has one result, nobody who
 * answered was called again, and what became of a number is what its phone saw.
 */
import { randomInt } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as elapse } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededChance } from '../../src/core/ids.ts';
import { type Receiver, startReceiver } from '../e2e/webhook-receiver.ts';
import { Mortal } from './mortal.ts';
import { type Kind, kindOf, phoneOf, type Sight } from './phones.ts';

const KILLS = 20;
const BROADCAST = '/voice/v1/broadcast';
/** Of ten phones in a row. */
const MIX: readonly Kind[] = [
  ...(['answers', 'busy', 'answers', 'talks', 'busyAtFirst'] as const),
  ...(['answers', 'unreachable', 'talks', 'answers', 'declines'] as const),
];
/** Of so many phones one rings on: it holds a line for long. */
const SILENT_EVERY = 120;
/** At each kill so many are lost at most. */
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
/** Beside everything else that goes on; alone it is a few seconds. */
const LONGEST_MS = 240_000;

interface NumberReport {
  dialed_number: string;
  state: string;
  result: { code: string; reason: string };
  attempts: number;
}

interface Report {
  state: string;
  totals: {
    numbers: number;
    disconnected: number;
    success: number;
    failed: number;
    attempts: number;
    reasons: Record<string, number>;
  };
  result_set: NumberReport[];
  next?: string;
}

let given = 0;
/** Phones that no test has called yet. */
const phones = (count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    phoneOf(index % SILENT_EVERY === 0 ? 'silent' : MIX[index % MIX.length]!, ++given),
  );

let service: Mortal;
let receiver: Receiver;

beforeAll(async () => {
  const limits = { calls_per_second: 1000, max_concurrent: 500 };
  service = new Mortal({
    limits: { calls: 1000, requests_per_second: 10_000, request_burst: 10_000 },
    broadcasts: { ...limits, project: limits },
  });
  receiver = await startReceiver('127.0.0.1');
  await service.live();
});

afterAll(async () => {
  await service?.end();
  await receiver?.stop();
});

const create = async (numbers: readonly string[], parameters: object = {}): Promise<string> => {
  const { status, body } = await service.api('POST', BROADCAST, {
    application_name: 'reminder',
    from: '1000',
    broadcast_numbers_array: numbers,
    event_url: receiver.url,
    call_param: {
      number_of_retries: RETRIES,
      interval_between_retries: 0.05,
      ring_timeout: 1,
      calls_per_second: 500,
      max_concurrent: AT_ONCE,
      ...parameters,
    },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return String(body['app_instance']);
};

const totals = async (broadcastId: string): Promise<Report> =>
  (await service.api<Report>('GET', `${BROADCAST}/${broadcastId}?limit=0`)).body;

async function report(broadcastId: string): Promise<NumberReport[]> {
  const rows: NumberReport[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const cursor: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
    const { body } = await service.api<Report>('GET', `${BROADCAST}/${broadcastId}?limit=500${cursor}`);
    rows.push(...body.result_set);
    next = body.next;
  }
  return rows;
}

const untilOver = (broadcastId: string): Promise<void> =>
  service.until(async () => {
    await elapse(20);
    return ['completed', 'stopped'].includes((await totals(broadcastId)).state) && isTold(broadcastId);
  }, 'the end of the broadcast');

const endings = (broadcastId: string) =>
  receiver.events.filter(({ body }) => body['app_instance'] === broadcastId && body['state'] === 'broadcastcomplete');
const isTold = (broadcastId: string): boolean => endings(broadcastId).length > 0;

const count = (seen: readonly Sight[], sight: Sight): number => seen.filter((one) => one === sight).length;

/** What is wrong between what is told of a number and what its phone saw. */
function disagreements(told: NumberReport, seen: readonly Sight[], wasInFlight: boolean): string[] {
  const { state, result, attempts } = told;
  const isLost = result.reason === LOST;
  const [calls, answers] = [count(seen, 'dialled'), count(seen, 'answered')];
  const rules: Record<string, boolean> = {
    'has no result': state === 'disconnected' && (result.code === 'success') === (result.reason === 'success'),
    'answered twice': answers <= 1,
    'was called after the answer': answers === 0 || seen.lastIndexOf('dialled') < seen.indexOf('answered'),
    'was called too often': calls <= RETRIES + 1,
    'has another result': isLost || REASONS[kindOf(told.dialed_number)].includes(result.reason),
    'was answered, and did not know it': answers === 0 || isLost || result.code === 'success',
    'was not answered': answers === 1 || result.code === 'failed',
    // A call that was written down, and never made, cannot be told from one that was.
    'was lost without a call': !isLost || wasInFlight || calls < attempts,
    'has other attempts': calls === attempts || (isLost && calls === attempts - 1),
  };
  const broken = Object.keys(rules).filter((rule) => !rules[rule]);
  return broken.map((rule) => `${rule}: ${JSON.stringify(told)}, saw ${seen.join(' ')}`);
}

describe('a broadcast whose service is killed', { timeout: LONGEST_MS }, () => {
  it(`ends each number once and calls nobody again who answered, at ${KILLS} moments`, async () => {
    const seed = Number(process.env['CRASH_SEED'] ?? randomInt(2 ** 32));
    const chance = seededChance(seed);
    const numbers = phones(900);
    const broadcastId = await create(numbers);
    // What all phones together see is 60 bytes a call; two thirds of it are over at the last kill.
    const gap = (numbers.length * 60 * 0.66) / KILLS;
    for (let kill = 0; kill < KILLS; kill++) {
      await service.untilSeen(chance() * 2 * gap);
      await service.kill();
      await service.live();
    }
    expect((await totals(broadcastId)).state, `seed ${seed}: over before the last kill`).toBe('running');
    await untilOver(broadcastId);

    const rows = await report(broadcastId);
    const { byPhone, inFlight } = service.seen();
    const wrong = rows.flatMap((row) => {
      const phone = row.dialed_number;
      return disagreements(row, byPhone.get(phone) ?? [], inFlight.has(phone)).map((what) => `${phone}: ${what}`);
    });
    expect(wrong, `seed ${seed}`).toEqual([]);
    expect(rows.map(({ dialed_number: phone }) => phone)).toEqual(numbers);
    expect([...byPhone.keys()].filter((phone) => !numbers.includes(phone))).toEqual([]);

    const { state, totals: total } = await totals(broadcastId);
    const lost = rows.filter(({ result }) => result.reason === LOST).length;
    expect(state).toBe('completed');
    expect(total).toMatchObject({ numbers: numbers.length, disconnected: numbers.length });
    expect(total.success + total.failed).toBe(numbers.length);
    expect(total.attempts).toBe(rows.reduce((sum, { attempts }) => sum + attempts, 0));
    expect(Object.values(total.reasons).reduce((sum, one) => sum + one, 0)).toBe(numbers.length);
    expect(total.reasons[LOST] ?? 0).toBe(lost);
    // There were calls in flight at the kills, else nothing was tried.
    expect(lost).toBeGreaterThan(KILLS / 2);
    expect(lost).toBeLessThanOrEqual(KILLS * AT_ONCE);
    expect(total.success).toBeGreaterThan(numbers.length / 4);

    await service.kill();
    await service.live();
    expect((await totals(broadcastId)).totals).toEqual(total);
    // It may be told twice, when the service is killed before it knows that it was heard; it is the same event.
    expect(new Set(endings(broadcastId).map(({ id }) => id)).size).toBe(1);
    expect(endings(broadcastId)[0]!.body['resultSet']).toEqual({
      successfull_calls: total.success,
      failed_calls: total.failed,
    });
  });

  it('calls again who may have answered when that is ordered, and loses nobody', async () => {
    const numbers = phones(240);
    const broadcastId = await create(numbers, { redial_lost: true });
    for (let kill = 0; kill < 2; kill++) {
      await service.untilSeen(4000);
      await service.kill();
      await service.live();
    }
    await untilOver(broadcastId);
    const { byPhone, inFlight } = service.seen();
    for (const { dialed_number: phone, result } of await report(broadcastId)) {
      const seen = byPhone.get(phone) ?? [];
      expect(REASONS[kindOf(phone)], phone).toContain(result.reason);
      if (count(seen, 'answered') > 1) expect(inFlight).toContain(phone);
    }
    expect(numbers.filter((phone) => inFlight.has(phone)).length).toBeGreaterThan(0);
  });

  it('leaves nothing of one that was being made', async () => {
    const { broadcasts: before } = (await service.api('GET', BROADCAST)).body;
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
      expect((await service.api('GET', BROADCAST)).body['broadcasts']).toEqual(before);
      // What is left over is swept up beside the calls.
      await service.until(() => pieces.get()!['pieces'] === 0, 'what was left over is gone');
    }
    const left = database.prepare('SELECT count(*) AS rows FROM broadcast_numbers WHERE phone IN (?, ?)');
    expect(left.get(numbers.at(0)!, numbers.at(-1)!)).toEqual({ rows: 0 });
    database.close();
    const { byPhone } = service.seen();
    expect(numbers.filter((phone) => byPhone.has(phone))).toEqual([]);
  });

  it('dials nobody after it was stopped', async () => {
    const numbers = phones(1000);
    const broadcastId = await create(numbers);
    await service.untilSeen(3000);
    expect(await service.api('DELETE', `${BROADCAST}/${broadcastId}`)).toMatchObject({ status: 200 });
    await service.kill();
    const before = service.seen();
    await service.live();
    await untilOver(broadcastId);
    const { totals: total, state } = await totals(broadcastId);
    expect(state).toBe('stopped');
    expect(total.disconnected).toBe(numbers.length);
    expect(total.reasons['Broadcast Stopped']).toBeGreaterThan(numbers.length / 2);
    expect(service.seen().byPhone).toEqual(before.byPhone);
    expect(endings(broadcastId)[0]!.body).toMatchObject({ stopped: true });
  });
});
