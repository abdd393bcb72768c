/**
 * Codes of all diagnostics of a flow, with severity, meaning and remedy. The table is `diagnostic-codes.json`, grouped
 * by topic in the order of the checks; `docs/diagnostics.md` is generated from it. Codes are a public interface, used
 * in reviews and in filters of `check --json`: they are added, never reused.
 */
import CODES from './diagnostic-codes.json' with { type: 'json' };

interface DiagnosticCode {
  /** `error`, `warning`, or `error or warning`, where each issue sets its own. */
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
