/**
 * Text of a flow until the text editor is loaded, which is most of the code of the screen. Changes of the graph are
 * applied at once, and repeated in the editor, so that they can be undone there.
 */
import { applyEdits } from '../../../../language/flow/text/edits.ts';
import type { Range } from '../../../../language/flow/text/text-edits.ts';
import type { TextChange, TextHandle } from './text-handle.ts';

export class EarlyText implements TextHandle {
  /** Text before the changes, with which the editor begins. */
  readonly first: string;
  #text: string;
  readonly #changes: Parameters<TextHandle['change']>[] = [];
  #marked: readonly Range[] = [];
  #wanted: Range | undefined;
  #isFocused = false;
  readonly #onText: (text: string) => void;

  constructor(text: string, onText: (text: string) => void) {
    this.first = text;
    this.#text = text;
    this.#onText = onText;
  }

  get text(): string {
    return this.#text;
  }

  readonly at = 0;

  change(changes: readonly TextChange[], title: string, joins = false): void {
    this.#changes.push([changes, title, joins]);
    this.#text = applyEdits(this.#text, changes);
    this.#onText(this.#text);
  }

  goTo(range: Range): void {
    this.#wanted = range;
  }

  mark(ranges: readonly Range[]): void {
    this.#marked = ranges;
  }

  /** The owner shows the problems again when the editor is there. */
  show(): void {}

  focus(): void {
    this.#isFocused = true;
  }

  /** Does in the editor what was done before it was there. */
  handOver(editor: TextHandle): void {
    for (const change of this.#changes) editor.change(...change);
    editor.mark(this.#marked);
    if (this.#wanted !== undefined) editor.goTo(this.#wanted);
    else if (this.#isFocused) editor.focus();
  }
}
