import { runStoreContract } from '../contracts/store/store-contract.ts';
import { createMemoryStore } from '../memory-store.ts';

runStoreContract(async () => ({ open: async () => createMemoryStore() }));
