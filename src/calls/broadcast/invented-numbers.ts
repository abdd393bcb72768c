/** Numbers of nobody, for rehearsals. */

/** Begins with a country code that no country has, so that nobody takes them for somebody's. */
const FIRST = 999_000_000_000;

export const inventedNumbers = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `+${FIRST + at + 1}`);
