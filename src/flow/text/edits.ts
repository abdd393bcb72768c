/** Changes of characters: what edits of a flow come to, and what the text editor applies as one transaction. */

export interface Edit {
  from: number;
  to: number;
  insert: string;
}

/** Why an edit is not made, in words for the author. Nothing was changed. */
export interface Refusal {
  refused: string;
  hint?: string;
}

export type Edits = Edit[] | Refusal;

export const isRefusal = <Made extends object>(made: Made | Refusal): made is Refusal => 'refused' in made;

/** All places are those of `text`. Edits do not overlap; those at one place are made in the order given. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let made = '';
  let at = 0;
  for (const { from, to, insert } of inOrder(edits)) {
    made += text.slice(at, from) + insert;
    at = to;
  }
  return made + text.slice(at);
}

/** The edits of the new text that give the old one again. */
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
