/** Formats times and durations for lists. */
import { pageLocale, t } from '../../../shared/web/words/translate.ts';
import { clockOf } from '../journal/moment.ts';

const dateFormat = new Intl.DateTimeFormat(pageLocale(), { dateStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat(pageLocale(), { timeStyle: 'medium' });

/** Date and time of day. */
export function momentOf(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return t('{day}, {time}', { day: isToday ? t('today') : dateFormat.format(ms), time: timeFormat.format(ms) });
}

export const durationOf = (ms: number): string => clockOf(ms).replace(/\.\d$/, '');
