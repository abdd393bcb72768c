/** Documents made at random from the keys that the documentation of a format lists. The same seed makes the same one. */

/** A part of a document: the keys that it must have, and those that it may have. */
export interface Documented {
  name: string;
  required: Readonly<Record<string, unknown>>;
  optional: Readonly<Record<string, unknown>>;
}

export interface Random {
  /** Integer below `end`. */
  below(end: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

/** Mulberry32: small, and the same on every machine. */
export function randomOf(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { below, once: (times) => below(times) === 0, pick: (values) => values[below(values.length)]! };
}

/** The part with some of its optional keys: each once in three times. */
export function madeOf(random: Random, { required, optional }: Documented): Record<string, unknown> {
  const kept = Object.entries(optional).filter(() => random.once(3));
  return { ...required, ...Object.fromEntries(kept) };
}

export const attributesOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(
      ([key, value]) =>
        ` ${key}="${String(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`,
    )
    .join('');
