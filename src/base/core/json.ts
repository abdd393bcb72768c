/** Plain JSON data, the type of values at module, thread and node boundaries. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function mapValues<Value, Made>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/**
 * Copy of an object without its undefined members. The type results from the context. The loop avoids arrays of entries
 * because every request and every decision of a call runs it: filtering entries costs five times as much.
 */
export function defined<Whole>(members: NoInfer<MayLackMembers<Whole>>): Whole {
  const given = members as Record<string, unknown>;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(given)) {
    const value = given[key];
    // A key named __proto__ would set the prototype.
    if (value !== undefined && key !== '__proto__') kept[key] = value;
  }
  return kept as Whole;
}

/** Allows undefined values also in records; optional members may be undefined in any case. */
export type MayLackMembers<Whole> = { [Key in keyof Whole]: string extends Key ? Whole[Key] | undefined : Whole[Key] };

export function cloneJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(cloneJson) : mapValues(value, cloneJson);
}

/** Undefined if the text is not valid JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * Like `parseJson`, but keeps integers that a number cannot represent as the text of their digits, because ids would
 * change.
 */
export function parseExactJson(text: string): Json | undefined {
  if (!/\d{16}/.test(text)) return parseJson(text);
  const exact = (_key: string, value: Json, { source }: { source?: string } = {}): Json =>
    typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? source
      : value;
  try {
    return JSON.parse(text, exact) as Json;
  } catch {
    return undefined;
  }
}

/** Iterates level by level, because recursion would overflow the stack on deep data. */
export function isDeeperThan(value: Json, maxDepth: number): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((inner) => (typeof inner === 'object' && inner !== null ? Object.values(inner) : []));
  }
  return false;
}

/** Canonical text: equal data give the same text, whatever the order of their keys. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  // A loop, because each check of a flow writes all of its values.
  let text = '';
  for (const key of Object.keys(value).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonical(value[key]!)}`;
  }
  return `{${text}}`;
}

/** True for equal data, whatever the order of keys. Shared parts are not compared, so that a changed copy is cheap. */
export function isEqualJson(one: Json | undefined, other: Json | undefined): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isEqualJson(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqualJson(one[key], other[key]))
  );
}
