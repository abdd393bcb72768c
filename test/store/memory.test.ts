import { systemClock } from '../../src/base/core/clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { runStoreContract } from '../contracts/store/store-contract.ts';

runStoreContract(async () => ({ open: async () => openSqliteStore({ file: ':memory:', clock: systemClock }) }));
