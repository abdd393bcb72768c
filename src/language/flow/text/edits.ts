/** Edits of characters: the result of a change of a flow, which the text editor applies as one transaction. */

export interface Edit {
  from: number;
  to: number;
  insert: string;
}

/** Reason for which an edit is refused, in words for the author. The text is unchanged. */
export interface EditRefusal {
  refused: string;
  hint?: string;
}

export type Edits = Edit[] | EditRefusal;

export const isRefusal = <Made extends object>(made: Made | EditRefusal): made is EditRefusal => 'refused' in made;

/**
 * Applies edits whose offsets all refer to `text`. Edits must not overlap; edits at one offset are applied in the given
 * order.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let made = '';
  let at = 0;
  for (const { from, to, insert } of inOrder(edits)) {
    made += text.slice(at, from) + insert;
    at = to;
  }
  return made + text.slice(at);
}

/** Edits of the new text that restore the old one. */
export function inverseOf(text: string, edits: readonly Edit[]): Edit[] {
  let moved = 0;
  return inOrder(edits).map(({ from, to, insert }) => {
    const start = from + moved;
    moved += insert.length - (to - from);
    return { from: start, to: start + insert.length, insert: text.slice(from, to) };
  });
}

export function doOverlap(edits: readonly Edit[]): boolean {
  const sorted = inOrder(edits);
  return sorted.some(({ from }, index) => index > 0 && from < sorted[index - 1]!.to);
}

const inOrder = (edits: readonly Edit[]): Edit[] => edits.toSorted((one, other) => one.from - other.from);
