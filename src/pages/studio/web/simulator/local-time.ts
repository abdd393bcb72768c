/** Moments as a field for local date and time has them. Pure. */

const MINUTE_MS = 60_000;

/** `2026-03-02T08:30:00.000Z` is `2026-03-02T09:30` an hour east of Greenwich. */
export function localTime(moment: string): string {
  const at = new Date(moment);
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS);
  return shifted.toISOString().slice(0, '2026-03-02T09:30'.length);
}
