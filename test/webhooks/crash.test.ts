/** SIGKILL of the service: promised events are still stored, complete, and reach the receiver in order. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { WebhookDispatcher } from '../../src/service/observers/webhooks/dispatcher.ts';
import { httpSender } from '../../src/service/observers/webhooks/http-sender.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { SECRET } from './rig.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'callweave-crash-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'callweave.db');
}

/** Records the ids of events in the order in which they arrive. */
async function receiver(): Promise<{ url: string; arrived: string[] }> {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      arrived.push(JSON.parse(body).id);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, arrived };
}

/** Runs the child until it has promised `count` events, kills it with SIGKILL, and returns all that it promised. */
async function promisedBeforeDeath(file: string, url: string, mode: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-child.ts'), file, url, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closers.push(() => child.kill('SIGKILL'));
  const promised: string[] = [];
  // The kill may have cut off the last line: an id always has a digit after its colon.
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^call-\d+:\d+$/.test(line)) promised.push(line);
    if (promised.length === count) child.kill('SIGKILL');
  }
  return promised;
}

const first = <T>(items: readonly T[]): T[] => [...new Set(items)];

function byCall(ids: readonly string[]): Map<string, number[]> {
  const calls = new Map<string, number[]>();
  for (const id of ids) {
    const [callId, seq] = id.split(':') as [string, string];
    calls.set(callId, [...(calls.get(callId) ?? []), Number(seq)]);
  }
  return calls;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('service killed by SIGKILL', () => {
  it.each([
    ['at the first promise', 'commit', 1],
    ['while calls are written', 'commit', 333],
    ['while events are delivered', 'deliver', 333],
  ])('loses no event: killed %s', async (_, mode, count) => {
    const file = newFile();
    const { url, arrived } = await receiver();
    const promised = await promisedBeforeDeath(file, url, mode, count);
    expect(promised.length).toBeGreaterThanOrEqual(count);

    const store = openSqliteStore({ file, clock: systemClock });
    closers.push(() => store.close());
    const calls = (await store.calls.unfinished()).map(({ callId }) => callId);
    const written = new Map<string, number[]>();
    for (const callId of calls)
      written.set(
        callId,
        (await store.calls.journal(callId)).map(({ seq }) => seq),
      );
    for (const [callId, seqs] of written) {
      // No decision is stored in part: the journal, the checkpoint and the events belong to the same one.
      expect(seqs).toEqual(upTo(seqs.length));
      expect((await store.calls.checkpoint(callId))?.visit).toBe(seqs.length);
      const waiting = (await store.outbox.headOfLine(callId, 1_000_000)).map(({ id }) => Number(id.split(':')[1]));
      expect(waiting).toEqual(seqs.slice(seqs.length - waiting.length));
      if (mode === 'commit') expect(waiting).toEqual(seqs);
    }
    for (const [callId, seqs] of byCall(promised)) {
      expect(written.get(callId)?.length).toBeGreaterThanOrEqual(seqs.length);
    }

    const dispatcher = new WebhookDispatcher({
      outbox: store.outbox,
      sender: httpSender({ privateTargets: 'loopback' }, { clock: systemClock, timeoutMs: 5000, connections: 8 }),
      clock: systemClock,
      log: silentLog,
      random: Math.random,
      secretsOf: () => [SECRET],
      isLive: () => false,
      onAnswer: () => undefined,
    });
    closers.push(() => dispatcher.stop());
    dispatcher.start();
    await expect.poll(async () => (await store.outbox.counts()).waiting, { timeout: 20_000 }).toBe(0);

    expect(first(arrived)).toEqual(expect.arrayContaining(promised));
    // Delivery is at least once: without the repetitions, the receiver sees every call in order and without a gap.
    for (const [callId, seqs] of byCall(first(arrived))) expect(seqs).toEqual(upTo(written.get(callId)!.length));
  });
});
