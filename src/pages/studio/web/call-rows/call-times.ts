/** Formats times and durations for lists. */
import { pageLocale, t } from '../../../shared/web/words/translate.ts';
import { clockOf } from '../journal/moment.ts';

const dateFormat = new Intl.DateTimeFormat(pageLocale(), { dateStyle: 'medium' });
const shortTime = new Intl.DateTimeFormat(pageLocale(), { timeStyle: 'short' });
const timeFormat = new Intl.DateTimeFormat(pageLocale(), { timeStyle: 'medium' });

/** Date and time of day. */
export function momentOf(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return t('{day}, {time}', { day: isToday ? t('today') : dateFormat.format(ms), time: timeFormat.format(ms) });
}

/** Time of day in hours and minutes; for another day, with its date. */
export function shortMomentOf(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return isToday ? shortTime.format(ms) : `${dateFormat.format(ms)}, ${shortTime.format(ms)}`;
}

export const durationOf = (ms: number): string => clockOf(ms).replace(/\.\d$/, '');
