/** How much a value is, in characters of its JSON, roughly: cheap enough to be asked of every entry of a journal. */
import type { Json } from '../core/json.ts';

export function jsonSize(value: Json | undefined): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let weight = 2;
  if (Array.isArray(value)) {
    for (const item of value) weight += 1 + jsonSize(item);
    return weight;
  }
  for (const key in value) weight += key.length + 4 + jsonSize(value[key]);
  return weight;
}
