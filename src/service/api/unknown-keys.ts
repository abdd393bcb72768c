/**
 * Finds keys of a body that its schema does not define. They are ignored; the response names them, so that typing
 * errors are noticed.
 */
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { readSchema } from '../../base/schema/schema-files.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { ShapeSchema } from './coercion.ts';

const MAX_NAMED = 10;
const MAX_NAME_LENGTH = 64;

/** The first few unknown keys as paths, with suggestions. `name` is a schema in `schemas/api/`. */
export function unknownKeysIn(body: JsonObject, name: string): string[] {
  const found: string[] = [];
  collect(body, readSchema(`api/${name}`) as ShapeSchema, '', found);
  return found;
}

function collect(body: JsonObject, { properties }: ShapeSchema, where: string, found: string[]): void {
  if (!properties) return;
  for (const [key, value] of Object.entries(body)) {
    if (found.length === MAX_NAMED) return;
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known && isObject(value)) collect(value, known, `${where}${key}.`, found);
    if (known) continue;
    const meant = didYouMean(key, Object.keys(properties));
    found.push(`${where}${key.slice(0, MAX_NAME_LENGTH)}${meant === undefined ? '' : ` (${meant})`}`);
  }
}
