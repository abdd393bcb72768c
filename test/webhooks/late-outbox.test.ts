/** One node over an outbox that answers late: events of a call go to several receivers, and are committed meanwhile. */
import { expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../src/base/core/ids.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { WebhookDispatcher } from '../../src/service/observers/webhooks/dispatcher.ts';
import { deliveryOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { answeringLate } from '../late-store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { rounds } from '../rounds.ts';
import { ERROR, OK, SECRET } from './rig.ts';

const CALLS = 20;
const EVENTS = 8;
const RECEIVERS = 3;

it.each(Array.from({ length: rounds(20) }, (_, index) => index + 1))(
  'sends each event once and in the order of its call, and leaves nothing in memory (%i)',
  async (seed) => {
    const clock = new VirtualClock(T0);
    const random = seededRandom(seed);
    const store = createMemoryStore();
    const accepted: string[] = [];
    const failed = new Set<string>();
    const dispatcher = new WebhookDispatcher({
      outbox: answeringLate(store.outbox, { clock, random, mostMs: 20, except: ['subscribe', 'onWake', 'wake'] }),
      sender: {
        async send({ headers }) {
          const id = headers['webhook-id']!;
          await new Promise((resolve) => clock.after(Math.floor(random() * 30), () => resolve(undefined)));
          // One attempt in ten fails, of each event at most once.
          if (random() < 0.1 && !failed.has(id)) {
            failed.add(id);
            return ERROR;
          }
          accepted.push(id);
          return OK;
        },
        close: async () => undefined,
      },
      ...{ clock, random, log: silentLog },
      secretsOf: () => [SECRET],
      isLive: () => false,
      onAnswer: () => undefined,
    });
    const commit = async (call: number, seq: number): Promise<void> => {
      const url = `http://receiver-${Math.floor(random() * RECEIVERS)}.example/`;
      const delivery = deliveryOf(`c${call}:${seq}`, `c${call}`, { url, createdMs: clock.now() });
      await store.calls.commit(writeOf(`c${call}`, [seq], { deliveries: [delivery] }));
    };
    const ids = (call: number) => Array.from({ length: EVENTS }, (_, index) => `c${call}:${index + 1}`);
    // Some events wait when the dispatcher starts; the others are committed while it sends.
    for (let call = 0; call < CALLS; call++) await commit(call, 1);
    dispatcher.start();
    onTestFinished(async () => {
      void dispatcher.stop();
      await clock.advance(60_000);
    });
    for (let seq = 2; seq <= EVENTS; seq++) {
      for (let call = 0; call < CALLS; call++) {
        await commit(call, seq);
        if (random() < 0.3) await clock.advance(Math.floor(random() * 40));
      }
    }
    await clock.advance(60_000);
    expect(accepted).toHaveLength(CALLS * EVENTS);
    for (let call = 0; call < CALLS; call++) {
      expect(accepted.filter((id) => id.startsWith(`c${call}:`))).toEqual(ids(call));
    }
    expect(await store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
    expect(dispatcher.inMemory()).toEqual({ receivers: 0, deliveries: 0, timeouts: 0 });
  },
);
