/** Marks in the text: the lines of the selected steps, and a flash for characters that have just changed. */
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Range } from '../../../../language/flow/text/text-edits.ts';

export const markSteps = StateEffect.define<readonly Range[]>();
export const flash = StateEffect.define<readonly Range[]>();
/** Must match the animation in `editor.css`. */
export const FLASH_MS = 1200;

const stepField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marked, { changes, effects, state }) {
    let next = marked.map(changes);
    for (const effect of effects) {
      if (effect.is(markSteps)) next = linesOf(state.doc, effect.value);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function linesOf(document: EditorView['state']['doc'], ranges: readonly Range[]): DecorationSet {
  const numbers = new Set<number>();
  for (const { from, to } of ranges) {
    const last = document.lineAt(Math.min(to, document.length)).number;
    for (let line = document.lineAt(Math.min(from, document.length)).number; line <= last; line++) numbers.add(line);
  }
  const lines = [...numbers].map((line) => Decoration.line({ class: 'cm-step' }).range(document.line(line).from));
  return Decoration.set(lines, true);
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
