/** What a picture or an outline asks for. The text is edited by those who are called. */
/** What people do in the picture. What has no callback cannot be done. */
export interface EditCallbacks {
  onRetarget?: (step: string, outcome: string, target: string) => void;
  /** Without an outcome the step has no exit to add after. */
  onAdd?: (step: string, outcome: string | undefined) => void;
  onRename?: (step: string) => void;
  /** Change what callers hear in the step. */
  onWords?: (step: string) => void;
  onDelete?: (step: string) => void;
  /** Go into the text of the step. */
  onOpen?: (step: string) => void;
  /** Go to another flow, or to one of its steps. */
  onOpenFlow?: (flow: string, step?: string) => void;
  /** The text of the step, for the clipboard. */
  onCopy?: (step: string) => string | undefined;
  /** `after` is the selected step. */
  onPaste?: (text: string, after: string | undefined) => void;
}
