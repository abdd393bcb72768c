/** Names that were found: a window of a broadcast asks again and again, and each answer of the platform takes long. */
const known = new Set<string>();
/** More than there are; but names are read without regard to case. */
const MOST_KNOWN = 1_000;

/** Whether this platform knows the IANA name of a time zone: `Europe/Paris`. */
export function isTimeZone(name: string): boolean {
  if (known.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name });
  } catch {
    return false;
  }
  if (known.size < MOST_KNOWN) known.add(name);
  return true;
}

/** `+0530`, as JSONata writes it. */
export const isOffset = (zone: string): boolean => /^[+-]?\d{1,4}$/.test(zone);

/** How far a zone's clocks are from UTC at a moment, as `+0530`; undefined where there is no such zone. */
export function offsetAt(atMs: number, zone: string): string | undefined {
  if (!isTimeZone(zone)) return undefined;
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(atMs);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '00', minutes = '00'] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return `${sign}${hours}${minutes}`;
}
