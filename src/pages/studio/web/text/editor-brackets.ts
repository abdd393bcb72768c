/** Highlights the bracket at the cursor and its match. `editor-language.ts` finds it. */
import { type EditorState, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { matchBrackets } from './editor-language.ts';

const MATCHING = Decoration.mark({ class: 'cm-matchingBracket' });
const ALONE = Decoration.mark({ class: 'cm-nonmatchingBracket' });

export const editorBrackets = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marked, { docChanged, selection, state }) {
    return docChanged || selection !== undefined ? bracketsIn(state) : marked;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function bracketsIn(state: EditorState): DecorationSet {
  const marks = state.selection.ranges.flatMap(({ empty, head }) => {
    const match = empty ? (matchBrackets(state, head, -1) ?? matchBrackets(state, head, 1)) : null;
    if (match === null) return [];
    const mark = match.matched ? MATCHING : ALONE;
    return [match.start, ...(match.end ? [match.end] : [])].map(({ from, to }) => mark.range(from, to));
  });
  return Decoration.set(marks, true);
}
