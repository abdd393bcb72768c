/** How much a value is, in characters of its JSON, roughly: cheap enough to be asked of every entry of a journal. */
import type { Json } from '../core/json.ts';

export function weightOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let weight = 2;
  if (Array.isArray(value)) {
    for (const item of value) weight += 1 + weightOf(item);
    return weight;
  }
  for (const key in value) weight += key.length + 4 + weightOf(value[key]);
  return weight;
}
