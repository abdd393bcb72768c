/**
 * Compiles all flows of one document: the main flow and those under `flows`. Either all of them compile or none is
 * returned. `local-flows.ts` splits the document; `compile.ts` compiles each part.
 */
import { type Diagnostic, hasErrors } from '../../base/core/diagnostic.ts';
import { type Issue, type SourceDocument, toDiagnostic } from '../../base/schema/document.ts';
import type { CompiledFlow } from './compiled-flow.ts';
import type { Compilation, CompileOptions } from './flow-draft.ts';
import { type DocumentPart, isInherited, lintLocalFlows, partsOf, plainName, summariesOf } from './local-flows.ts';

export interface PartToCompile extends Pick<DocumentPart, 'document' | 'name'> {
  /** True if the finding is to be reported. */
  keeps(issue: Issue): boolean;
}

/** Returns the flow even if there are findings. */
type CompilePart = (part: PartToCompile, sight: CompileOptions) => Compilation;

/** A shared entry of the file is reported as unused only if no flow of the file uses it. */
const UNUSED = ['unused-prompt', 'unused-schedule'];

export function compileParts(document: SourceDocument, options: CompileOptions, compile: CompilePart): Compilation {
  const { main, locals } = partsOf(document);
  if (locals.length === 0) return finished([compile({ ...main, keeps: () => true }, options)], options);
  const own = summariesOf(document.value);
  const sight: CompileOptions = {
    ...options,
    knownFlows: new Map([...(options.knownFlows ?? []), ...own]),
    ...(options.knownFlows === undefined && { believesFlows: true }),
  };
  const users = new Map<string, number>();
  const made = locals.map(({ inherited, ...part }) => {
    const unused = new Set<string>();
    const keeps = (issue: Issue): boolean => {
      // Names of local flows are checked where they are written: as keys of `flows`.
      if (issue.pointer === '/flow') return false;
      if (!isInherited(issue.pointer, inherited)) return true;
      if (UNUSED.includes(issue.code)) unused.add(issue.pointer);
      return false;
    };
    const compiled = compile({ ...part, keeps }, sight);
    for (const pointer of inherited) if (!unused.has(pointer)) users.set(pointer, (users.get(pointer) ?? 0) + 1);
    return compiled;
  });
  const isUsed = ({ code, pointer }: Issue): boolean => UNUSED.includes(code) && users.has(pointer);
  const first = compile({ ...main, keeps: (issue) => !isUsed(issue) }, sight);
  const hasMistakes = [first, ...made].some(({ diagnostics }) => hasErrors(diagnostics));
  const whole = [...lintLocalFlows(document.value, options.knownFlows)]
    // The flow may be called by a step with a mistake.
    .filter(({ code }) => code !== 'unused-flow' || !hasMistakes)
    .map((issue) => toDiagnostic(document, issue));
  return finished([{ ...first, diagnostics: [...first.diagnostics, ...whole] }, ...made], options);
}

function finished([main, ...locals]: readonly Compilation[], { withTodos }: CompileOptions): Compilation {
  const diagnostics = [main!, ...locals].flatMap((part) => part.diagnostics).sort(byPlace);
  const counted = withTodos ? diagnostics.filter(({ code }) => code !== 'todo') : diagnostics;
  if (main!.flow === undefined || hasErrors(counted)) return { diagnostics };
  if (locals.length === 0) return { flow: main!.flow, diagnostics };
  const localNames = new Set(locals.flatMap(({ flow }) => (flow ? plainName(flow.name) : [])));
  const [flow, ...others] = [main!, ...locals].flatMap((part) => (part.flow ? [{ ...part.flow, localNames }] : []));
  return { flow: flow!, locals: others, diagnostics };
}

const byPlace = (a: Diagnostic, b: Diagnostic): number => a.line - b.line || a.column - b.column;

/** Attaches the local flows of a document without a file to each of its flows, because no library keeps them. */
export function withLocals({ flow, locals, diagnostics }: Compilation): Compilation {
  if (flow === undefined || locals === undefined) return { diagnostics, ...(flow && { flow }) };
  const known = new Map<string, CompiledFlow>();
  const [first, ...others] = [flow, ...locals].map((each): CompiledFlow => ({ ...each, locals: known }));
  for (const each of others) known.set(each.name, each);
  return { flow: first!, diagnostics, locals: others };
}
