/**
 * Final events of broadcasts, which are sent after the events of their calls to the same URL: each waits for these
 * parts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryArrival } from '../../observers/webhooks/outbox.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, deliveryOf } from './delivery-rows.ts';
import type { StoreParts } from './store-parts.ts';

export interface DeferredFinalEvents {
  /** False if no final event waits, so that the parts need not be checked. */
  readonly anyWaits: boolean;
  /** True if a final event must wait because a part is in line. Must be called inside a transaction. */
  mustWait(whole: string, url: string): boolean;
  /**
   * Called when a part has left its line: returns the final events that may be sent now. Must be called inside a
   * transaction.
   */
  released(part: DeliveryRow | undefined): DeliveryArrival[];
  /** Must be called after a transaction that released final events. */
  recount(): void;
}

const known = new WeakMap<DatabaseSync, DeferredFinalEvents>();

export function deferredFinalEventsOf(database: DatabaseSync): DeferredFinalEvents {
  const parts = known.get(database) ?? createDeferredFinalEvents(database);
  known.set(database, parts);
  return parts;
}

/**
 * `work` removes deliveries from their lines in one transaction, and passes each to its argument; released final events
 * are announced.
 */
export function takeDeliveries(
  { database, group, listeners }: Pick<StoreParts, 'database' | 'group' | 'listeners'>,
  key: string,
  work: (out: (row: DeliveryRow | undefined) => void) => void,
): Promise<void> {
  const ends = deferredFinalEventsOf(database);
  let released: DeliveryArrival[] = [];
  return group.write(
    key,
    () => {
      released = [];
      work((row) => released.push(...ends.released(row)));
    },
    () => {
      if (released.length === 0) return;
      ends.recount();
      listeners.emit(released);
    },
  );
}

function createDeferredFinalEvents(database: DatabaseSync): DeferredFinalEvents {
  const some = database.prepare('SELECT 1 FROM deliveries WHERE in_line = 1 AND part_of = ? AND url = ? LIMIT 1');
  const waiting = database.prepare('SELECT 1 FROM deliveries WHERE waits_for = ? AND url = ? AND sendable = 0 LIMIT 1');
  const anyWaiting = database.prepare('SELECT 1 FROM deliveries WHERE waits_for IS NOT NULL AND sendable = 0 LIMIT 1');
  const release = database.prepare(
    `UPDATE deliveries SET sendable = 1 WHERE waits_for = ? AND url = ? AND sendable = 0 RETURNING ${DELIVERY_COLUMNS}`,
  );
  const areLeft = (whole: string, url: string): boolean => some.get(whole, url) !== undefined;
  let areWaitedFor = anyWaiting.get() !== undefined;

  return {
    get anyWaits() {
      return areWaitedFor;
    },
    mustWait(whole, url) {
      const waits = areLeft(whole, url);
      areWaitedFor ||= waits;
      return waits;
    },
    released(part) {
      if (part === undefined || part['part_of'] === null) return [];
      const whole = String(part['part_of']);
      const url = String(part['url']);
      // While the broadcast is active, no final event waits.
      if (waiting.get(whole, url) === undefined || areLeft(whole, url)) return [];
      return release.all(whole, url).map((row) => ({ ...deliveryOf(row), isSendable: true }));
    },
    recount() {
      areWaitedFor = anyWaiting.get() !== undefined;
    },
  };
}
