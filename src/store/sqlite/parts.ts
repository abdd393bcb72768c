/** Ends of wholes, which are sent after all parts for the same URL: the end of a broadcast after the events of its calls. */
import type { DatabaseSync } from 'node:sqlite';
import type { Arrival } from '../../observers/webhooks/outbox.ts';
import { PARCEL, parcelOf, type Row } from './parcel-rows.ts';

export interface WaitingParts {
  /** Whether any stands in a line. */
  areLeft(whole: string, url: string): boolean;
  /** One has left its line: the ends that may be sent because of it. Inside a transaction. */
  released(part: Row | undefined): Arrival[];
}

export function partsOf(database: DatabaseSync): WaitingParts {
  const some = database.prepare('SELECT 1 FROM deliveries WHERE in_line = 1 AND part_of = ? AND url = ? LIMIT 1');
  const waiting = database.prepare('SELECT 1 FROM deliveries WHERE waits_for = ? AND url = ? AND sendable = 0 LIMIT 1');
  const release = database.prepare(
    `UPDATE deliveries SET sendable = 1 WHERE waits_for = ? AND url = ? AND sendable = 0 RETURNING ${PARCEL}`,
  );
  const areLeft = (whole: string, url: string): boolean => some.get(whole, url) !== undefined;

  return {
    areLeft,
    released(part) {
      if (part === undefined || part['part_of'] === null) return [];
      const whole = String(part['part_of']);
      const url = String(part['url']);
      // While the whole goes on nothing waits for it.
      if (waiting.get(whole, url) === undefined || areLeft(whole, url)) return [];
      return release.all(whole, url).map((row) => ({ ...parcelOf(row), isFirst: true }));
    },
  };
}
