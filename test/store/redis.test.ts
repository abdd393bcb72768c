/** Store of a cluster node over a real Redis: the contract for shared data. */
import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { RedisConnection } from '../../src/service/store/redis/connection/redis-client.ts';
import { openRedisStore } from '../../src/service/store/redis/store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { runCallOwnershipContract } from '../contracts/store/call-ownership.ts';
import { runCallStoreContract } from '../contracts/store/call-store.ts';
import type { MakeStoreHarness } from '../contracts/store/each-store.ts';
import { runOutboxContract } from '../contracts/store/outbox.ts';
import { runProjectStoreContract } from '../contracts/store/project-store.ts';
import { runReceiptStoreContract } from '../contracts/store/receipt-store.ts';
import { runSettingStoreContract } from '../contracts/store/setting-store.ts';
import { runUsedTokensContract } from '../contracts/store/used-tokens.ts';
import { connectTo, type RedisServer, redisProgram, startRedis, valkeyProgram } from '../redis-server.ts';

for (const program of [redisProgram, valkeyProgram]) {
  describe.skipIf(program.missing)(`shared data of nodes in ${program.name}${program.why}`, () => {
    let server: RedisServer;
    let connection: RedisConnection;
    beforeAll(async () => {
      server = await startRedis({ program });
      connection = await connectTo(server);
    });
    afterAll(async () => {
      connection.close();
      await server.stop();
    });

    const make: MakeStoreHarness = async () => {
      await server.command('FLUSHDB');
      const local: Store = openSqliteStore({ file: ':memory:', clock: systemClock });
      const open = async (): Promise<Store> => {
        const store = openRedisStore({
          ...{ connection, node: 'node-1', local, archive: 'node-1', keepCallsMs: 60_000 },
          ...{ clock: systemClock, log: silentLog },
        });
        await store.load();
        return store;
      };
      return {
        open,
        async reopen(store) {
          await store.close();
          return open();
        },
      };
    };
    runCallStoreContract(make);
    runCallOwnershipContract(make);
    runOutboxContract(make);
    runSettingStoreContract(make);
    runProjectStoreContract(make);
    runReceiptStoreContract(make);
    runUsedTokensContract(make);
  });
}
