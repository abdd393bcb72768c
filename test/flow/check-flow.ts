/** Shared by the tests of this folder: checks flows, and formats findings as short lines. */
import type { Diagnostic } from '../../src/base/core/diagnostic.ts';
import { type CompileOptions, compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { verbs } from '../../src/verbs/steps.ts';

/** Findings that small test flows trigger: they hang up and record without a prompt, and declare unused names. */
export const OF_WHOLE_FLOWS = /^(unused-.*|never-set|never-read|silent-hangup|unannounced-recording)$/;

export function check(text: string, options: CompileOptions = {}) {
  const { diagnostics, ...rest } = checkWhole(text, options);
  return { ...rest, diagnostics: diagnostics.filter(({ code }) => !OF_WHOLE_FLOWS.test(code)) };
}

export const checkWhole = (text: string, options: CompileOptions = {}) =>
  compileFlow(text, '/flows/a.flow.yaml', verbs, options);

/** `line:column code`, warnings with a trailing `?`. */
export const brief = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(
    ({ line, column, code, severity }) => `${line}:${column} ${code}${severity === 'warning' ? '?' : ''}`,
  );

export const findings = (text: string, options: CompileOptions = {}): string[] =>
  brief(check(text, options).diagnostics);

export function compiled(text: string, options: CompileOptions = {}): CompiledFlow {
  const { flow, diagnostics } = check(text, options);
  if (flow === undefined) throw new Error(`does not compile: ${JSON.stringify(diagnostics, null, 1)}`);
  return flow;
}

/** A flow around these steps (indented by two), which are reached from `first` and may end in `bye`. */
export const around = (steps: string, head = ''): string => `flow: a
${head}defaults: { exits: { error: bye } }
start: first
steps:
${steps}
  bye: { hangup: normal }
`;
