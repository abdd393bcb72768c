import { createMemoryStore } from '../../src/store/memory/store.ts';
import { runBroadcastStoreContract } from '../contracts/store/broadcast-store.ts';
import { runCallStoreContract } from '../contracts/store/call-store.ts';
import { runOutboxContract } from '../contracts/store/outbox.ts';
import { runProjectStoreContract } from '../contracts/store/project-store.ts';
import { runReceiptStoreContract } from '../contracts/store/receipt-store.ts';
import { runRecordingStoreContract } from '../contracts/store/recording-store.ts';
import { runSettingStoreContract } from '../contracts/store/setting-store.ts';

const memory = async () => ({ open: async () => createMemoryStore() });

runCallStoreContract(memory);
runOutboxContract(memory);
runProjectStoreContract(memory);
runRecordingStoreContract(memory);
runReceiptStoreContract(memory);
runSettingStoreContract(memory);
runBroadcastStoreContract(memory);
