/** Small, valid writes of a call, for the contract suites of the storage ports. */
import type { Delivery } from '../../../src/base/core/delivery.ts';
import type { CallWrite } from '../../../src/service/runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../../../src/service/runtime/journal.ts';

export const T0 = Date.parse('2026-03-02T08:30:00Z');

export const recordOf = (callId: string, changes: Partial<CallRecord> = {}): CallRecord => ({
  callId,
  projectId: 'project-1',
  direction: 'inbound',
  from: '+33612345678',
  to: '+33199001122',
  state: 'connected',
  flow: 'greeting',
  flowHash: 'f00d',
  startedMs: T0,
  ...changes,
});

export const logEntry = (seq: number, message = `entry ${seq}`): JournalEntry => ({
  seq,
  atMs: T0 + seq,
  kind: 'log',
  level: 'info',
  message,
  fields: {},
});

export const deliveryOf = (id: string, orderKey: string, changes: Partial<Delivery> = {}): Delivery => ({
  id,
  projectId: 'project-1',
  orderKey,
  url: 'http://127.0.0.1:9/events',
  payload: { voice_id: orderKey, n: id },
  createdMs: T0,
  ...changes,
});

/** A write of `callId` with the entries `seqs`, and whatever `parts` says. */
export const writeOf = (callId: string, seqs: readonly number[], parts: Partial<CallWrite> = {}): CallWrite => ({
  record: recordOf(callId),
  checkpoint: { frames: [{ flow: 'greeting', flowHash: 'f00d', at: 'hello', vars: {} }], visit: seqs.at(-1) ?? 0 },
  entries: seqs.map((seq) => logEntry(seq)),
  deliveries: [],
  owner: 'life-1',
  fence: 1,
  ...parts,
});
