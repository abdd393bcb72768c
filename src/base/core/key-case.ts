/** Conversion of keys between their two cases: `cors_origins` in files and requests, `corsOrigins` in code. */
import type { Json, JsonObject } from './json.ts';

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;
export type CamelCased<Section> = { [Key in keyof Section as CamelCase<Key & string>]: Section[Key] };

/** Converts the keys to camel case; values stay unchanged. */
export const camelCased = <Section extends object>(section: Section): CamelCased<Section> =>
  Object.fromEntries(
    Object.entries(section).map(([key, value]) => [key.replace(/_([a-z])/g, (_, one) => one.toUpperCase()), value]),
  ) as CamelCased<Section>;

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);

/** The listed members that are not undefined, with keys in snake case for files and responses. */
export const snakeCased = <Whole extends object>(whole: Whole, keys: readonly (keyof Whole & string)[]): JsonObject =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = whole[key] as Json | undefined;
      return value === undefined ? [] : [[snakeCase(key), value]];
    }),
  );
