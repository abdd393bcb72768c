import { createMemoryStore } from '../../src/store/memory/store.ts';
import { runBookContract } from '../../src/testkit/book-contract.ts';
import { runBroadcastStoreContract } from '../../src/testkit/broadcast-store-contract.ts';
import { runOutboxContract } from '../../src/testkit/outbox-contract.ts';
import { runProjectStoreContract } from '../../src/testkit/project-store-contract.ts';
import { runReceiptStoreContract } from '../../src/testkit/receipt-store-contract.ts';
import { runRecordingStoreContract } from '../../src/testkit/recording-store-contract.ts';
import { runSettingStoreContract } from '../../src/testkit/setting-store-contract.ts';

const memory = async () => ({ open: async () => createMemoryStore() });

runBookContract(memory);
runOutboxContract(memory);
runProjectStoreContract(memory);
runRecordingStoreContract(memory);
runReceiptStoreContract(memory);
runSettingStoreContract(memory);
runBroadcastStoreContract(memory);
