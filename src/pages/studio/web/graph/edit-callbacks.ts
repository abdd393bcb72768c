/** Edit requests of a picture or an outline. The receiver edits the text. */
import type { ReadonlySignal } from '@preact/signals';

/** Undo and redo of edits. The titles are those of the next change; undefined if there is none. */
export interface UndoActions {
  readonly nextUndo: ReadonlySignal<string | undefined>;
  readonly nextRedo: ReadonlySignal<string | undefined>;
  undo(): void;
  redo(): void;
}

/** Actions of the user. An action without a callback is disabled. */
export interface EditCallbacks {
  onRetarget?: (step: string, outcome: string, target: string) => void;
  /**
   * Adds a step after an exit, or the first step of an empty flow. Without an outcome, the step has no exit to add after.
   * `anchor` is what was pressed on the page.
   */
  onAdd?: (step: string | undefined, outcome: string | undefined, anchor?: DOMRect) => void;
  onRename?: (step: string) => void;
  /** Edits the prompts of the step. */
  onWords?: (step: string) => void;
  /** Edits the note of the step, or of one of its routes. */
  onNote?: (step: string, outcome?: string) => void;
  /** Edits the note of the flow. */
  onFlowNote?: () => void;
  onDelete?: (steps: readonly string[]) => void;
  /** Opens the text of the step. */
  onOpen?: (step: string) => void;
  /** Opens another flow, or one of its steps. */
  onOpenFlow?: (flow: string, step?: string) => void;
  /** Returns the text of the steps, for the clipboard. */
  onCopy?: (steps: readonly string[]) => string | undefined;
  /** Also deletes the steps. */
  onCut?: (steps: readonly string[]) => string | undefined;
  /** `at` is the selected step, or the selected line. */
  onPaste?: (text: string, at: string | { step: string; outcome: string } | undefined) => void;
  /** Moves the steps into the route of an exit. */
  onMove?: (steps: readonly string[], line: { step: string; outcome: string }) => void;
  /** Asks for the title of a group of the steps. */
  onGroup?: (steps: readonly string[]) => void;
  /** Makes the steps a local flow of the file. */
  onExtract?: (steps: readonly string[]) => void;
  /** Puts the steps of a local flow in the place of the step that runs it. */
  onInline?: (step: string) => void;
  onUngroup?: (steps: readonly string[]) => void;
  onDuplicate?: (steps: readonly string[]) => void;
}
