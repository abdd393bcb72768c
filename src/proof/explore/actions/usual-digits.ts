/** Common inputs of digits: series, dates, times and small numbers, for patterns that no text is generated for. */
const SERIES = [
  ...['1234567890123456', '2222222222222222', '0000000000000000', '9999999999999999'],
  ...['3112202600000000', '1230000000000000', '3101000000000000'],
];
const LENGTHS = [1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 16];
const MAX_SMALL = 200;

export function usualDigits(least: number, most: number): string[] {
  const isAllowed = (length: number): boolean => length >= least && length <= most;
  const lengths = [least, Math.min(most, Math.max(least, 4)), ...LENGTHS.filter(isAllowed)];
  const long = lengths.flatMap((length) =>
    SERIES.map((each) => each.slice(0, Math.min(length, 16)).padEnd(length, '0')),
  );
  const short = Array.from({ length: MAX_SMALL }, (_, index) => String(index)).filter(({ length }) =>
    isAllowed(length),
  );
  return [...long, ...short];
}
