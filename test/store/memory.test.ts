import { systemClock } from '../../src/core/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { runStoreContract } from '../contracts/store/store-contract.ts';

runStoreContract(async () => ({ open: async () => openSqliteStore({ file: ':memory:', clock: systemClock }) }));
