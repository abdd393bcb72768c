/** Places of values and keys in the text of a document, and edits that repair them. */
import type { SourceLocation, TextEdit } from '../core/diagnostic.ts';
import type { Json } from '../core/json.ts';
import type { SourceDocument } from './document.ts';

export type TextRange = readonly [start: number, end: number];

export interface ReadDocument {
  file: string;
  value: Json;
  text: string;
  /** Places of values and of keys, by the pointer of the value. */
  values: ReadonlyMap<string, TextRange>;
  keys: ReadonlyMap<string, TextRange>;
  place(offset: number): SourceLocation;
}

export function sourceDocument({ file, value, text, values, keys, place }: ReadDocument): SourceDocument {
  const nearest = (pointer: string): { range: TextRange; exact: boolean } => {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const range = values.get(at);
      if (range !== undefined) return { range, exact: at === pointer };
      if (at === '') return { range: [0, 0], exact: false };
    }
  };
  return {
    file,
    value,
    hasLines: true,
    locationOf(pointer, offset) {
      const { range, exact } = nearest(pointer);
      if (offset === undefined || !exact) return place(range[0]);
      // An offset is exact only if the text is written literally, without escapes or folding.
      const raw = text.slice(range[0], range[1]);
      if (/^"[^"\\\n]*"$|^'[^'\n]*'$/.test(raw)) return place(range[0] + 1 + offset);
      return place(/^["'|>]|\n/.test(raw) ? range[0] : range[0] + offset);
    },
    editOf(pointer, repair, atKey) {
      const range =
        repair === 'remove'
          ? entryRange(text, keys.get(pointer), values.get(pointer))
          : (atKey ? keys : values).get(pointer);
      if (range === undefined) return undefined;
      if (repair === 'remove') return editBetween(place, range, '');
      const raw = text.slice(range[0], range[1]);
      const quote = /^"[^"\\\n]*"$/.test(raw) ? '"' : /^'[^'\n]*'$/.test(raw) ? "'" : '';
      const isPlain = quote === '' && /^[^"'|>&*!\n][^\n]*$/.test(raw);
      // No repair for text that must be escaped or would end the scalar.
      const isSafe =
        quote === ''
          ? /^[\w$.()[\] -]*$/.test(repair.text)
          : !/["'\\\n]/.test(repair.text.replaceAll(quote === '"' ? "'" : '"', ''));
      if (!(quote !== '' || isPlain) || !isSafe) return undefined;
      const { from = 0, to = raw.length - 2 * quote.length } = repair;
      const start = range[0] + quote.length;
      return editBetween(place, [start + from, start + to], repair.text);
    },
    keyLocationOf(pointer) {
      const range = keys.get(pointer);
      return range === undefined ? this.locationOf(pointer) : place(range[0]);
    },
  };
}

export function editBetween(place: (offset: number) => SourceLocation, [from, to]: TextRange, text: string): TextEdit {
  const [{ line, column }, end] = [place(from), place(to)];
  return { line, column, endLine: end.line, endColumn: end.column, text };
}

/** TextRange of complete lines; an entry that shares its line with others is not removed. */
function entryRange(text: string, key: TextRange | undefined, value: TextRange | undefined): TextRange | undefined {
  if (key === undefined || value === undefined) return undefined;
  const start = text.lastIndexOf('\n', key[0] - 1) + 1;
  const end = key[0] + text.slice(key[0], value[1]).trimEnd().length;
  const rest = /^[ \t]*(?:#[^\n]*)?(\n|$)/.exec(text.slice(end));
  return rest && text.slice(start, key[0]).trim() === '' ? [start, end + rest[0].length] : undefined;
}
