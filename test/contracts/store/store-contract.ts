/**
 * The contract of a store: what every adapter of the storage ports must do. Each adapter's test calls `runStoreContract`;
 * the suites are the files beside this one, a suite for each port.
 */

import { runArchiveStoreContract } from './archive-store.ts';
import { runBroadcastStoreContract } from './broadcast-store.ts';
import { runCallDetailStoreContract } from './call-detail-store.ts';
import { runCallOwnershipContract } from './call-ownership.ts';
import { runCallStoreContract } from './call-store.ts';
import { runCanaryStoreContract } from './canary-store.ts';
import { runChangeStoreContract } from './change-store.ts';
import type { MakeStoreHarness } from './each-store.ts';
import { runFlowVersionStoreContract } from './flow-version-store.ts';
import { runOutboxContract } from './outbox.ts';
import { runProjectStoreContract } from './project-store.ts';
import { runReceiptStoreContract } from './receipt-store.ts';
import { runRecordingStoreContract } from './recording-store.ts';
import { runRoomJournalStoreContract } from './room-journal-store.ts';
import { runRoomStoreContract } from './room-store.ts';
import { runSettingStoreContract } from './setting-store.ts';
import { runSipTraceStoreContract } from './sip-trace-store.ts';
import { runUsedTokensContract } from './used-tokens.ts';

export function runStoreContract(make: MakeStoreHarness): void {
  runCallStoreContract(make);
  runCallOwnershipContract(make);
  runOutboxContract(make);
  runProjectStoreContract(make);
  runRecordingStoreContract(make);
  runReceiptStoreContract(make);
  runSettingStoreContract(make);
  runFlowVersionStoreContract(make);
  runCanaryStoreContract(make);
  runChangeStoreContract(make);
  runBroadcastStoreContract(make);
  runRoomStoreContract(make);
  runUsedTokensContract(make);
  runCallDetailStoreContract(make);
  runArchiveStoreContract(make);
  runRoomJournalStoreContract(make);
  runSipTraceStoreContract(make);
}
