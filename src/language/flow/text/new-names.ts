/** Names and places of new parts of a flow. */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import type { AddChange } from './change.ts';
import type { Path } from './flow-source.ts';

/** The name, or the name with the first unused counter. */
export function freshName(base: string, taken: Iterable<string>): string {
  const names = new Set(taken);
  if (!names.has(base)) return base;
  const stem = base.replace(/_\d+$/, '');
  for (let count = 2; ; count++) if (!names.has(`${stem}_${count}`)) return `${stem}_${count}`;
}

/** Inserts new top-level keys before `start` and the steps. */
export function addTo(flow: JsonObject, path: Path, key: string, value: Json): AddChange {
  if (path.length > 0) return { do: 'add', path, key, value };
  const keys = Object.keys(flow);
  const index = keys.findIndex((name) => name === 'start' || name === 'steps');
  if (index < 0) return { do: 'add', path, key, value };
  return { do: 'add', path, key, value, ...(index === 0 ? { first: true } : { after: keys[index - 1]! }) };
}
