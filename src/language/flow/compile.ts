/**
 * Compiles the text of a flow into a checked route table. Parts: `base/schema/load.ts` reads the text, `flow-shape.ts`
 * checks its shape, `flow-compiler.ts` compiles steps and tables, `lint.ts` checks the meaning, `machine.ts` is the
 * router.
 *
 * Invariants
 *  - Nothing throws except `throwIfOvertaken`: an invalid flow gives diagnostics and no flow.
 *  - Only parts of valid shape are linted, and no lint finding is reported that another mistake may have caused
 *    (`error-recovery.ts`). One mistake gives one message.
 *  - The hash depends on the content of the flow and of the files that it names, not on layout.
 */
import { dirname, resolve } from 'node:path';
import { hasErrors } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { childPointer, documentOf, type SourceDocument, severityOf, toDiagnostic } from '../../base/schema/document.ts';
import { type LoadedDocument, loadDocument } from '../../base/schema/load.ts';
import { compileParts, type PartToCompile, withLocals } from './compile-parts.ts';
import type { VerbSpec } from './compiled-flow.ts';
import { DATA_FLOW_CODES, recoverFlow } from './error-recovery.ts';
import { FlowCompiler } from './flow-compiler.ts';
import type { Compilation, CompileOptions, StepDraft } from './flow-draft.ts';
import { checkFlowShape, checkStep } from './flow-shape.ts';
import { summarise } from './flow-summary.ts';
import { lint } from './lint.ts';
import { findPromptNames } from './prompt-names.ts';
import { propertiesBeside, withPropertiesBeside } from './properties-beside.ts';
import { withoutSuppressed } from './suppressions.ts';

export type { Compilation, CompileOptions } from './flow-draft.ts';

/**
 * Compiles the text of a flow, YAML or JSON. `file` names it in messages; files that the flow names are resolved from
 * its directory.
 */
export function compileFlow(
  text: string,
  file: string,
  verbs: readonly VerbSpec[],
  options: CompileOptions = {},
): Compilation {
  return compileLoaded(loadDocument(text, file), file, verbs, options);
}

/** Compiles a document that is already parsed. */
export function compileLoaded(
  { document, diagnostics }: LoadedDocument,
  file: string,
  verbs: readonly VerbSpec[],
  options: CompileOptions = {},
): Compilation {
  if (document === undefined) return { diagnostics };
  return compileSource(document, verbs, options, dirname(resolve(file)));
}

/** Compiles a flow received as JSON: it has no lines and no files. */
export function compileDocument(
  json: unknown,
  name: string,
  verbs: readonly VerbSpec[],
  options: CompileOptions = {},
): Compilation {
  const { document, diagnostics } = documentOf(json, name);
  if (document === undefined) return { diagnostics };
  return withLocals(compileSource(document, verbs, options, undefined));
}

function compileSource(
  document: SourceDocument,
  verbList: readonly VerbSpec[],
  options: CompileOptions,
  directory: string | undefined,
): Compilation {
  const verbs = new Map(verbList.map((spec) => [spec.verb, spec]));
  return compileParts(document, options, (part, sight) => compilePart(part, verbs, sight, directory));
}

/** Compiles one flow of a document. */
function compilePart(
  { document, name, keeps }: PartToCompile,
  verbs: ReadonlyMap<string, VerbSpec>,
  options: CompileOptions,
  directory: string | undefined,
): Compilation {
  const complaints = checkFlowShape(document);
  const written = isObject(document.value) ? document.value['steps'] : undefined;
  const verbsFound = new Map<string, string>();
  for (const [name, step] of Object.entries(isObject(written) ? written : {})) {
    options.throwIfOvertaken?.();
    if (!isObject(step)) continue;
    const checked = checkStep(document, childPointer('/steps', name), verbs);
    complaints.push(...checked.issues);
    if (checked.verb !== undefined) verbsFound.set(name, checked.verb);
  }
  const diagnostics = complaints.filter(keeps).map((issue) => toDiagnostic(document, issue));
  const { root: recovered, invalidSteps, mayCascade } = recoverFlow(document.value, complaints);
  if (recovered === undefined) return { diagnostics };
  const root = name === undefined ? recovered : { ...recovered, flow: name };

  const compiler = new FlowCompiler(document, root, options, directory);
  const steps = new Map<string, StepDraft>();
  for (const [name, verb] of verbsFound) {
    options.throwIfOvertaken?.();
    if (!invalidSteps.has(name)) steps.set(name, compiler.step(name, verbs.get(verb)!));
  }
  const summary = summarise(root);
  const flow = compiler.flow(steps, summary);
  options.throwIfOvertaken?.();
  // If the prompts directory is not allowed, its files are not looked up and cannot be reported as missing.
  const isNowhere = compiler.issues.some(({ code }) => code === 'outside-file' || code === 'no-files');
  const isUnread = compiler.issues.some(({ code }) => code.startsWith('expression-') || code.startsWith('template-'));
  const isFollowing = (code: string): boolean =>
    mayCascade(code) || (isNowhere && code === 'missing-prompt') || (isUnread && DATA_FLOW_CODES.includes(code));
  const draft = { document, root, summary, steps, invalidSteps, flow, options };
  options.onDraft?.(draft);
  const sense = [...compiler.issues, ...lint(draft, findPromptNames(draft))];
  const judged = withoutSuppressed(
    root,
    sense.filter((issue) => !isFollowing(issue.code) && keeps(issue)),
  );
  // Report unused suppressions only for a flow without errors: an error may hide the finding that is silenced.
  const isWhole = complaints.length === 0 && !judged.issues.some((issue) => severityOf(issue) === 'error');
  const found = isWhole ? [...judged.issues, ...judged.unused] : judged.issues;
  diagnostics.push(...found.map((issue) => toDiagnostic(document, issue)));
  // In a file of several flows, the properties file belongs to the first flow.
  const isMain = name === undefined && directory !== undefined;
  const beside = isMain ? propertiesBeside(document.file, directory, options.readFile) : undefined;
  if (beside === undefined || hasErrors(diagnostics)) return { flow, diagnostics };
  const whole = withPropertiesBeside(flow, beside, { root, steps });
  return { ...whole, diagnostics: [...diagnostics, ...whole.diagnostics] };
}
