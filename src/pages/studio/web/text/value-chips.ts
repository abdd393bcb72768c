/**
 * CodeMirror extension that shows values in a text as chips, which the cursor passes and keys delete as one character.
 * `chips-editor.ts` uses it.
 */
import { insertNewline, standardKeymap } from '@codemirror/commands';
import { type EditorState, type Extension, type Range, StateEffect, StateField } from '@codemirror/state';
import { type Command, Decoration, type DecorationSet, EditorView, keymap, WidgetType } from '@codemirror/view';

/** Value in a text, with its place. */
export interface ValuePiece {
  from: number;
  to: number;
  expression: string;
}

export interface ChipOptions {
  /** Values of a text, in order. */
  valuesIn(text: string): readonly ValuePiece[];
  /** Name of the value, and what it is in a simulated call; empty if that is not known. */
  wordsOf(expression: string): { name: string; now: string };
  /** Opens the box of a value. `chip` is its chip on the page. */
  open(piece: ValuePiece, chip: Element): void;
  /** Escape without a list of proposals. */
  onEscape(): void;
}

/** Draws the chips again, because the values of the call have changed. */
export const redrawChips = StateEffect.define();

class Chip extends WidgetType {
  readonly expression: string;
  readonly name: string;
  readonly now: string;
  readonly isNear: boolean;

  constructor(expression: string, { name, now }: { name: string; now: string }, isNear: boolean) {
    super();
    this.expression = expression;
    this.name = name;
    this.now = now;
    this.isNear = isNear;
  }

  override eq({ expression, now, isNear }: Chip): boolean {
    return expression === this.expression && now === this.now && isNear === this.isNear;
  }

  override toDOM(): HTMLElement {
    const chip = document.createElement('span');
    chip.className = this.isNear ? 'value-chip near' : 'value-chip';
    chip.role = 'button';
    chip.dir = 'auto';
    chip.title = this.expression;
    chip.append(this.name);
    if (this.now !== '') {
      const now = document.createElement('b');
      now.textContent = this.now;
      chip.append(' ', now);
    }
    return chip;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

interface Drawn {
  values: readonly ValuePiece[];
  chips: DecorationSet;
  lines: DecorationSet;
}

const LINE = Decoration.line({ attributes: { dir: 'auto' } });

export function valueChips(options: ChipOptions): Extension {
  const draw = (state: EditorState): Drawn => {
    const values = options.valuesIn(state.sliceDoc());
    const near = valueAtCursor(state, values);
    const made: Range<Decoration>[] = values.map((piece) => {
      const { from, to, expression } = piece;
      const widget = new Chip(expression, options.wordsOf(expression), piece === near);
      return Decoration.replace({ widget }).range(from, to);
    });
    const starts = Array.from({ length: state.doc.lines }, (_, index) => state.doc.line(index + 1).from);
    return {
      values,
      chips: Decoration.set(made),
      lines: Decoration.set(starts.map((from) => LINE.range(from))),
    };
  };
  const field = StateField.define<Drawn>({
    create: draw,
    update(drawn, { docChanged, selection, effects, state }) {
      const isAsked = effects.some((effect) => effect.is(redrawChips));
      return docChanged || selection !== undefined || isAsked ? draw(state) : drawn;
    },
    provide: (own) => [
      EditorView.decorations.from(own, (drawn) => drawn.chips),
      EditorView.decorations.from(own, (drawn) => drawn.lines),
      EditorView.atomicRanges.of((view) => view.state.field(own).chips),
    ],
  });
  const chipsIn = (view: EditorView): Element[] => [...view.contentDOM.querySelectorAll('.value-chip')];
  const openPiece = (view: EditorView, piece: ValuePiece | undefined): boolean => {
    if (piece === undefined || view.state.readOnly) return false;
    const index = view.state.field(field).values.indexOf(piece);
    view.dispatch({ selection: { anchor: piece.to } });
    options.open(piece, chipsIn(view)[index]!);
    return true;
  };
  const openAtCursor: Command = (view) => openPiece(view, valueAtCursor(view.state, view.state.field(field).values));
  const leave: Command = () => {
    options.onEscape();
    return true;
  };
  return [
    field,
    EditorView.perLineTextDirection.of(true),
    EditorView.domEventHandlers({
      // A cursor that moves would draw the pressed chip again, and so end its click.
      mousedown(event) {
        const isChip = chipAt(event) !== null;
        if (isChip) event.preventDefault();
        return isChip;
      },
      click(event, view) {
        const chip = chipAt(event);
        return chip !== null && openPiece(view, view.state.field(field).values[chipsIn(view).indexOf(chip)]);
      },
      // The only history is that of the text of the flow.
      beforeinput(event) {
        if (event.inputType.startsWith('history')) event.preventDefault();
        return event.defaultPrevented;
      },
    }),
    keymap.of([
      { key: 'Enter', run: openAtCursor },
      { key: 'Enter', run: insertNewline, shift: insertNewline },
      { key: 'Escape', run: leave },
      ...standardKeymap,
    ]),
  ];
}

const chipAt = ({ target }: Event): Element | null =>
  target instanceof Element ? target.closest('.value-chip') : null;

/** The value that is selected, or at which the cursor is; of two, the one after it. */
function valueAtCursor({ selection: { main } }: EditorState, values: readonly ValuePiece[]): ValuePiece | undefined {
  const { from, to, empty, head } = main;
  if (!empty) return values.find((piece) => piece.from === from && piece.to === to);
  return values.find((piece) => piece.from === head) ?? values.find((piece) => piece.to === head);
}
