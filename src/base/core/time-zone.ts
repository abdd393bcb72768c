/** Cache of valid names: dialling windows of broadcasts are checked often, and the platform is slow. */
const known = new Set<string>();
/** More than the number of zones, because names are case-insensitive. */
const MAX_KNOWN = 1_000;

/** True if this platform knows the IANA name of a time zone: `Europe/Paris`. */
export function isTimeZone(name: string): boolean {
  if (known.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name });
  } catch {
    return false;
  }
  if (known.size < MAX_KNOWN) known.add(name);
  return true;
}

/** True for `+0530`, the JSONata form of an offset. */
export const isOffset = (zone: string): boolean => /^[+-]?\d{1,4}$/.test(zone);

/** UTC offset of a zone at a moment, as `+0530`. Undefined if the zone does not exist. */
export function offsetAt(atMs: number, zone: string): string | undefined {
  if (!isTimeZone(zone)) return undefined;
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(atMs);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '00', minutes = '00'] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return `${sign}${hours}${minutes}`;
}
