/** Dates of reports, `from_date` and `to_date`: year-month-day in UTC, both inclusive. */
import { timeOf } from '../../../media/rooms/room-rules.ts';
import { ApiError } from '../api-error.ts';

const DAY_MS = 86_400_000;

export function periodOf({ from_date: from, to_date: to }: { from_date: string; to_date: string }): {
  fromMs: number;
  beforeMs: number;
} {
  const fromMs = dayOf('from_date', from);
  const lastMs = dayOf('to_date', to);
  if (lastMs < fromMs) throw new ApiError('date_malformed', 'to_date: is before from_date');
  return { fromMs, beforeMs: lastMs + DAY_MS };
}

function dayOf(name: string, written: string): number {
  const ms = timeOf(`${written} 00:00:00`);
  if (ms === undefined) throw new ApiError('date_malformed', `${name}: must be year-month-day, such as 2026-03-02`);
  return ms;
}
