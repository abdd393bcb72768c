/**
 * Every code that a diagnostic of a flow may carry: how severe it is, what it means and what to do. The table is
 * `diagnostic-codes.json`, by what the mistake is about, in the order in which a flow is checked; `docs/diagnostics.md` is
 * made of it. Codes are part of what others rely on, in reviews and in filters of `check --json`: they are added, never
 * reused.
 */
import CODES from './diagnostic-codes.json' with { type: 'json' };

interface DiagnosticCode {
  /** `error`, `warning`, or `error or warning`: such an issue says which. */
  severity: string;
  means: string;
  fix: string;
}

export const DIAGNOSTIC_CODES: Readonly<Record<string, Readonly<Record<string, DiagnosticCode>>>> = CODES;

const WARNINGS = new Set(
  Object.values(DIAGNOSTIC_CODES).flatMap((codes) =>
    Object.keys(codes).filter((code) => codes[code]!.severity === 'warning'),
  ),
);

export const isWarning = (code: string): boolean => WARNINGS.has(code);
