/** Dates as people write them, read as ISO dates. Pure; used by `holidays.tsx`. */
import { t } from '../../../shared/web/words/translate.ts';

export type ReadDate = { iso: string; problem?: undefined } | { problem: string };

const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const POINTS = /^(\d{1,2})\.\s*(\d{1,2})\.\s*(\d{4})$/;
const SLASHES = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const MONTHS = 12;

/** Reads `2026-12-25`, `25.12.2026`, and `12/25/2026` if only one of its numbers can be the month. */
export function readDate(text: string): ReadDate {
  const written = text.trim();
  if (written === '') return { problem: t('Choose a date.') };
  const [, isoYear, isoMonth, isoDay] = ISO.exec(written) ?? [];
  if (isoYear !== undefined) return dateOf(written, isoYear, isoMonth!, isoDay!);
  const [, day, month, year] = POINTS.exec(written) ?? [];
  if (year !== undefined) return dateOf(written, year, month!, day!);
  const [, first, second, slashYear] = SLASHES.exec(written) ?? [];
  if (slashYear === undefined)
    return { problem: t('Write the date as 25.12.2026 or 2026-12-25, not {written}.', { written }) };
  if (Number(second) > MONTHS || first === second) return dateOf(written, slashYear, first!, second!);
  if (Number(first) > MONTHS) return dateOf(written, slashYear, second!, first!);
  const one = isoOf(slashYear, second!, first!);
  const other = isoOf(slashYear, first!, second!);
  return { problem: t('{written} can be two dates: write {one} or {other}.', { written, one, other }) };
}

const isoOf = (year: string, month: string, day: string): string =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;

function dateOf(written: string, year: string, month: string, day: string): ReadDate {
  const iso = isoOf(year, month, day);
  const time = Date.parse(`${iso}T00:00:00Z`);
  // Days such as 31 April roll over into the next month.
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso);
  return isReal ? { iso } : { problem: t('There is no day {written}.', { written }) };
}

const CLOCK = /^(\d{1,2})(?:[:.](\d{2}))?\s*([ap])?\.?m?\.?$/i;

/** Reads `9`, `9:30` and `5 pm` as `09:00`, `09:30` and `17:00`. Undefined if it is not a time of day. */
export function readTimeOfDay(text: string): string | undefined {
  const [, hour, minute = '00', half] = CLOCK.exec(text.trim()) ?? [];
  if (hour === undefined) return undefined;
  const isTwelveHour = half !== undefined;
  if (isTwelveHour && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
  const hours = isTwelveHour ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour);
  const isReal = Number(minute) < 60 && (hours < 24 || (hours === 24 && minute === '00'));
  return isReal ? `${String(hours).padStart(2, '0')}:${minute}` : undefined;
}
