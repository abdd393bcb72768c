/** Position in a file; line and column are 1-based. */
export interface SourceLocation {
  file: string;
  line: number;
  column: number;
}

/** A problem in an author's text: data with location and hint, never thrown. */
export interface Diagnostic extends SourceLocation {
  severity: 'error' | 'warning';
  /** Stable code, e.g. `unknown-target`. The codes of flows are listed in `base/schema/diagnostic-codes.json`. */
  code: string;
  message: string;
  hint?: string;
  /** Edit that fixes the problem, if it is obvious; in the same file. */
  fix?: TextEdit;
}

/** Replacement of the text between two positions; 1-based. */
export type TextEdit = { line: number; column: number; endLine: number; endColumn: number; text: string };

/**
 * Builds a message with names in backquotes, because authors call steps `a` and `again`. An array becomes a list with
 * commas.
 */
export const quoting = (words: TemplateStringsArray, ...names: readonly (string | readonly string[])[]): string =>
  words.map((word, index) => word + [names[index] ?? []].flat().map(quoted).join(', ')).join('');

const quoted = (name: string): string => `\`${name}\``;

/** One diagnostic with all its locations, e.g. an outcome that ten steps leave unrouted. */
export interface GroupedDiagnostic extends Diagnostic {
  /** Further locations in the same file, in file order. */
  also?: readonly { line: number; column: number }[];
}

/** Merges equal diagnostics of a file into one. */
export function groupDiagnostics(diagnostics: readonly Diagnostic[]): GroupedDiagnostic[] {
  const found = new Map<string, GroupedDiagnostic & { also?: { line: number; column: number }[] }>();
  for (const diagnostic of diagnostics) {
    const { severity, code, message, file, line, column } = diagnostic;
    const key = JSON.stringify([file, severity, code, message]);
    const first = found.get(key);
    if (first === undefined) found.set(key, { ...diagnostic });
    else first.also = [...(first.also ?? []), { line, column }];
  }
  return [...found.values()];
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((diagnostic) => diagnostic.severity === 'error');
