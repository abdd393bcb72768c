/** Formats times and durations for lists. */
import { clockOf } from '../journal/moment.ts';

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** Time of day, with the date unless it is today. */
export function momentOf(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return (isToday ? timeFormat : dateFormat).format(ms);
}

export const durationOf = (ms: number): string => clockOf(ms).replace(/\.\d$/, '');
