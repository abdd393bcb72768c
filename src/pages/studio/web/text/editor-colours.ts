/**
 * Syntax highlighting for YAML, also while the text is invalid. Uses `scan-yaml.ts`; the colours are in
 * `editor-look.ts`.
 */
import type { Text } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin } from '@codemirror/view';
import type { Word } from '../../../../language/flow/text/scan-yaml.ts';
import { type ScannedText, scanText } from '../../../../language/flow/text/scanned-text.ts';

/** Kind of a range. */
export type Colour = 'key' | 'string' | 'remark' | 'name' | 'sign';

export interface Stretch {
  from: number;
  to: number;
  colour: Colour;
}

/** Tokens between words: comments, anchors and tags, punctuation. */
const BETWEEN = /(?<![^\s])#[^\n]*|[&*!][^\s,[\]{}]*|[[\]{},:?-]|---|\.\.\./g;

/** Coloured ranges in `from`–`to`, in order. */
export function stretchesIn(text: string, words: readonly Word[], from: number, to: number): Stretch[] {
  const found: Stretch[] = [];
  const between = (start: number, end: number): void => {
    BETWEEN.lastIndex = start;
    for (let match = BETWEEN.exec(text); match !== null && match.index < end; match = BETWEEN.exec(text)) {
      found.push({ from: match.index, to: match.index + match[0].length, colour: colourOf(match[0]) });
    }
  };
  let at = Math.max(0, text.lastIndexOf('\n', from - 1) + 1);
  for (let index = firstBehind(words, at); index < words.length; index++) {
    const word = words[index]!;
    if (word.from >= to) break;
    between(at, word.from);
    found.push(...coloursOf(word, text));
    at = Math.max(at, word.to);
  }
  between(at, to);
  return found;
}

function colourOf(sign: string): Colour {
  if (sign.startsWith('#')) return 'remark';
  return /^[&*!]/.test(sign) ? 'name' : 'sign';
}

function coloursOf({ kind, from, to }: Word, text: string): Stretch[] {
  if (kind === 'key') return [{ from, to, colour: 'key' }];
  const first = text[from]!;
  if (/[&*!]/.test(first)) return [{ from, to, colour: 'name' }];
  if (first === '"' || first === "'") return [{ from, to, colour: 'string' }];
  if (first !== '|' && first !== '>') return [];
  return [{ from, to: from + /^\S*/.exec(text.slice(from, to))![0].length, colour: 'string' }];
}

/** Index of the first word that ends after a position. */
function firstBehind(words: readonly Word[], at: number): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle]!.to <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MARKS: Readonly<Record<Colour, Decoration>> = {
  key: Decoration.mark({ class: 'cm-key' }),
  string: Decoration.mark({ class: 'cm-string' }),
  remark: Decoration.mark({ class: 'cm-remark' }),
  name: Decoration.mark({ class: 'cm-name' }),
  sign: Decoration.mark({ class: 'cm-sign' }),
};

class Colouring {
  decorations: DecorationSet;
  #document: Text | undefined;
  #scanned: ScannedText | undefined;

  constructor(view: EditorView) {
    this.decorations = this.#draw(view);
  }

  update({
    view,
    docChanged,
    viewportChanged,
  }: {
    view: EditorView;
    docChanged: boolean;
    viewportChanged: boolean;
  }): void {
    if (docChanged || viewportChanged) this.decorations = this.#draw(view);
  }

  #draw({ state, visibleRanges }: EditorView): DecorationSet {
    if (this.#scanned === undefined || this.#document !== state.doc) {
      this.#document = state.doc;
      this.#scanned = scanText(state.sliceDoc());
    }
    const scanned = this.#scanned;
    const stretches = visibleRanges.flatMap(({ from, to }) => {
      const line = state.doc.lineAt(from).from;
      return stretchesIn(scanned.text, scanned.wordsNear(line, to), line, to);
    });
    const shown = stretches.filter(({ from, to }) => to > from);
    return Decoration.set(
      shown.map(({ from, to, colour }) => MARKS[colour].range(from, to)),
      true,
    );
  }
}

export const editorColours = ViewPlugin.fromClass(Colouring, { decorations: ({ decorations }) => decorations });
