/** Keys in the two cases that they have: `cors_origins` in files and requests, `corsOrigins` in the code. */
import type { Json, JsonObject } from './json.ts';

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;
export type CamelCased<Section> = { [Key in keyof Section as CamelCase<Key & string>]: Section[Key] };

/** The keys as the code names them; their values stay as they are. */
export const camelCased = <Section extends object>(section: Section): CamelCased<Section> =>
  Object.fromEntries(
    Object.entries(section).map(([key, value]) => [key.replace(/_([a-z])/g, (_, one) => one.toUpperCase()), value]),
  ) as CamelCased<Section>;

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);

/** The members that are named and not undefined, with their keys as files and responses have them. */
export const snakeCased = <Whole extends object>(whole: Whole, keys: readonly (keyof Whole & string)[]): JsonObject =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = whole[key] as Json | undefined;
      return value === undefined ? [] : [[snakeCase(key), value]];
    }),
  );
