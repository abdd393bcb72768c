/** Formatters of valid names: times are checked often, and the platform takes long to make one. */
const known = new Map<string, Intl.DateTimeFormat>();
/** More than the number of zones, because names are case-insensitive. */
const MAX_KNOWN = 1_000;

/** True if this platform knows the IANA name of a time zone: `Europe/Paris`. */
export const isTimeZone = (name: string): boolean => offsetsOf(name) !== undefined;

/** Formatter that writes the offset of a zone. Undefined if the zone does not exist. */
function offsetsOf(zone: string): Intl.DateTimeFormat | undefined {
  const before = known.get(zone);
  if (before !== undefined) return before;
  try {
    const made = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
    if (known.size < MAX_KNOWN) known.set(zone, made);
    return made;
  } catch {
    return undefined;
  }
}

/** True for `+0530`, the JSONata form of an offset. */
export const isOffset = (zone: string): boolean => /^[+-]?\d{1,4}$/.test(zone);

/** UTC offset of a zone at a moment, as `+0530`. Undefined if the zone does not exist. */
export function offsetAt(atMs: number, zone: string): string | undefined {
  const parts = offsetsOf(zone)?.formatToParts(atMs);
  if (parts === undefined) return undefined;
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '00', minutes = '00'] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return `${sign}${hours}${minutes}`;
}
