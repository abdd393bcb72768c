/** A store: all storage ports over one set of data. Its contract suite is `test/contracts/store`. */
import type { UsedTokens } from '../../base/core/single-use-tokens.ts';
import type { ArchiveStore } from '../../media/rooms/archive/archive.ts';
import type { CallDetailStore } from '../../media/rooms/call-detail.ts';
import type { RoomJournalStore } from '../../media/rooms/room-journal.ts';
import type { RoomStore } from '../../media/rooms/room-store.ts';
import type { ChangeStore } from '../calls/audit-log/change-store.ts';
import type { BroadcastStore } from '../calls/broadcast/broadcast-store.ts';
import type { CanaryStore } from '../calls/canaries/canary-store.ts';
import type { CallbackStore } from '../calls/conferences/callback.ts';
import type { ReceiptStore } from '../calls/control/receipt-store.ts';
import type { FlowVersionStore } from '../calls/flow-files/flow-version-store.ts';
import type { PeopleStore } from '../calls/people/people-store.ts';
import type { ProjectStore } from '../calls/projects/project-store.ts';
import type { RecordingStore } from '../calls/recordings/recording-store.ts';
import type { SettingStore } from '../calls/settings/setting-store.ts';
import type { SipTraceStore } from '../observers/sip/trace-store.ts';
import type { Outbox } from '../observers/webhooks/outbox.ts';
import type { CallStore } from '../runtime/call-store.ts';
import type { StoreWrites } from './write-health.ts';

export interface Store {
  readonly calls: CallStore;
  readonly outbox: Outbox;
  readonly projects: ProjectStore;
  readonly receipts: ReceiptStore;
  readonly recordings: RecordingStore;
  readonly settings: SettingStore;
  readonly flowVersions: FlowVersionStore;
  readonly canaries: CanaryStore;
  readonly callbacks: CallbackStore;
  readonly changes: ChangeStore;
  readonly broadcasts: BroadcastStore;
  readonly rooms: RoomStore;
  /** Tokens of rooms and of phones in browsers. */
  readonly usedTokens: UsedTokens;
  readonly callDetails: CallDetailStore;
  readonly archives: ArchiveStore;
  readonly roomJournal: RoomJournalStore;
  readonly sipTraces: SipTraceStore;
  /** Deletes personal data in all parts of the store. */
  readonly people: PeopleStore;
  /** Tracks whether the store is writable. */
  readonly writes: StoreWrites;
  /**
   * Deletes expired data, a bounded number of rows at a time: calls with their journals and broadcasts with their
   * numbers that ended before `callsEndedBeforeMs`, flow versions replaced before that, and dead letters and disabled
   * URLs older than `deadBeforeMs`.
   */
  prune(limits: PruneLimits): Promise<PruneResult>;
  /** Writes pending data, then closes. */
  close(): Promise<void>;
}

export interface PruneLimits {
  callsEndedBeforeMs: number;
  deadBeforeMs: number;
}

export interface PruneResult {
  calls: number;
  broadcasts: number;
  deliveries: number;
  urls: number;
}
