/** Durations with units, as in flow files: `6s`, `500ms`, `2m`, `1h`, also `1m30s`. */
const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PARTS = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
export const DURATION_PATTERN = '^(\\d+(\\.\\d+)?(ms|s|m|h))+$';
const WHOLE = new RegExp(DURATION_PATTERN);
/** Fast path for the common form: one integer and one unit. */
const PLAIN = /^(\d{1,9})(ms|s|m|h)$/;

/** Milliseconds. Undefined if `text` is not a duration. */
export function parseDuration(text: string): number | undefined {
  const plain = PLAIN.exec(text);
  if (plain) return Number(plain[1]) * UNIT_MS[plain[2]!]!;
  if (text.length > 40 || !WHOLE.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(PARTS)) totalMs += Number(amount) * UNIT_MS[unit as string]!;
  return Math.round(totalMs);
}

/** The shortest text that `parseDuration` reads back as `ms`. */
export function formatDuration(ms: number): string {
  for (const unit of ['h', 'm', 's']) {
    if (ms !== 0 && ms % UNIT_MS[unit]! === 0) return `${ms / UNIT_MS[unit]!}${unit}`;
  }
  return ms > 1000 ? `${ms / 1000}s` : `${ms}ms`;
}

/** Column of seconds since the start: `   12.340`. */
export const secondsColumn = (ms: number): string => (ms / 1000).toFixed(3).padStart(9);
