/**
 * What a schema may cost to apply. References multiply: thirty definitions of two references each make a thousand million
 * checks of one value, which nothing could stop once they have begun. So a schema is refused before it is used.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { valueAt } from './document.ts';

/** Words of the schema with every reference written out. */
const MOST_WORDS = 3000;
/** A tree takes one reference to itself; two of them may meet at every level. */
const MOST_RECURSIONS = 1;
/** They cost nothing where they stand, only where they are referred to. */
const DEFINITIONS = new Set(['$defs', 'definitions']);

/** Why the schema would cost too much; undefined when it would not. */
export function costProblem(schema: JsonObject | boolean): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  const known = new Map<string, number>();
  const open = new Set<string>();
  let recursions = 0;

  const ofReference = (reference: string): number => {
    const pointer = pointerOf(reference);
    const target = pointer === undefined ? undefined : valueAt(schema, pointer);
    // To itself from within, or to where only the validator finds it.
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
  if (words > MOST_WORDS) return `with its references written out it has more than ${MOST_WORDS} words`;
  return recursions > MOST_RECURSIONS ? 'it refers to itself in more than one place' : undefined;
}

/** `#/$defs/a%20b` → `/$defs/a b`; undefined for a name, or another document. */
function pointerOf(reference: string): string | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}
