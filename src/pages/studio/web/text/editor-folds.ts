/**
 * Folding by indentation: more deeply indented lines fold into the line above, with the gutter, keys, and the
 * placeholder of a fold. Used by `editor.tsx`.
 *
 * Invariant: lines that contain the cursor or a change are never folded.
 */
import {
  type EditorState,
  type Extension,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state';
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  type KeyBinding,
  WidgetType,
} from '@codemirror/view';
import { t } from '../../../shared/web/words/translate.ts';

interface Fold {
  from: number;
  to: number;
}

const fold = StateEffect.define<readonly Fold[]>({
  map: (folds, change) => folds.map(({ from, to }) => ({ from: change.mapPos(from, 1), to: change.mapPos(to, -1) })),
});
const unfold = StateEffect.define<readonly Fold[]>({
  map: (folds, change) => folds.map(({ from, to }) => ({ from: change.mapPos(from, 1), to: change.mapPos(to, -1) })),
});

/** Range that a line folds: from its end to the end of the last more deeply indented line. */
export function foldOf(document: Text, at: number): Fold | undefined {
  const line = document.lineAt(at);
  if (line.text.trim() === '') return undefined;
  const indent = indentOf(line.text);
  let to = line.to;
  for (let number = line.number + 1; number <= document.lines; number++) {
    const next = document.line(number);
    if (next.text.trim() === '') continue;
    if (indentOf(next.text) <= indent) break;
    to = next.to;
  }
  return to > line.to ? { from: line.to, to } : undefined;
}

/** True if a line folds. Reads only the next line that is not empty, because the gutter asks for each visible line. */
function isFoldable(document: Text, at: number): boolean {
  const line = document.lineAt(at);
  if (line.text.trim() === '') return false;
  for (let number = line.number + 1; number <= document.lines; number++) {
    const next = document.line(number);
    if (next.text.trim() !== '') return indentOf(next.text) > indentOf(line.text);
  }
  return false;
}

const indentOf = (line: string): number => /^ */.exec(line)![0].length;

class Sign extends WidgetType {
  toDOM(view: EditorView): HTMLElement {
    const sign = document.createElement('span');
    sign.textContent = '…';
    sign.title = t('Unfold');
    sign.className = 'cm-foldPlaceholder';
    sign.setAttribute('aria-label', 'folded lines');
    sign.onclick = (event) => {
      unfoldAt(view, view.posAtDOM(sign));
      event.preventDefault();
    };
    return sign;
  }
}

const FOLDED = Decoration.replace({ widget: new Sign() });

const folds = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, docChanged, effects, selection, state }) {
    let folded = before.map(changes);
    for (const effect of effects) {
      if (effect.is(fold)) {
        const known = foldsIn(folded);
        const fresh = effect.value.filter(({ from, to }) => to > from && !known.some((each) => each.from === from));
        folded = folded.update({ add: fresh.map(({ from, to }) => FOLDED.range(from, to)), sort: true });
      } else if (effect.is(unfold)) {
        const gone = new Set(effect.value.map(({ from }) => from));
        folded = folded.update({ filter: (from) => !gone.has(from) });
      }
    }
    if (docChanged) {
      changes.iterChangedRanges((_, __, from, to) => {
        folded = folded.update({
          filter: (start, end) => start > to || end < from || !touches(state, start, from, to),
        });
      });
    }
    if (selection === undefined) return folded;
    const { head } = selection.main;
    return folded.update({ filter: (from, to) => head <= from || head >= to });
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** True if a change affects the folded lines, or the end of the line they are folded into. */
const touches = ({ doc }: EditorState, start: number, from: number, to: number): boolean =>
  to > doc.lineAt(Math.min(start, doc.length)).to || from >= start;

function foldsIn(set: DecorationSet): Fold[] {
  const found: Fold[] = [];
  for (const at = set.iter(); at.value !== null; at.next()) found.push({ from: at.from, to: at.to });
  return found;
}

/** The fold that starts in the line of a position. */
function foldedAt(state: EditorState, at: number): Fold | undefined {
  const line = state.doc.lineAt(at);
  return foldsIn(state.field(folds)).find(({ from }) => from >= line.from && from <= line.to);
}

function unfoldAt(view: EditorView, at: number): boolean {
  const folded = foldedAt(view.state, at);
  if (folded !== undefined) view.dispatch({ effects: unfold.of([folded]) });
  return folded !== undefined;
}

/** Folds the innermost range around the cursor. */
const foldCode: Command = (view) => {
  const { doc, selection } = view.state;
  for (let number = doc.lineAt(selection.main.head).number; number > 0; number--) {
    const found = foldOf(doc, doc.line(number).from);
    if (found === undefined || found.to < selection.main.head || foldedAt(view.state, found.from)) continue;
    view.dispatch({ effects: fold.of([found]), selection: { anchor: found.from } });
    return true;
  }
  return false;
};

const unfoldCode: Command = (view) => unfoldAt(view, view.state.selection.main.head);

const foldAll: Command = ({ state, dispatch }) => {
  const found: Fold[] = [];
  for (let at = 0; at <= state.doc.length; ) {
    const each = foldOf(state.doc, at);
    if (each !== undefined) found.push(each);
    at = state.doc.lineAt(each?.to ?? at).to + 1;
  }
  dispatch(state.update({ effects: fold.of(found) }));
  return found.length > 0;
};

const unfoldAll: Command = ({ state, dispatch }) => {
  const found = foldsIn(state.field(folds));
  dispatch(state.update({ effects: unfold.of(found) }));
  return found.length > 0;
};

export const foldKeys: readonly KeyBinding[] = [
  { key: 'Ctrl-Shift-[', mac: 'Cmd-Alt-[', run: foldCode },
  { key: 'Ctrl-Shift-]', mac: 'Cmd-Alt-]', run: unfoldCode },
  { key: 'Ctrl-Alt-[', run: foldAll },
  { key: 'Ctrl-Alt-]', run: unfoldAll },
];

class Marker extends GutterMarker {
  readonly isFolded: boolean;

  constructor(isFolded: boolean) {
    super();
    this.isFolded = isFolded;
  }

  override eq(other: Marker): boolean {
    return this.isFolded === other.isFolded;
  }

  override toDOM(): HTMLElement {
    const sign = document.createElement('span');
    sign.textContent = this.isFolded ? '›' : '⌄';
    sign.title = this.isFolded ? t('Unfold') : t('Fold');
    return sign;
  }
}

const FOLDABLE = new Marker(false);
const UNFOLDABLE = new Marker(true);

const foldGutter = gutter({
  class: 'cm-foldGutter',
  markers({ state, viewportLineBlocks }) {
    const marks: Range<GutterMarker>[] = viewportLineBlocks.flatMap(({ from }) => {
      if (foldedAt(state, from) !== undefined) return UNFOLDABLE.range(from);
      return isFoldable(state.doc, from) ? FOLDABLE.range(from) : [];
    });
    return RangeSet.of(marks);
  },
  initialSpacer: () => FOLDABLE,
  domEventHandlers: {
    click(view, { from }) {
      if (unfoldAt(view, from)) return true;
      const found = foldOf(view.state.doc, from);
      if (found !== undefined) view.dispatch({ effects: fold.of([found]) });
      return found !== undefined;
    },
  },
});

export const editorFolds: Extension = [folds, foldGutter];
