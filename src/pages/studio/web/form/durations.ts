/** Durations as people write them: `1 min 30` is `1m30s`. Pure. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const SPELLED: readonly (readonly [RegExp, string])[] = [
  [/^(ms|msec|milliseconds?)$/, 'ms'],
  [/^(s|secs?|seconds?)$/, 's'],
  [/^(m|mins?|minutes?)$/, 'm'],
  [/^(h|hrs?|hours?)$/, 'h'],
];
/** Unit of a number that follows another unit: seconds after minutes. */
const FINER: Readonly<Record<string, string>> = { h: 'm', m: 's', s: 'ms' };

/** Milliseconds of a written duration. Undefined if it is none. */
export function readDuration(written: string): number | undefined {
  const parts = [
    ...written
      .trim()
      .toLowerCase()
      .matchAll(/(\d+(?:[.,]\d+)?)\s*([a-z]*)\s*/g),
  ];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== written.trim().toLowerCase()) return undefined;
  let total = 0;
  let before: string | undefined;
  for (const [, number, word] of parts) {
    const unit = word === '' ? before && FINER[before] : SPELLED.find(([pattern]) => pattern.test(word!))?.[1];
    if (unit === undefined) return undefined;
    total += Number(number!.replace(',', '.')) * UNITS[unit]!;
    before = unit;
  }
  return Math.round(total);
}

/** Shortest form in a flow: `1m30s`, `500ms`. */
export function writeDuration(ms: number): string {
  if (ms === 0) return '0s';
  const parts = split(ms).filter(([count]) => count > 0);
  const last = parts.at(-1)!;
  // A second and a half is 1.5s.
  if (last[1] === 'ms' && parts.length > 1 && parts.at(-2)![1] === 's') {
    const seconds = (parts.at(-2)![0] * 1000 + last[0]) / 1000;
    return [...parts.slice(0, -2), [seconds, 's'] as const].map(([count, unit]) => `${count}${unit}`).join('');
  }
  return parts.map(([count, unit]) => `${count}${unit}`).join('');
}

/** As people read it: `1 min 30 s`. */
export function sayDuration(written: string): string {
  const ms = readDuration(written);
  if (ms === undefined) return written;
  const parts = split(ms).filter(([count]) => count > 0);
  const words: Readonly<Record<string, string>> = { h: 'h', m: 'min', s: 's', ms: 'ms' };
  return parts.length === 0 ? '0 s' : parts.map(([count, unit]) => `${count} ${words[unit]}`).join(' ');
}

const split = (ms: number): (readonly [number, string])[] => [
  [Math.floor(ms / 3_600_000), 'h'],
  [Math.floor((ms % 3_600_000) / 60_000), 'm'],
  [Math.floor((ms % 60_000) / 1000), 's'],
  [ms % 1000, 'ms'],
];
