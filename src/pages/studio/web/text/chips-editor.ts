/**
 * Editor for a text with values, which are chips in it (`value-chips.ts`), with a list of values while one is typed. It
 * has no history: its owner writes each change to the text of the flow.
 */
import { Annotation, EditorSelection, EditorState, Transaction } from '@codemirror/state';
import { EditorView, placeholder as placeholderOf } from '@codemirror/view';
import { editorNonce, proposalsLook } from './editor-look.ts';
import { editorProposals, type Proposals } from './editor-proposals.ts';
import { type ChipOptions, redrawChips, valueChips } from './value-chips.ts';

export interface ChipsEditorOptions extends ChipOptions {
  text: string;
  isLocked: boolean;
  placeholder: string;
  /** Cursor of a field that this one replaces, and a character that was typed there. The editor takes the focus. */
  began: { cursor: number; typed: string } | undefined;
  /** Attributes of the text box, read at each change and at each `show`. */
  attributes(): Record<string, string>;
  /** Values to propose between the text before the cursor and the text after it. Positions are in the text before it. */
  propose(before: string, after: string): Proposals | undefined;
  onText(text: string): void;
  onEnter(): void;
  onLeave(): void;
}

export interface ChipsEditor {
  /** Shows a text, and draws the chips again. The cursor stays where it is. */
  show(text: string): void;
  /** Replaces a part of the text, by default the selection, as the author would. */
  replace(insert: string, part?: { from: number; to: number }): void;
  focus(): void;
  destroy(): void;
}

/** Marks a change that does not come from the author. */
const isOutside = Annotation.define<boolean>();

export function openChipsEditor(parent: HTMLElement, options: ChipsEditorOptions): ChipsEditor {
  const { text, began, isLocked } = options;
  const typed = began?.typed ?? '';
  const start = (began?.cursor ?? text.length) - typed.length;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text.slice(0, start) + text.slice(start + typed.length),
      selection: EditorSelection.cursor(start),
      extensions: [
        editorNonce,
        proposalsLook,
        look,
        EditorState.lineSeparator.of('\n'),
        EditorState.readOnly.of(isLocked),
        EditorView.lineWrapping,
        placeholderOf(options.placeholder),
        EditorView.contentAttributes.of(() => options.attributes()),
        valueChips(options),
        isLocked ? [] : editorProposals((state) => proposalsAt(state, options)),
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          const isOwn = transactions.some((each) => each.docChanged && each.annotation(isOutside) !== true);
          if (docChanged && isOwn) options.onText(state.sliceDoc());
        }),
        EditorView.domEventHandlers({ focus: () => options.onEnter(), blur: () => options.onLeave() }),
      ],
    }),
  });
  if (began !== undefined) view.focus();
  if (typed !== '') {
    // Typed again here, so that its list opens.
    view.dispatch({
      changes: { from: start, insert: typed },
      selection: { anchor: start + typed.length },
      annotations: Transaction.userEvent.of('input.type'),
    });
  }
  return {
    show(next) {
      const changes = changeTo(view.state.sliceDoc(), next);
      view.dispatch({
        effects: redrawChips.of(null),
        ...(changes !== undefined && { changes, annotations: isOutside.of(true) }),
      });
    },
    replace(insert, part = view.state.selection.main) {
      const { from, to } = part;
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + insert.length },
        userEvent: 'input.complete',
      });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function proposalsAt(state: EditorState, { propose }: ChipsEditorOptions): Proposals | undefined {
  const { head, empty } = state.selection.main;
  return empty ? propose(state.sliceDoc(0, head), state.sliceDoc(head)) : undefined;
}

/** The shortest change from one text to another, which leaves the cursor where it is. */
function changeTo(before: string, after: string): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined;
  let from = 0;
  while (from < before.length && before[from] === after[from]) from++;
  let end = 0;
  const most = Math.min(before.length, after.length) - from;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** The owner draws the box of the field. */
const look = EditorView.theme({
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { padding: '0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--faint)' },
});
