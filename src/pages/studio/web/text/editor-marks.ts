/** Marks in the text: the lines of the selected step, and a flash for characters that have just changed. */
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Range } from '../../../../language/flow/text/text-edits.ts';

export const markStep = StateEffect.define<Range | undefined>();
export const flash = StateEffect.define<readonly Range[]>();
/** Must match the animation in `editor.css`. */
export const FLASH_MS = 1200;

const stepField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marked, { changes, effects, state }) {
    let next = marked.map(changes);
    for (const effect of effects) {
      if (!effect.is(markStep)) continue;
      next = effect.value === undefined ? Decoration.none : linesOf(state.doc, effect.value);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function linesOf(document: EditorView['state']['doc'], { from, to }: Range): DecorationSet {
  const last = document.lineAt(Math.min(to, document.length)).number;
  const lines = [];
  for (let line = document.lineAt(Math.min(from, document.length)).number; line <= last; line++) {
    lines.push(Decoration.line({ class: 'cm-step' }).range(document.line(line).from));
  }
  return Decoration.set(lines);
}

const FLASHED = Decoration.mark({ class: 'cm-flash' });

const flashField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marked, { changes, effects }) {
    let next = marked.map(changes);
    for (const effect of effects) {
      if (!effect.is(flash)) continue;
      next = Decoration.set(
        effect.value.filter(({ from, to }) => to > from).map(({ from, to }) => FLASHED.range(from, to)),
      );
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const editorMarks = [stepField, flashField];
