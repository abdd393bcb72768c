/**
 * A full disk, or a database locked by another process: calls are not disturbed, new ones are refused with a retry
 * hint, and no event is lost. The full disk is a small tmpfs, if one can be mounted.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import type { FarEnd } from '../../src/media/telephony/simulated/far-end.ts';
import type { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { BROADCAST, createBroadcast } from '../api/broadcast-rig.ts';
import { ApiRig, SHOP } from '../api/rig.ts';

const SIZE = '4m';

const mounts: string[] = [];

function mounted(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-small-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=700`, 'tmpfs', directory]);
  if (status !== 0) return undefined;
  mounts.push(directory);
  return directory;
}

afterEach(() => {
  for (const directory of mounts.splice(0)) spawnSync('umount', ['-l', directory]);
});

const mayMount = (): boolean => {
  const directory = mounted();
  if (directory === undefined) return false;
  spawnSync('umount', [mounts.pop()!]);
  return true;
};
const canMount = mayMount();

interface Trouble {
  why: string;
  directory(): string;
  begin(directory: string): void;
  end(directory: string): void;
}

const FULL: Trouble = {
  why: 'disk_full',
  directory: () => mounted()!,
  begin(directory) {
    const filler = openSync(join(directory, 'filler'), 'w');
    for (const bytes of [65_536, 4096, 1]) {
      try {
        for (;;) writeSync(filler, Buffer.alloc(bytes));
      } catch {
        // No room for another one of this size.
      }
    }
    closeSync(filler);
  },
  end: (directory) => rmSync(join(directory, 'filler')),
};

let holder: DatabaseSync | undefined;

const LOCKED: Trouble = {
  why: 'locked',
  directory: () => mkdtempSync(join(tmpdir(), 'callweave-held-')),
  begin(directory) {
    holder = new DatabaseSync(join(directory, 'callweave.db'));
    holder.exec('BEGIN IMMEDIATE');
  },
  end() {
    holder?.close();
    holder = undefined;
  },
};

const HONEST = `
flow: honest
start: ask
steps:
  ask:
    collect: { prompt: Press a key., digits: { max: 1 }, start_timeout: 60s, attempts: 1 }
    exits: { collected: thanks, exhausted: bye, error: bye }
  thanks: { play: 'You pressed \${ steps.ask.digits }.', next: tell, exits: { error: tell } }
  tell: { notify: { event: pressed, body: { key: '\${ steps.ask.digits }' } }, next: ask }
  bye: { hangup: }
`;

const CONFIG = 'numbers: [{ number: "1000", flow: honest, webhook: HOOK }]\n';

async function open(trouble: Trouble): Promise<{ rig: ApiRig; directory: string }> {
  const directory = trouble.directory();
  const rig = await ApiRig.open({
    config: CONFIG,
    flows: { honest: HONEST },
    storeOn: (clock) => openSqliteStore({ file: join(directory, 'callweave.db'), clock }),
  });
  return { rig, directory };
}

/** A real disk and a real socket need real time, and more of it on a busy machine. */
const realTurn = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 5));

/** Until the timeout of a lock, there is no answer. */
async function ask(rig: ApiRig, ...request: Parameters<ApiRig['request']>): ReturnType<ApiRig['request']> {
  let isAnswered = false;
  const answer = rig.request(...request).finally(() => {
    isAnswered = true;
  });
  for (let turn = 0; turn < 100 && !isAnswered; turn++) {
    await rig.pass(50);
    await realTurn();
  }
  return answer;
}

/** Advances time, and gives the probes of the disk the turns that a real disk takes. */
async function recovery(rig: ApiRig): Promise<void> {
  for (let turn = 0; turn < 200 && rig.store.writes.failure; turn++) {
    await rig.pass(100);
    await realTurn();
  }
  await rig.pass(1000);
}

const heardBy = (caller: FarEnd): string[] =>
  caller.heard.flatMap(({ item }) => ('text' in item && typeof item.text === 'string' ? [item.text] : []));

const health = async (rig: ApiRig) => {
  const { status, body } = await rig.request('GET', '/health', undefined, { as: false });
  return { status, is: body['status'], store: (body['checks'] as { store: object } | undefined)?.store };
};

const WHY = canMount ? '' : ' (skipped: no tmpfs can be mounted here, which takes root)';

