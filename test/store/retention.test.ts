import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { startRetention } from '../../src/service/store/retention.ts';
import { deliveryOf, recordOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';

const DAY_MS = 86_400_000;

describe('retention', () => {
  it('forgets calls so many days after their end, and dead events after seven', async () => {
    const clock = new VirtualClock(T0);
    const store = createMemoryStore();
    await store.calls.commit(
      writeOf('over', [1], { record: recordOf('over', { endedMs: T0 }), deliveries: [deliveryOf('d1', 'over')] }),
    );
    await store.calls.commit(writeOf('live', [1]));
    await store.outbox.deadLetter('d1', { deadMs: T0, deathCause: 'exhausted' });
    const stop = startRetention({
      store,
      clock,
      log: silentLog,
      directory: '/nowhere',
      callDays: 30,
      recordingDays: 30,
    });

    await clock.advance(7 * DAY_MS);
    expect(await store.outbox.findDeadLetter('d1')).toBeDefined();
    await clock.advance(DAY_MS / 24);
    expect(await store.outbox.findDeadLetter('d1')).toBeUndefined();
    await clock.advance(22 * DAY_MS);
    expect(await store.calls.call('over')).toBeDefined();
    await clock.advance(DAY_MS);
    expect(await store.calls.call('over')).toBeUndefined();
    expect(await store.calls.call('live')).toBeDefined();

    stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('continues with the next run after a failure', async () => {
    const clock = new VirtualClock(T0);
    let runs = 0;
    const { receipts, recordings, changes } = createMemoryStore();
    const store = {
      ...{ receipts, recordings, changes },
      async prune() {
        if (++runs === 1) throw new Error('disk full');
        return { calls: 0, broadcasts: 0, deliveries: 0, urls: 0 };
      },
    };
    const stop = startRetention({ store, clock, log: silentLog, directory: '/nowhere', callDays: 1, recordingDays: 1 });
    await clock.advance(3 * 3_600_000);
    expect(runs).toBe(4);
    stop();
  });
});
