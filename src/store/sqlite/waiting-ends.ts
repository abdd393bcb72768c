/** Ends of wholes, which are sent after all parts for the same URL: the end of a broadcast after the events of its calls. */
import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryArrival } from '../../observers/webhooks/outbox.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, deliveryOf } from './delivery-rows.ts';

export interface WaitingEnds {
  /** Whether any end waits, as far as is known: where none does, nobody has to look what a delivery is part of. */
  readonly anyWaits: boolean;
  /** Whether an end has to wait: some part stands in a line. Inside a transaction. */
  mustWait(whole: string, url: string): boolean;
  /** One has left its line: the ends that may be sent because of it. Inside a transaction. */
  released(part: DeliveryRow | undefined): DeliveryArrival[];
  /** After the transaction that released some. */
  recount(): void;
}

const known = new WeakMap<DatabaseSync, WaitingEnds>();

export function waitingEndsOf(database: DatabaseSync): WaitingEnds {
  const parts = known.get(database) ?? createWaitingEnds(database);
  known.set(database, parts);
  return parts;
}

function createWaitingEnds(database: DatabaseSync): WaitingEnds {
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
      // While the whole goes on nothing waits for it.
      if (waiting.get(whole, url) === undefined || areLeft(whole, url)) return [];
      return release.all(whole, url).map((row) => ({ ...deliveryOf(row), isSendable: true }));
    },
    recount() {
      areWaitedFor = anyWaiting.get() !== undefined;
    },
  };
}