describe.each([
  [`the disk is full${WHY}`, FULL, canMount],
  ['another process holds the database', LOCKED, true],
] as const)('%s', (_title, trouble, isPossible) => {
  it.runIf(isPossible)('keeps callers connected, and reports the end once there is room', async () => {
    const { rig, directory } = await open(trouble);
    const caller = rig.call('1000');
    await rig.pass(4000);
    expect(heardBy(caller)).toEqual(['Press a key.']);
    expect(await health(rig)).toMatchObject({ status: 200, is: 'ok', store: { ok: true } });
    rig.received.length = 0;

    trouble.begin(directory);
    caller.press('7');
    await rig.pass(10_000);
    expect(heardBy(caller)).toEqual(['Press a key.', 'You pressed 7.', 'Press a key.']);
    expect(await health(rig)).toMatchObject({
      status: 503,
      is: 'failing',
      store: { ok: false, why: trouble.why, held_calls: 1 },
    });
    caller.press('8');
    await rig.pass(10_000);
    expect(heardBy(caller).slice(3)).toEqual(['You pressed 8.', 'Press a key.']);
    caller.hangUp();
    await rig.pass(60_000);
    expect(caller.state).toBe('ended');
    expect(rig.app.liveCalls).toBe(0);
    expect(rig.received).toEqual([]);

    trouble.end(directory);
    await recovery(rig);
    expect(await health(rig)).toMatchObject({ status: 200, is: 'ok' });
    expect(rig.eventNames()).toEqual([
      ...['digitcollected', 'playfinished', 'pressed'],
      ...['digitcollected', 'playfinished', 'pressed'],
      'disconnected',
    ]);
    expect(rig.events().at(-1)).toMatchObject({ call_duration: 24, disconnect_cause_code: 16 });
    const [record] = await rig.store.calls.list({ projectId: SHOP.id, fromMs: 0, toMs: rig.clock.now(), limit: 9 });
    expect(record!.record).toMatchObject({ state: 'disconnected', endedMs: expect.any(Number) });
    await rig.close();
  });

  it.runIf(isPossible)('refuses new calls with a retry hint, and accepts them once there is room', async () => {
    const { rig, directory } = await open(trouble);
    trouble.begin(directory);
    const dial = { from: '1000', to: '2000', event_url: rig.webhookUrl };
    const broadcast = {
      application_name: 'reminder',
      from: '1000',
      event_url: rig.webhookUrl,
      broadcast_numbers_array: ['2001'],
    };
    const requests = [
      ['/voice/v1/call', dial],
      ['/voice/v1/call', dial],
      ['/voice/v1/conference', { ...dial, name: 'team' }],
      [BROADCAST, broadcast],
    ] as const;
    for (const [path, body] of requests) {
      const answer = await ask(rig, 'POST', path, body);
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '5']);
      expect(answer.body).toMatchObject({ result: 503, state: 'failed' });
    }
    const late = rig.call('1000');
    await rig.pass(2000);
    expect(late.state).toBe('ended');
    expect(heardBy(late)).toEqual([]);
    // Read-only requests are still served.
    expect((await rig.request('GET', '/voice/v1/call')).status).toBe(200);

    trouble.end(directory);
    await recovery(rig);
    for (const [path, body] of requests)
      expect([path, (await ask(rig, 'POST', path, body)).status]).toEqual([path, 200]);
    const caller = rig.call('1000');
    await rig.pass(4000);
    expect(heardBy(caller)).toEqual(['Press a key.']);
    await rig.close();
  });

  it.runIf(isPossible)('reports the end of a call that died with the service when there is room', async () => {
    const { rig: first, directory } = await open(trouble);
    first.call('1000');
    await first.pass(3000);
    await first.crash();
    let clock: VirtualClock | undefined;
    let rig: ApiRig | undefined;
    const opening = ApiRig.open({
      config: CONFIG,
      flows: { honest: HONEST },
      storeOn: (its) => {
        clock = its;
        const store = openSqliteStore({ file: join(directory, 'callweave.db'), clock });
        trouble.begin(directory);
        return store;
      },
    }).then((opened) => {
      rig = opened;
    });
    // The start waits for a lock.
    while (!rig) await clock?.advance(50);
    await opening;
    await rig.pass(5000);
    expect(await health(rig)).toMatchObject({ is: 'failing' });
    trouble.end(directory);
    await recovery(rig);
    expect(await health(rig)).toMatchObject({ is: 'ok' });
    expect(await rig.store.calls.unfinished()).toEqual([]);
    const [record] = await rig.store.calls.list({ projectId: SHOP.id, fromMs: 0, toMs: rig.clock.now(), limit: 9 });
    const journal = await rig.store.calls.journal(record!.record.callId);
    expect(journal.at(-1)).toMatchObject({ kind: 'ended', reason: 'lost' });
    await rig.close();
  });
});

it('reports a broadcast as complete after its last call, which ended while no write was possible', async () => {
  const { rig, directory } = await open(LOCKED);
  await createBroadcast(rig);
  await rig.pass(3000);
  expect(rig.eventNames().at(-1)).toBe('connected');
  LOCKED.begin(directory);
  await rig.pass(20_000);
  LOCKED.end(directory);
  await recovery(rig);
  await rig.pass(30_000);
  expect(rig.eventNames().slice(-2)).toEqual(['disconnected', 'broadcastcomplete']);
  await rig.close();
});
