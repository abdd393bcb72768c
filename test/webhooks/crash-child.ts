/**
 * Child process of `crash.test.ts`: commits decisions of many calls, each with its event, and prints the
 * event's id when the commit is promised to be durable. It runs until it is killed.
 * Arguments: database file, URL of the receiver, `deliver` to send the events as well.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { WebhookDispatcher } from '../../src/service/observers/webhooks/dispatcher.ts';
import { httpSender } from '../../src/service/observers/webhooks/http-sender.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { deliveryOf, writeOf } from '../contracts/store/call-fixtures.ts';

const [file, url, mode] = process.argv.slice(2) as [string, string, string];
const CALLS = 20;

const store = openSqliteStore({ file, clock: systemClock });
if (mode === 'deliver') {
  new WebhookDispatcher({
    outbox: store.outbox,
    sender: httpSender({ privateTargets: 'loopback' }, { clock: systemClock, timeoutMs: 5000, connections: 8 }),
    clock: systemClock,
    log: silentLog,
    random: Math.random,
    secretsOf: () => ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    isLive: () => true,
    onAnswer: () => undefined,
  }).start();
}

async function live(callId: string): Promise<never> {
  for (let seq = 1; ; seq++) {
    const id = `${callId}:${seq}`;
    const delivery = deliveryOf(id, callId, { url, payload: { id }, createdMs: Date.now() });
    await store.calls.commit(writeOf(callId, [seq], { deliveries: [delivery] }));
    writeSync(1, `${id}\n`);
    // Other calls and the network get their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

for (let n = 0; n < CALLS; n++) void live(`call-${n}`);
