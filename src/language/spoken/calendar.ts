/** Calendar days as ISO dates (`2026-12-24`), without a time zone. */

const DAY_MS = 86_400_000;

/** Undefined if there is no such day, such as 30 February. */
export function isoDate(year: number, month: number, day: number): string | undefined {
  const made = new Date(Date.UTC(year, month - 1, day));
  const isReal = made.getUTCFullYear() === year && made.getUTCMonth() === month - 1 && made.getUTCDate() === day;
  return isReal ? made.toISOString().slice(0, 10) : undefined;
}

export const daysLater = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** 0 is Sunday. */
export const weekdayOf = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay();

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of a moment in a time zone. */
export function dayIn(timezone: string, atMs: number): string {
  const known = formats.get(timezone);
  const format =
    known ??
    new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' });
  if (!known) formats.set(timezone, format);
  return format.format(atMs);
}
