/**
 * Time for a service to end after SIGTERM: `npm run restarts -- [restarts]` restarts it (20 times by default) with
 * active calls, with callbacks waiting in a queue and callbacks being called. Fails if one takes longer than 10 s or is
 * held open.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { systemClock } from '../src/base/core/clock.ts';
import { openSqliteStore } from '../src/service/store/sqlite/store.ts';
import { startService } from '../test/e2e/service.ts';
import { median, report } from './figure.ts';
import { CALLEE_SIP, callerFlows, startCallee } from './talk.ts';

const ADDRESS = '127.0.0.113';
const LIMIT_MS = 10_000;
const CALLBACKS = 200;
const CALLS = 100;
const LIFE_MS = 3000;

const restarts = Number(process.argv[2] ?? 20);
const directory = mkdtempSync(join(tmpdir(), 'callweave-restarts-'));

/** Half of the callbacks are due: their numbers are called as soon as an agent is free. */
async function keepCallbacks(): Promise<void> {
  mkdirSync(join(directory, 'data'), { recursive: true });
  const store = openSqliteStore({ file: join(directory, 'data/callweave.db'), clock: systemClock });
  const nowMs = systemClock.now();
  for (let n = 0; n < CALLBACKS; n++) {
    await store.callbacks.put({
      ...{ callbackId: `callback-${n}`, projectId: 'demo', queue: `help-${n % 10}`, to: `72${n}`, from: '1001' },
      ...{ callId: `call-${n}`, flow: 'announce', input: {}, agents: [`71${n}`], priority: 0, enteredMs: nowMs },
      ...{ attempts: 0, maxAttempts: 10, pauseMs: 1000, ringTimeoutMs: 20_000 },
      ...{ notBeforeMs: n % 2 === 0 ? nowMs : nowMs + 3_600_000, untilMs: nowMs + 7_200_000 },
    });
  }
  await store.close();
}

await keepCallbacks();
const callee = startCallee();
const tookMs: number[] = [];
let held = 0;
try {
  for (let n = 1; n <= restarts; n++) {
    const service = await startService({
      ...{ directory, address: ADDRESS, flows: callerFlows('7000009'), numbers: [{ number: '1001' }] },
      sip: { rtp_ports: [20_000, 29_999], routes: [{ prefix: '', uri: `sip:${CALLEE_SIP}` }] },
      more: { limits: { drain: '1s', requests_per_second: 1000, request_burst: 1000 } },
    });
    const order = { from: '1001', flow: 'announce' };
    const placed = Array.from({ length: CALLS }, (_, call) =>
      service.api('POST', '/voice/v1/call', { ...order, to: `73${call}` }),
    );
    await Promise.all([...placed, elapse(LIFE_MS)]);
    const beganMs = performance.now();
    await service.stop();
    tookMs.push(performance.now() - beganMs);
    if (service.log().includes('process.held')) held++;
    process.stderr.write(`restarts: ${n} of ${restarts}: ended in ${Math.round(tookMs.at(-1)!)} ms\n`);
  }
} finally {
  callee.stop();
}
report('restarts.end_median', median(tookMs), 'ms');
report('restarts.end_longest', Math.max(...tookMs), 'ms');
process.exitCode = held === 0 && Math.max(...tookMs) < LIMIT_MS ? 0 : 1;
