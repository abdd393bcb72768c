/** `callweave check`: compiles flows and says what is wrong, where, and what to do about it. */
import { type Diagnostic, groupDiagnostics } from '../core/diagnostic.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { diagramOf } from '../flow/diagram.ts';
import { requireFlowNames } from './config-option.ts';
import { printDiagnostic } from './diagnostics.ts';
import { displayPath } from './find-files.ts';
import { fixFiles } from './fix-flows.ts';
import { compileFiles, forgetLibraries } from './flow-files.ts';
import { countOf, type Terminal } from './terminal.ts';

export interface CheckOptions {
  strict?: boolean;
  fix?: boolean;
  config?: string;
  json?: boolean;
  diagram?: boolean;
  machine?: boolean;
  paths?: boolean;
}

export function check(paths: string[], options: CheckOptions, terminal: Terminal): void {
  const names = options.config === undefined ? undefined : requireFlowNames(options.config, terminal);
  const repaired = options.fix ? fixFiles(compileFiles(paths, names).flatMap(({ diagnostics }) => diagnostics)) : 0;
  if (repaired > 0) forgetLibraries();
  const compiled = compileFiles(paths, names).map((checked) => ({
    ...checked,
    diagnostics: groupDiagnostics(checked.diagnostics),
  }));
  const all = compiled.flatMap(({ diagnostics }) => diagnostics);
  const errors = all.filter(isError).length;
  const warnings = all.length - errors;
  const failed = errors > 0 || (options.strict === true && warnings > 0);
  if (failed) terminal.fail(1);
  if (options.json) {
    const files = compiled.map(({ file, flow, diagnostics }) => ({
      file: displayPath(file),
      flow: flow?.name ?? null,
      hash: flow?.hash ?? null,
      diagnostics: diagnostics.map((diagnostic) => ({ ...diagnostic, file: displayPath(diagnostic.file) })),
    }));
    terminal.printJson({ ok: !failed, errors, warnings, ...(options.fix && { repaired }), files });
    return;
  }
  if (options.diagram && !failed) {
    for (const { flow } of compiled) if (flow) terminal.print(diagramOf(flow).trimEnd());
    return;
  }
  if (options.machine && !failed) {
    for (const { flow } of compiled) if (flow) terminal.printJson({ id: flow.name, ...flow.machine.definition() });
    return;
  }
  if (options.paths && !failed) {
    for (const { flow } of compiled) if (flow) printPaths(flow, terminal);
    return;
  }
  for (const { file, flow, diagnostics } of compiled) {
    if (flow !== undefined && diagnostics.length === 0) {
      terminal.print(
        `${terminal.style('green', 'ok')} ${displayPath(file)}: ${flow.name}, ${countOf(flow.steps.size, 'step')}`,
      );
    }
    for (const diagnostic of diagnostics) printDiagnostic(terminal, diagnostic);
  }
  if (repaired > 0) terminal.print(`${countOf(repaired, 'finding')} repaired`);
  const verdict = `${countOf(compiled.length, 'flow')}, ${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  terminal.print(terminal.style(failed ? 'red' : 'green', verdict));
}

function printPaths({ name, machine }: CompiledFlow, terminal: Terminal): void {
  terminal.print(`${name}:`);
  for (const [to, [, ...path]] of machine.paths()) {
    terminal.print(`  ${to}: ${path.map(({ step, outcome }) => `${step} ${outcome}`).join(', ') || 'the start'}`);
  }
}

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';
