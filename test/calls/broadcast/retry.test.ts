/** Rules of retries: which calls are repeated, when, and the final result. */
import { describe, expect, it } from 'vitest';
import { causeOf, causeOfSip, NORMAL_CLEARING } from '../../../src/base/core/causes.ts';
import type { CalleePlan } from '../../../src/media/telephony/simulated/far-end.ts';
import type { NegativeOutcome } from '../../../src/service/calls/broadcast/broadcast.ts';
import { resultOf, retryAfterMs } from '../../../src/service/calls/broadcast/retry.ts';
import type { CallRecord } from '../../../src/service/runtime/journal.ts';
import { phones, Rig, retries } from './rig.ts';

const [PHONE] = phones(1) as [string];

const record = (more: Partial<CallRecord>): CallRecord => ({
  ...{ callId: 'c1', projectId: 'shop', direction: 'outbound', from: '1000', to: PHONE, state: 'disconnected' },
  ...{ flow: 'f', flowHash: 'h', startedMs: 0, endedMs: 9000, cause: NORMAL_CLEARING },
  ...more,
});

const judge = (more: Partial<CallRecord>, state: { attempts?: number; stopped?: boolean } = {}) =>
  resultOf(
    record(more),
    { retry: retries(2, 5000) },
    { attempts: state.attempts ?? 1, stopped: state.stopped ?? false, nowMs: 10_000 },
  );

describe('a negative outcome', () => {
  const KINDS: [NegativeOutcome, number[]][] = [
    ['busy', [17]],
    ['no_answer', [18, 19, 26]],
    ['declined', [16, 21, 57]],
    ['unreachable', [3, 20, 27, 31, 34, 38, 41, 42, 63, 79, 102, 111, 127]],
  ];
  const CASES = KINDS.flatMap(([setback, codes]) => codes.map((code) => [setback, code] as const));

  it.each(CASES)('is retried after %s (cause %d) by its own rule', (setback, code) => {
    const cause = causeOf(code);
    const policy = { ...retries(0), [setback]: { retries: 2, intervalMs: 7000 } };
    expect([1, 2, 3, 4].map((attempts) => retryAfterMs(cause, attempts, policy))).toEqual([
      7000,
      7000,
      undefined,
      undefined,
    ]);
    const others = { ...retries(9, 7000), [setback]: { retries: 0, intervalMs: 7000 } };
    expect(retryAfterMs(cause, 1, others)).toBeUndefined();
  });

  it.each([1, 22, 28, 65])('is final if another call would not change it (cause %d)', (code) => {
    expect(retryAfterMs(causeOf(code), 1, retries(9))).toBeUndefined();
  });

  it('counts all calls that were made, whatever their outcome', () => {
    const policy = { ...retries(3), no_answer: { retries: 1, intervalMs: 1000 } };
    expect(retryAfterMs(causeOf(17), 2, policy)).toBe(5000);
    expect(retryAfterMs(causeOf(19), 2, policy)).toBeUndefined();
  });

  it.each([
    ['busy', { cause: causeOf(17) }, 'Busy', 17],
    ['nobody answers', { cause: causeOf(19) }, 'No Answer', 19],
    ['declined', { cause: causeOf(21) }, 'Call Rejected', 21],
    ['no such number', { cause: causeOf(1) }, 'Unallocated Number', 1],
    ['the network is down', { cause: causeOf(38) }, 'Network Out Of Order', 38],
  ])('reports %s in the words of Q.850', (_, more, reason, cause) => {
    expect(judge(more, { attempts: 9 })).toEqual({
      attempt: { callId: 'c1', endedMs: 9000, cause: more.cause },
      result: { code: 'failed', reason, cause },
    });
  });

  it('is retried after an interval from the end of the call', () => {
    expect(judge({ cause: causeOf(17) }).againMs).toBe(14_000);
    expect(judge({ cause: causeOf(17) }, { stopped: true }).againMs).toBeUndefined();
  });

  it('is reported as such if the stop of the broadcast caused it', () => {
    expect(judge({}, { stopped: true }).result).toEqual({ code: 'failed', reason: 'Broadcast Stopped', cause: 16 });
    expect(judge({ cause: causeOf(17) }, { stopped: true }).result.reason).toBe('Busy');
  });
});

