/** Converts diagnostics to the Language Server Protocol. */
import { type Diagnostic, DiagnosticSeverity, DiagnosticTag } from 'vscode-languageserver/node';
import type { Problem } from '../../language/flow/text/problems.ts';
import type { LspFlowText } from './flow-text.ts';

export function diagnosticOf(
  document: Pick<LspFlowText, 'rangeOf'>,
  { severity, code, message, hint, from, to }: Problem,
): Diagnostic {
  return {
    source: 'callweave',
    code,
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    message: hint === undefined ? message : `${message}\n${hint}`,
    range: document.rangeOf({ from, to }),
    ...(code.startsWith('unused-') && { tags: [DiagnosticTag.Unnecessary] }),
  };
}
