/** `callweave import`: converts flows of other systems to flow files, with a report for each node. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { groupDiagnostics } from '../base/core/diagnostic.ts';
import { reasonOf } from '../base/core/reason-of.ts';
import { isAboutKeys } from '../language/importers/fidelity.ts';
import { importFiles } from '../language/importers/import-files.ts';
import type { Fidelity, Format, ImportedNode } from '../language/importers/imported.ts';
import { verbs } from '../verbs/steps.ts';
import { printDiagnostic, refuseDiagnostics } from './diagnostics.ts';
import { displayPath, readText } from './find-files.ts';
import { forgetLibraries } from './flow-files.ts';
import { countOf, fail, type Terminal } from './terminal.ts';
import { writeTestsOf } from './test-generate.ts';

export interface ImportFilesOptions {
  format?: Format;
  name?: string;
  out: string;
  force?: boolean;
  json?: boolean;
  tests?: boolean;
}

export async function importFlows(files: string[], options: ImportFilesOptions, terminal: Terminal): Promise<void> {
  const sources = files.map((file) => ({ file, text: readText(file) }));
  const imported = importFiles(sources, { verbs, name: options.name, folder: options.out }, options.format);
  if (imported.format === undefined || imported.flows.length === 0) refuseDiagnostics(imported.diagnostics, terminal);
  const { format, flows, nodes, diagnostics, findings, compiled } = imported;
  const written = flows.map(({ name, text }) => ({ file: join(options.out, `${name}.flow.yaml`), text }));
  if (!write(written, options, terminal)) return;
  const paths = written.map(({ file }) => displayPath(resolve(file)));
  // The new files may replace files that are cached.
  forgetLibraries();
  const writeTests = () => writeTestsOf(compiled, [options.out], { json: options.json === true }, terminal);
  if (options.json) {
    const tests = options.tests ? await writeTests() : undefined;
    const fidelity = countsOf(nodes);
    terminal.printJson({ format, files: paths, fidelity, nodes, diagnostics, findings, ...(tests && { tests }) });
    return;
  }
  for (const node of nodes) printNode(node, terminal);
  for (const diagnostic of groupDiagnostics(diagnostics)) printDiagnostic(terminal, diagnostic);
  const others = findings.filter(({ code }) => code !== 'todo');
  for (const finding of groupDiagnostics(others)) printDiagnostic(terminal, finding);
  printVerdict(nodes, paths, terminal);
  if (options.tests) {
    await writeTests();
    if (nodes.some(({ fidelity }) => fidelity === 'todo'))
      terminal.print('the tests can be run once no step is `todo`');
  }
}

/** Writes all files or none. Existing files are only overwritten with `--force`. */
function write(
  files: readonly { file: string; text: string }[],
  { force, out }: ImportFilesOptions,
  terminal: Terminal,
): boolean {
  const there = force ? undefined : files.find(({ file }) => existsSync(file));
  if (there !== undefined) {
    const message = `${displayPath(resolve(there.file))} already exists, nothing was written`;
    fail(terminal, 1, message, 'choose another name (--name) or folder (--out), or overwrite it with --force');
    return false;
  }
  try {
    mkdirSync(out, { recursive: true });
    for (const { file, text } of files) writeFileSync(file, text);
    return true;
  } catch (error) {
    fail(terminal, 1, `the flow cannot be written: ${reasonOf(error)}`);
    return false;
  }
}

const SHOWN: Readonly<Partial<Record<Fidelity, string>>> = { workaround: 'nearly', todo: 'to do' };

/** Exact nodes are not printed. */
function printNode({ file, line, column, kind, name, fidelity, notes }: ImportedNode, terminal: Terminal): void {
  const word = SHOWN[fidelity];
  // The diagnostics name the keys that are not imported, at their places.
  const told = notes.filter((note) => !isAboutKeys(note));
  if (word === undefined || told.length === 0) return;
  const place = terminal.style('bold', `${displayPath(resolve(file))}:${line}:${column}`);
  const what = name === undefined ? kind : `${name} (${kind})`;
  terminal.print(
    `${place} ${terminal.style(fidelity === 'todo' ? 'red' : 'yellow', word)} ${what}: ${told.join('; ')}`,
  );
}

function countsOf(nodes: readonly ImportedNode[]): Record<Fidelity, number> {
  const count = (of: Fidelity): number => nodes.filter(({ fidelity }) => fidelity === of).length;
  return { exact: count('exact'), workaround: count('workaround'), todo: count('todo'), none: count('none') };
}

function printVerdict(nodes: readonly ImportedNode[], paths: readonly string[], terminal: Terminal): void {
  const { exact, workaround, todo } = countsOf(nodes);
  const counts = [`${exact} exact`, `${workaround} nearly`, `${todo} to do`].join(', ');
  terminal.print(`${countOf(nodes.length, 'node')}: ${counts}`);
  for (const path of paths) terminal.print(`${terminal.style('green', 'written')} ${path}`);
  const next =
    todo > 0
      ? `complete the steps that are \`todo\`; \`${terminal.program} check\` lists them`
      : `${terminal.program} check, then callweave call`;
  terminal.print(`next: ${next}`);
}
