/** Unassigned numbers, for rehearsals. */

/** Uses an unassigned country code, so that no number can be a real one. */
const FIRST = 999_000_000_000;

export const sampleNumbers = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `+${FIRST + at + 1}`);