describe('an answer', () => {
  const answered = { answeredMs: 5000, cause: NORMAL_CLEARING, output: { digits: '1' } };

  it('is final, however the call ended', () => {
    for (const code of [16, 17, 31, 38, 41]) {
      const { result, attempt, againMs } = judge({ ...answered, cause: causeOf(code) });
      expect(result).toEqual({ code: 'success', reason: 'success', cause: code });
      expect(attempt).toMatchObject({ answeredMs: 5000, output: { digits: '1' } });
      expect(againMs).toBeUndefined();
    }
  });

  it.each([
    ['human', 'hang_up', 'success', 'success'],
    ['unknown', 'hang_up', 'success', 'success'],
    ['machine', 'hang_up', 'failed', 'AMD'],
    ['machine', 'same', 'success', 'AMD'],
    ['fax', 'hang_up', 'failed', 'AMD'],
    ['fax', 'same', 'failed', 'AMD'],
  ] as const)('is judged by %s, with %s for machines, as %s: %s', (answeredBy, onMachine, code, reason) => {
    const detection = { timeoutMs: 5000, awaitBeepMs: 0, onMachine };
    const { result } = resultOf(
      record({ ...answered, answeredBy }),
      { retry: retries(2), detection },
      { attempts: 1, stopped: false, nowMs: 0 },
    );
    expect(result).toEqual({ code, reason, cause: 16 });
  });

  it('counts a machine like a person without machine detection', () => {
    expect(judge({ ...answered, answeredBy: 'machine' }).result.reason).toBe('success');
  });
});

describe('numbers that are called again', () => {
  const PLANS: [name: string, plan: CalleePlan, setback: NegativeOutcome | undefined, reason: string][] = [
    ['busy', { does: 'busy' }, 'busy', 'Busy'],
    ['silent', { does: 'no_answer' }, 'no_answer', 'No Answer'],
    ['declining', { does: 'declined' }, 'declined', 'Call Rejected'],
    ['unreachable', { does: 'unreachable' }, 'unreachable', 'No Route To Destination'],
    ['away', { does: 'fail', sipStatus: 480 }, 'no_answer', causeOfSip(480).reason],
    ['behind a broken network', { does: 'fail', sipStatus: 503 }, 'unreachable', 'Temporary Failure'],
    ['unallocated', { does: 'fail', sipStatus: 404 }, undefined, 'Unallocated Number'],
    ['gone', { does: 'fail', sipStatus: 410 }, undefined, 'Number Changed'],
    ['incomplete', { does: 'fail', sipStatus: 484 }, undefined, 'Invalid Number Format'],
  ];
  const SETBACKS: readonly NegativeOutcome[] = ['busy', 'no_answer', 'declined', 'unreachable'];

  it.each(PLANS)('are retried after %s as often as its own rule says', async (_, plan, setback, reason) => {
    for (const ruled of SETBACKS) {
      const rig = Rig.open({ callee: () => plan });
      const id = await rig.create([PHONE], { retry: retries(2, 4000, ruled) });
      await rig.finish(id);
      const calls = ruled === setback ? 3 : 1;
      expect(rig.dials).toHaveLength(calls);
      expect(await rig.results(id)).toEqual({ [PHONE]: `failed ${reason} ${calls}` });
      const gaps = rig.dials.slice(1).map(({ atMs }, index) => atMs - rig.dials[index]!.atMs);
      const callMs = plan.does === 'no_answer' ? 30_000 : 0;
      expect(gaps).toEqual(Array.from({ length: calls - 1 }, () => 4000 + callMs));
    }
  });

  it('are retried after the interval of the latest outcome', async () => {
    const plans: CalleePlan[] = [
      { does: 'busy' },
      { does: 'declined' },
      { does: 'busy' },
      { does: 'answer', talkMs: 1 },
    ];
    const rig = Rig.open({ callee: (_to, attempt) => plans[attempt - 1]! });
    const retry = { ...retries(3, 2000), declined: { retries: 3, intervalMs: 60_000 } };
    const id = await rig.create([PHONE], { retry });
    await rig.finish(id);
    expect(rig.dials.map(({ atMs }) => atMs - rig.startMs)).toEqual([0, 2000, 62_000, 64_000]);
    expect(await rig.results(id)).toEqual({ [PHONE]: 'success success 4' });
  });

  it('are never retried once they were connected', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'answer', afterMs: 10, talkMs: 1 }) });
    const id = await rig.create(phones(20), { retry: retries(5, 0) });
    await rig.finish(id);
    expect(rig.dials).toHaveLength(20);
  });

  it('are retried at once without an interval', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'busy' }) });
    const id = await rig.create([PHONE], { retry: retries(3, 0), pacing: { callsPerSecond: 2 } });
    await rig.finish(id);
    expect(await rig.results(id)).toEqual({ [PHONE]: 'failed Busy 4' });
    expect(rig.dials.map(({ atMs }) => atMs - rig.startMs)).toEqual([0, 500, 1000, 1500]);
  });

  it('are dialled before numbers that were never called', async () => {
    const [first, ...others] = phones(30);
    const rig = Rig.open({ callee: (to) => (to === first ? { does: 'busy' } : { does: 'answer', talkMs: 100 }) });
    const id = await rig.create([first!, ...others], { retry: retries(1, 1000), pacing: { callsPerSecond: 1 } });
    await rig.finish(id);
    // Numbers prefetched before the retry was due go first.
    expect(rig.dials.map(({ to }) => to).lastIndexOf(first!)).toBeLessThanOrEqual(32);
    expect(rig.dials).toHaveLength(31);
  });
});
