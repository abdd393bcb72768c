/** Access to the text of the editor for other components. */
import type { Problem } from '../../../../language/flow/text/problems.ts';
import type { Range } from '../../../../language/flow/text/text-edits.ts';

export interface TextChange {
  from: number;
  to: number;
  insert: string;
}

export interface TextHandle {
  readonly text: string;
  /** Position of the cursor. */
  readonly at: number;
  /**
   * Applies changes as one undo step with this title; the changed text flashes. With `joins`, the changes are part of the
   * undo step before them.
   */
  change(changes: readonly TextChange[], title: string, joins?: boolean): void;
  goTo(range: Range): void;
  /** Marks the lines of steps, and scrolls to the first. */
  mark(ranges: readonly Range[]): void;
  show(problems: readonly Problem[]): void;
  focus(): void;
}
