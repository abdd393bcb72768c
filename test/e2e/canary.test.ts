/** A canary on the started service: real calls of 500 callers, and its automatic end. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { invite, isHungUp, playCaller, receives, request } from './scenario.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.104';
const FAR = '127.0.0.105';
const TOKEN = 'a-token-of-the-administrator';
const CALLS_PER_SECOND = 80;

const hello = (...steps: string[]): string =>
  ['flow: hello', 'start: go', 'defaults: { exits: { error: $end } }', 'steps:', ...steps, ''].join('\n');
const OLD = hello('  go: { answer: {}, next: bye }', '  bye: { hangup: {} }');
const NEW = hello('  go: { answer: {}, next: bye }', '  bye: { hangup: normal }');
const FAULTY = hello('  go: { answer: {}, next: fail }', '  fail: { log: "${ $number(\'x\') }", next: $end }');

interface Call {
  from: string;
  flow_hash: string;
  ended?: string;
}

const sipp = program('sipp');

describe.skipIf(sipp.missing)(`a canary on the started service${sipp.why}`, () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-canary-')),
      address: ADDRESS,
      numbers: [{ number: '1000', flow: 'hello' }],
      flows: { 'hello.flow.yaml': OLD },
      more: { admin: { token: TOKEN } },
    });
  });

  afterAll(async () => expect(await service?.stop()).toBe(0));

  const admin = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const authorization = `Bearer ${TOKEN}`;
    return (await service.api(method, `/admin/v1/flows/hello${path}`, body, { authorization })).body;
  };
  const keep = async (text: string): Promise<string> => String((await admin('POST', '/versions', { text }))['hash']);

  /** Every one of them calls, is answered and hung up on. */
  const call = async (callers: readonly string[]): Promise<void> => {
    const steps = [invite(), receives(200), request('ACK'), isHungUp()];
    const options = { address: FAR, port: 5066, target: service.sip, number: '1000', withinSeconds: 30 };
    const played = await playCaller(steps, { ...options, callers, rate: CALLS_PER_SECOND });
    const { successful, failed, output } = await played.ended;
    expect({ successful, failed }, output.slice(-5000)).toEqual({ successful: callers.length, failed: 0 });
  };

  /** The versions that callers got, once all their calls have ended. */
  const versions = async (): Promise<Map<string, Set<string>>> => {
    for (;;) {
      const calls: Call[] = [];
      for (let cursor = ''; cursor !== 'none'; ) {
        const { body } = await service.api('GET', `/voice/v1/call?limit=100${cursor}`);
        calls.push(...(body['calls'] as Call[]));
        cursor = body['next'] === undefined ? 'none' : `&cursor=${encodeURIComponent(String(body['next']))}`;
      }
      if (calls.every(({ ended }) => ended !== undefined)) {
        const grouped = Map.groupBy(calls, ({ from }) => from);
        return new Map([...grouped].map(([from, own]) => [from, new Set(own.map((each) => each.flow_hash))]));
      }
    }
  };

  it('takes 20 % of 500 callers, always the same ones', async () => {
    const version = await keep(NEW);
    expect(await admin('PUT', '/canary', { version, percent: 20 })).toMatchObject({ state: 'on' });
    const callers = Array.from({ length: 500 }, (_, index) => `33612${String(index).padStart(6, '0')}`);
    await call(callers);
    const got = await versions();
    expect([got.size, [...got.values()].every((own) => own.size === 1)]).toEqual([500, true]);
    const taken = callers.filter((caller) => got.get(caller)?.has(version));
    // 100 of 500; four standard deviations to either side.
    expect(Math.abs(taken.length - 100)).toBeLessThanOrEqual(36);
    await call(callers.slice(0, 100));
    const again = await versions();
    expect(callers.filter((caller) => again.get(caller)?.size !== 1)).toEqual([]);
    const first = taken.filter((caller) => callers.indexOf(caller) < 100);
    expect(await admin('GET', '/canary')).toMatchObject({
      state: 'on',
      compared: {
        canary: { version, calls: taken.length + first.length, errors: 0, abandoned: 0 },
        in_force: { calls: 600 - taken.length - first.length, errors: 0, abandoned: 0 },
      },
    });
  });

  it('ends automatically when its calls end in errors', async () => {
    const version = await keep(FAULTY);
    await admin('PUT', '/canary', { version, percent: 50 });
    const callers = Array.from({ length: 100 }, (_, index) => `33712${String(index).padStart(6, '0')}`);
    await call(callers);
    await versions();
    expect(await admin('GET', '/canary')).toMatchObject({
      state: 'returned',
      ended: { why: 'errors', by: 'callweave' },
      compared: { canary: { version, calls: 20, errors: 20 }, in_force: { errors: 0 } },
    });
    const late = Array.from({ length: 40 }, (_, index) => `33812${String(index).padStart(6, '0')}`);
    await call(late);
    const got = await versions();
    expect(late.filter((caller) => got.get(caller)?.has(version))).toEqual([]);
    expect(service.log()).toContain('canary.returned');
  });
});
