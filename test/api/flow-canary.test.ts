/** Candidates of flows, canaries that some callers get, and publishing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Administrator, administered } from './admin-client.ts';
import type { ApiRig, ApiRigOptions } from './rig.ts';

const flow = (name: string, ...steps: string[]): string =>
  `flow: ${name}\nstart: go\ndefaults: { exits: { error: $end } }\nsteps:\n${steps.map((step) => `  ${step}\n`).join('')}`;

const OLD = flow('hello', 'go: { log: old, next: $end }');
const NEW = flow('hello', 'go: { log: new, next: $end }');

const config = 'numbers: [{ number: "1000", flow: hello }, { number: "1001", flow: hello }]\n';

interface Canary {
  state: string;
  ended?: { why: string; by: string };
  compared: Record<'in_force' | 'canary', { version: string; calls: number; errors: number; abandoned: number }>;
}

async function opened(options: ApiRigOptions = {}) {
  const { rig, admin } = await administered({ flows: { hello: OLD }, config, ...options });
  const keep = async (text: string): Promise<string> => {
    const { status, body, text: answer } = await admin('POST', '/flows/hello/versions', { text });
    if (status !== 201) throw new Error(answer);
    return String(body['hash']);
  };
  const canary = async (): Promise<Canary> => (await admin('GET', '/flows/hello/canary')).body as unknown as Canary;
  return { rig, admin, keep, canary };
}

const start = (admin: Administrator, order: object) => admin('PUT', '/flows/hello/canary', order);

/** Each of these callers calls once; the versions that they got. */
async function callsOf(rig: ApiRig, callers: readonly string[], to = '1000'): Promise<Map<string, string>> {
  const before = new Set(rig.store.calls.list(ALL).map(({ record }) => record.callId));
  for (let first = 0; first < callers.length; first += CALLS_AT_ONCE) {
    for (const caller of callers.slice(first, first + CALLS_AT_ONCE)) rig.call(to, caller);
    await rig.pass(500);
  }
  const calls = rig.store.calls.list(ALL).filter(({ record }) => !before.has(record.callId));
  return new Map(calls.map(({ record }) => [record.from, record.flowHash]));
}

/** Below `limits.calls`. */
const CALLS_AT_ONCE = 100;
const ALL = { projectId: 'shop', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1, limit: 5000 };

const callers = (count: number, first = 0): string[] =>
  Array.from({ length: count }, (_, index) => `+3361${String(first + index).padStart(7, '0')}`);

const having = (versions: ReadonlyMap<string, string>, version: string): string[] =>
  [...versions].filter(([, had]) => had === version).map(([caller]) => caller);

describe('a candidate', () => {
  it('is kept beside the version in force, drawn, and the same when it is kept again', async () => {
    const { rig, admin, keep } = await opened();
    const inForce = (await admin('GET', '/flows/hello')).body['hash'];
    const kept = await admin('POST', '/flows/hello/versions', { text: NEW });
    expect([kept.status, kept.body]).toEqual([
      201,
      {
        ...{ hash: expect.stringMatching(/^[0-9a-f]{64}$/), in_force: false, calls: 0 },
        ...{ first_seen: expect.any(String), author: expect.stringMatching(/^token from /) },
      },
    ]);
    const hash = String(kept.body['hash']);
    expect(await keep(`${NEW}# the same in other words\n`)).toBe(hash);
    const { body } = await admin('GET', '/flows/hello/versions');
    expect(body['versions']).toMatchObject([
      { hash: inForce, in_force: true },
      { hash, in_force: false },
    ]);
    expect((await admin('GET', `/flows/hello/versions/${hash}`)).body['text']).toContain('the same in other words');
    const graph = await rig.request('GET', `/voice/v1/flow/hello/graph?version=${hash}`);
    expect(graph.body).toMatchObject({ hash, steps: [{ name: 'go', about: 'new' }] });
    expect(await callsOf(rig, callers(1))).toEqual(new Map([[callers(1)[0], inForce]]));
    expect(readFileSync(join(rig.directory, 'hello.flow.yaml'), 'utf8')).toBe(OLD);
  });

  it('that is the version in force stays that', async () => {
    const { admin } = await opened();
    const { status, body } = await admin('POST', '/flows/hello/versions', { text: `${OLD}# a comment\n` });
    expect([status, body['in_force']]).toEqual([201, true]);
    expect((await admin('GET', `/flows/hello/versions/${body['hash']}`)).body['text']).toBe(OLD);
  });

  it('is refused with errors, of another flow, of none, and of one that comes with the program', async () => {
    const { admin } = await opened();
    const post = (name: string, text: string) => admin('POST', `/flows/${name}/versions`, { text });
    const broken = await post('hello', NEW.replace('next: $end', 'next: nowhere'));
    expect([broken.status, broken.body['diagnostics']]).toMatchObject([
      422,
      [{ code: 'unknown-target', file: 'hello.flow.yaml', line: 5 }],
    ]);
    expect((await post('hello', flow('other', 'go: { log: x, next: $end }'))).body['msg']).toBe(
      'the text is that of the flow other, not of hello',
    );
    expect((await post('nobody', NEW)).status).toBe(404);
    expect((await post('rest-control', 'flow: rest-control')).status).toBe(409);
    expect((await post('hello', 'x'.repeat(1_000_001))).status).toBe(400);
  });
});

describe('a canary', () => {
  it('takes its share of 500 callers, always the same ones, and more when it is raised', async () => {
    const { rig, admin, keep } = await opened();
    const version = await keep(NEW);
    const started = await start(admin, { version, percent: 20 });
    expect([started.status, started.body]).toMatchObject([
      200,
      {
        ...{ version, percent: 20, state: 'on' },
        back_when: { errors_worse_by: 5, abandoned_worse_by: 10, after_calls: 20 },
        compared: { canary: { version, calls: 0 }, in_force: { calls: 0 } },
      },
    ]);
    const all = callers(500);
    const first = having(await callsOf(rig, all), version);
    // 100 of 500; four standard deviations to either side.
    expect(Math.abs(first.length - 100)).toBeLessThanOrEqual(36);
    expect(having(await callsOf(rig, all), version).sort()).toEqual([...first].sort());

    await start(admin, { version, percent: 50 });
    const more = having(await callsOf(rig, all, '1001'), version);
    expect(first.filter((caller) => !more.includes(caller))).toEqual([]);
    expect(Math.abs(more.length - 250)).toBeLessThanOrEqual(45);
    await start(admin, { version, percent: 100 });
    expect(having(await callsOf(rig, all), version)).toHaveLength(500);
  });

  it('knows a caller by whatever marks the number is written with, and one without a number by the call', async () => {
    const { rig, admin, keep } = await opened();
    const version = await keep(NEW);
    await start(admin, { version, percent: 50 });
    const all = callers(40);
    const plain = having(await callsOf(rig, all), version);
    const written = all.map((number) => number.replace('+', 'tel:').replace(/(\d{4})(?=\d)/g, '$1-'));
    const marked = having(await callsOf(rig, written), version);
    expect(marked.sort()).toEqual(written.filter((_, index) => plain.includes(all[index]!)).sort());
    for (let n = 0; n < 40; n++) rig.call('1000', 'anonymous');
    await rig.pass(1000);
    const hidden = rig.store.calls.list(ALL).filter(({ record }) => record.from === 'anonymous');
    expect(new Set(hidden.map(({ record }) => record.flowHash)).size).toBe(2);
  });
});
