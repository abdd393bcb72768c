/**
 * Limits the cost of applying a schema. References multiply: thirty definitions with two references each cause a
 * thousand million checks of one value, which cannot be interrupted. Such schemas are therefore rejected before use.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { valueAt } from './document.ts';

/** Maximum number of keywords with all references expanded. */
const MAX_WORDS = 3000;
/** A tree needs one recursive reference; two of them could multiply at every level. */
const MAX_RECURSIONS = 1;
/** Definitions only cost where they are referenced. */
const DEFINITIONS = new Set(['$defs', 'definitions']);

/** Describes why the schema is too expensive. Undefined if it is not. */
export function costProblem(schema: JsonObject | boolean): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  const known = new Map<string, number>();
  const open = new Set<string>();
  let recursions = 0;

  const ofReference = (reference: string): number => {
    const pointer = pointerOf(reference);
    const target = pointer === undefined ? undefined : valueAt(schema, pointer);
    // A recursive reference, or one that only the validator can resolve.
    if (target === undefined || open.has(pointer!)) {
      recursions += 1;
      return 1;
    }
    const before = known.get(pointer!);
    if (before !== undefined) return before;
    open.add(pointer!);
    const words = of(target);
    open.delete(pointer!);
    known.set(pointer!, words);
    return words;
  };

  const of = (value: Json): number => {
    if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + of(item), 1);
    if (!isObject(value)) return 1;
    let words = 1;
    for (const [key, inner] of Object.entries(value)) {
      const refers = (key === '$ref' || key === '$dynamicRef') && typeof inner === 'string';
      if (refers) words += ofReference(inner);
      else if (!DEFINITIONS.has(key) || !isObject(inner)) words += of(inner);
    }
    return words;
  };

  open.add('');
  const words = of(schema);
  if (words > MAX_WORDS) return `with its references written out it has more than ${MAX_WORDS} words`;
  return recursions > MAX_RECURSIONS ? 'it refers to itself in more than one place' : undefined;
}

/** `#/$defs/a%20b` → `/$defs/a b`. Undefined for a name or another document. */
function pointerOf(reference: string): string | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}
