/** What is wrong with an author's text: data with place and hint, never thrown. */
export interface Diagnostic {
  severity: 'error' | 'warning';
  /** Stable word, e.g. `unknown-target`; those of flows are in `flow/diagnostic-codes.ts`. */
  code: string;
  message: string;
  file: string;
  /** 1-based. */
  line: number;
  /** 1-based. */
  column: number;
  hint?: string;
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((diagnostic) => diagnostic.severity === 'error');
