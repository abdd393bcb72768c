/** `callweave check`: compiles flows and prints diagnostics with location and hint. */
import { type Diagnostic, groupDiagnostics } from '../base/core/diagnostic.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import { diagramOf } from '../language/flow/diagram.ts';
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
    const files = compiled.map(({ file, flow, locals, diagnostics }) => ({
      file: displayPath(file),
      flow: flow?.name ?? null,
      ...(locals.length > 0 && { flows: locals.map(({ name }) => name) }),
      hash: flow?.hash ?? null,
      diagnostics: diagnostics.map((diagnostic) => ({ ...diagnostic, file: displayPath(diagnostic.file) })),
    }));
    terminal.printJson({ ok: !failed, errors, warnings, ...(options.fix && { repaired }), files });
    return;
  }
  const flows = compiled.flatMap(({ flow, locals }) => (flow ? [flow, ...locals] : []));
  if (options.diagram && !failed) {
    for (const flow of flows) terminal.print(diagramOf(flow).trimEnd());
    return;
  }
  if (options.machine && !failed) {
    for (const flow of flows) terminal.printJson({ id: flow.name, ...flow.machine.definition() });
    return;
  }
  if (options.paths && !failed) {
    for (const flow of flows) printPaths(flow, terminal);
    return;
  }
  for (const { file, flow, locals, diagnostics } of compiled) {
    if (flow !== undefined && diagnostics.length === 0) {
      const shown = [flow, ...locals].map(({ name, steps }) => `${name}, ${countOf(steps.size, 'step')}`).join('; ');
      terminal.print(`${terminal.style('green', 'ok')} ${displayPath(file)}: ${shown}`);
    }
    for (const diagnostic of diagnostics) printDiagnostic(terminal, diagnostic);
  }
  if (repaired > 0) terminal.print(`${countOf(repaired, 'finding')} repaired`);
  const files = compiled.length + compiled.flatMap(({ locals }) => locals).length;
  const verdict = `${countOf(files, 'flow')}, ${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  terminal.print(terminal.style(failed ? 'red' : 'green', verdict));
}

function printPaths({ name, machine }: CompiledFlow, terminal: Terminal): void {
  terminal.print(`${name}:`);
  for (const [to, [, ...path]] of machine.paths()) {
    terminal.print(`  ${to}: ${path.map(({ step, outcome }) => `${step} ${outcome}`).join(', ') || 'the start'}`);
  }
}

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';
