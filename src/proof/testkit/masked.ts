/** Compares values that may be masked: a mask matches anything. */
import { isObject, type Json } from '../../base/core/json.ts';
import { MASK } from '../../service/runtime/journal.ts';

/** Equality of JSON in which a mask, as a value or as part of a text, matches anything on the other side. */
export function equalExceptMasks(one: Json | undefined, other: Json | undefined): boolean {
  if (one === MASK || other === MASK) return true;
  if (typeof one === 'string' && typeof other === 'string') return stringsMatch(one, other);
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => equalExceptMasks(item, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...keys].every((key) => equalExceptMasks(one[key], other[key]));
  }
  return one === other;
}

function stringsMatch(one: string, other: string): boolean {
  if (one === other) return true;
  return (one.includes(MASK) && matchesMasked(one, other)) || (other.includes(MASK) && matchesMasked(other, one));
}

/** True if a text consists of the pieces around the masks, in order, with any text between them. */
function matchesMasked(masked: string, text: string): boolean {
  const pieces = masked.split(MASK);
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
