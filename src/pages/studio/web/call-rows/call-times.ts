/** Formats times and durations for lists. */
import { clockOf } from '../journal/moment.ts';

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** Date and time of day. */
export function momentOf(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return `${isToday ? 'today' : dateFormat.format(ms)}, ${timeFormat.format(ms)}`;
}

export const durationOf = (ms: number): string => clockOf(ms).replace(/\.\d$/, '');
