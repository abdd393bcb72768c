/** Where something stands in a file; 1-based. */
export interface SourceLocation {
  file: string;
  line: number;
  column: number;
}

/** What is wrong with an author's text: data with location and hint, never thrown. */
export interface Diagnostic extends SourceLocation {
  severity: 'error' | 'warning';
  /** Stable word, e.g. `unknown-target`; those of flows are in `schema/diagnostic-codes.json`. */
  code: string;
  message: string;
  hint?: string;
  /** What would make it right, where that is obvious; in the same file. */
  fix?: TextEdit;
}

/** A text in place of what stands from one place up to another; 1-based. */
export type TextEdit = { line: number; column: number; endLine: number; endColumn: number; text: string };

/**
 * A message with names in it, which stand in backquotes: authors call their steps `a` and `again`. Several are a list
 * with commas.
 */
export const quoting = (words: TemplateStringsArray, ...names: readonly (string | readonly string[])[]): string =>
  words.map((word, index) => word + [names[index] ?? []].flat().map(quoted).join(', ')).join('');

const quoted = (name: string): string => `\`${name}\``;

/** A finding with all its places: an outcome that ten steps leave unrouted is one. */
export interface GroupedDiagnostic extends Diagnostic {
  /** Further places in the same file, in its order. */
  also?: readonly { line: number; column: number }[];
}

/** Equal findings of a file as one. */
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
