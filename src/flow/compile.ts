/**
 * From text to a checked route table. Neighbours: `schema/load.ts` (text), `flow-shape.ts` (shape), `template.ts` (values),
 * `routes.ts` (exits), `lint.ts` (sense), `machine.ts` (the router).
 *
 * Invariants
 *  - nothing throws but what `throwIfOvertaken` does: a flow that is wrong gives diagnostics and no flow;
 *  - sense is judged of what has the right shape, and never of what a mistake elsewhere may have caused
 *     (`error-recovery.ts`), so that one mistake gives one message;
 *  - the hash depends on what the flow says and on the files it names, not on how it is laid out.
 */
import { dirname, resolve } from 'node:path';
import { type Diagnostic, hasErrors, quoting } from '../core/diagnostic.ts';
import { parseDuration } from '../core/duration.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../core/json.ts';
import { compileCheck, schemaProblem } from '../schema/compile-check.ts';
import {
  childPointer,
  documentOf,
  type Issue,
  isAt,
  type SourceDocument,
  severityOf,
  toDiagnostic,
  valueAt,
  walk,
} from '../schema/document.ts';
import { type LoadedDocument, loadDocument } from '../schema/load.ts';
import { flowSchema } from '../schema/schema-forms.ts';
import { type CompleteArguments, completeArguments } from '../schema/validate.ts';
import {
  API_COMMANDS,
  type ApiCommand,
  type CompiledFlow,
  type CompiledStep,
  type Expression,
  type PromptTable,
  type Template,
  type VariableSpec,
  type VerbSpec,
} from './compiled-flow.ts';
import { isInside, readInside } from './contained-files.ts';
import { DATA_FLOW_CODES, recoverFlow } from './error-recovery.ts';
import { compileExpression } from './expression.ts';
import { type Compilation, type CompileOptions, type StepDraft, secretPlacesOf } from './flow-draft.ts';
import { flowHash } from './flow-hash.ts';
import { checkFlowShape, checkStep, inputDefaultsOf } from './flow-shape.ts';
import { lint } from './lint.ts';
import { compileMachine } from './machine.ts';
import { byLocale } from './prompts.ts';
import { literalOf, resolveRoutes, summarise, targetsOf } from './routes.ts';
import { withoutSilenced } from './silences.ts';
import { compileTemplate, hasExpression, templateProblems } from './template.ts';

export type { Compilation, CompileOptions } from './flow-draft.ts';

/** What the schema of flows says where a flow says nothing. */
const defaultOf = (section: string, key: string): Json | undefined =>
  valueAt(flowSchema, `/properties/${section}/properties/${key}/default`);

/** A flow's text, YAML or JSON. `file` names it in messages, and is where the files that it names are looked for. */
export function compileFlow(
  text: string,
  file: string,
  verbs: readonly VerbSpec[],
  options: CompileOptions = {},
): Compilation {
  return compileLoaded(loadDocument(text, file), file, verbs, options);
}

/** The same, of a text that was read before. */
export function compileLoaded(
  { document, diagnostics }: LoadedDocument,
  file: string,
  verbs: readonly VerbSpec[],
  options: CompileOptions = {},
): Compilation {
  if (document === undefined) return { diagnostics };
  return compileSource(document, verbs, options, dirname(resolve(file)));
}

/** A flow that came as JSON: it has no lines and no files. */
export function compileDocument(
  json: unknown,
  name: string,
  verbs: readonly VerbSpec[],
  options: CompileOptions = {},
): Compilation {
  const { document, diagnostics } = documentOf(json, name);
  if (document === undefined) return { diagnostics };
  return compileSource(document, verbs, options, undefined);
}

function compileSource(
  document: SourceDocument,
  verbList: readonly VerbSpec[],
  options: CompileOptions,
  directory: string | undefined,
): Compilation {
  const verbs = new Map(verbList.map((spec) => [spec.verb, spec]));
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
  const diagnostics = complaints.map((issue) => toDiagnostic(document, issue));
  const { root, invalidSteps, mayCascade } = recoverFlow(document.value, complaints);
  if (root === undefined) return { diagnostics: inOrder(diagnostics) };

  const compiler = new Compiler(document, root, options, directory);
  const steps = new Map<string, StepDraft>();
  for (const [name, verb] of verbsFound) {
    options.throwIfOvertaken?.();
    if (!invalidSteps.has(name)) steps.set(name, compiler.step(name, verbs.get(verb)!));
  }
  const flow = compiler.flow(steps);
  options.throwIfOvertaken?.();
  // A directory that may not be is not searched.
  const isNowhere = compiler.issues.some(({ code }) => code === 'outside-file' || code === 'no-files');
  const isUnread = compiler.issues.some(({ code }) => code.startsWith('expression-') || code.startsWith('template-'));
  const isFollowing = (code: string): boolean =>
    mayCascade(code) || (isNowhere && code === 'missing-prompt') || (isUnread && DATA_FLOW_CODES.includes(code));
  const sense = [...compiler.issues, ...lint({ document, root, steps, invalidSteps, flow, options })];
  const judged = withoutSilenced(
    root,
    sense.filter(({ code }) => !isFollowing(code)),
  );
  // What a mistake hides may be what is silenced.
  const isWhole = complaints.length === 0 && !judged.issues.some((issue) => severityOf(issue) === 'error');
  const found = isWhole ? [...judged.issues, ...judged.unused] : judged.issues;
  diagnostics.push(...found.map((issue) => toDiagnostic(document, issue)));
  return hasErrors(diagnostics) ? { diagnostics: inOrder(diagnostics) } : { flow, diagnostics: inOrder(diagnostics) };
}

/** What is the same on every call is read once. */
function argumentCompleter(spec: VerbSpec, { isConstant }: Template): CompiledStep['complete'] {
  let known: CompleteArguments | undefined;
  return (rendered) => {
    const completed = known ?? completeArguments(spec, rendered);
    if (isConstant) known = completed;
    return completed;
  };
}

const inOrder = (diagnostics: Diagnostic[]): Diagnostic[] =>
  diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);

class Compiler {
  readonly issues: Issue[] = [];
  readonly #document: SourceDocument;
  readonly #root: JsonObject;
  readonly #options: CompileOptions;
  readonly #directory: string | undefined;
  readonly #defaults: JsonObject;
  /** Contents of the files that the flow names. */
  readonly #files: Record<string, Json> = {};

  constructor(document: SourceDocument, root: JsonObject, options: CompileOptions, directory: string | undefined) {
    this.#document = document;
    this.#root = root;
    this.#options = options;
    this.#directory = directory;
    this.#defaults = isObject(root['defaults']) ? root['defaults'] : {};
    if (this.#defaults['input'] !== undefined) this.#template(this.#defaults['input'], '/defaults/input');
  }

  step(name: string, spec: VerbSpec): StepDraft {
    const pointer = childPointer('/steps', name);
    const argsPointer = childPointer(pointer, spec.verb);
    const source = (this.#root['steps'] as JsonObject)[name] as JsonObject;
    const args = this.#arguments(spec, source[spec.verb]!, argsPointer);
    this.#expressions(spec, args, argsPointer);
    this.#template(source[spec.verb]!, argsPointer, spec.expressions);
    const skip = [...(spec.expressions ?? []), ...(spec.lazy ?? []).map((key) => childPointer('', key))];
    const input = compileTemplate(args, { skip, secrets: secretPlacesOf(this.#document) });
    const compiled: CompiledStep = {
      name,
      verb: spec.verb,
      args,
      input,
      exits: {},
      sensitive: this.#isSensitive(source, args),
      location: this.#document.keyLocationOf(pointer),
      complete: argumentCompleter(spec, input),
    };
    const called = this.#called(spec, args);
    const byDefault = targetsOf(this.#defaults['exits']);
    const routes = resolveRoutes(name, spec, called?.args ?? args, source, byDefault, called?.optional);
    compiled.exits = routes.exits;
    const when = source['when'];
    if (when !== undefined) {
      const expression = this.#expression(String(when), childPointer(pointer, 'when'));
      if (expression !== undefined) compiled.when = expression;
    }
    if (spec.verb !== 'set' && isObject(source['set'])) {
      compiled.set = mapValues(source['set'], (value, variable) =>
        this.#template(value, childPointer(childPointer(pointer, 'set'), variable)),
      );
    }
    if (typeof source['max_visits'] === 'number') compiled.maxVisits = source['max_visits'];
    if (typeof source['locale'] === 'string') compiled.locale = source['locale'];
    if (typeof source['label'] === 'string') compiled.label = source['label'];
    return { compiled, spec, routes, pointer, argsPointer, source };
  }

  flow(drafts: ReadonlyMap<string, StepDraft>): CompiledFlow {
    const root = this.#root;
    const steps = new Map([...drafts].map(([name, { compiled }]) => [name, compiled]));
    const vars = this.#variables('/vars');
    const input = this.#variables('/input');
    const events = targetsOf(root['events']);
    const limits = isObject(root['limits']) ? root['limits'] : {};
    const api = isObject(root['api']) ? root['api'] : {};
    const start = root['start'] as string;
    const prompts = this.#prompts();
    return {
      name: root['flow'] as string,
      hash: flowHash(root, this.#files),
      file: this.#document.file,
      start,
      steps,
      machine: compileMachine({ start, steps, events }),
      input,
      vars,
      checkVariable: checker(vars),
      checkInput: checker(input),
      ...(root['output'] === undefined ? {} : { output: this.#template(root['output'], '/output') }),
      returns: summarise(root).returns,
      prompts,
      schedules: isObject(root['schedules']) ? root['schedules'] : {},
      locale: (this.#defaults['locale'] ?? defaultOf('defaults', 'locale')) as string,
      events,
      limits: {
        maxDurationMs: parseDuration(String(limits['max_duration'] ?? defaultOf('limits', 'max_duration')))!,
        maxSteps: (limits['max_steps'] ?? defaultOf('limits', 'max_steps')) as number,
      },
      api: Object.fromEntries(API_COMMANDS.map((command) => [command, api[command] !== false])) as Record<
        ApiCommand,
        boolean
      >,
    };
  }

  /** As written, with `defaults.input` under it, files read, and booleans of bare expressions as expressions. */
  #arguments(spec: VerbSpec, written: Json, pointer: string): Json {
    let args = written;
    const keys = inputDefaultsOf(spec.verb);
    if (isObject(args) && keys.length > 0 && isObject(this.#defaults['input'])) {
      const inherited = Object.entries(this.#defaults['input']).filter(([key]) => keys.includes(key));
      args = { ...Object.fromEntries(inherited), ...args };
    }
    if (isObject(args) && args['returns'] !== undefined && spec.verb === 'request') {
      args = { ...args, returns: this.#returns(args['returns'], childPointer(pointer, 'returns')) };
    }
    return spec.expressions === undefined ? args : expressionsAsText(args, '', spec.expressions);
  }

  /** A `subflow` step has the outcomes of the flow that it names. */
  #called(spec: VerbSpec, args: Json): { args: Json; optional: string[] } | undefined {
    if (spec.verb !== 'subflow' || (isObject(args) && args['outcomes'] !== undefined)) return undefined;
    const name = literalOf(args, 'flow');
    const known = name === undefined ? undefined : this.#options.knownFlows?.get(name);
    if (known === undefined) return undefined;
    const outcomes = known.returns.filter((outcome) => outcome !== 'done');
    return { args: { flow: name!, outcomes }, optional: known.returns.includes('done') ? [] : ['done'] };
  }

  #returns(written: Json, pointer: string): Json {
    let schema = written;
    if (typeof written === 'string') {
      const content = this.#file(written, pointer);
      if (content === undefined) return true;
      const loaded = loadDocument(content, written);
      if (loaded.document === undefined) {
        const problem = loaded.diagnostics[0]?.message ?? 'cannot be read';
        this.#complain('bad-schema', `${quoting`${written}`}: ${problem}`, pointer);
        return true;
      }
      schema = loaded.document.value;
      this.#files[written] = schema;
    }
    const problem = isObject(schema) ? schemaProblem(schema) : 'it is not a map';
    if (problem !== undefined) this.#complain('bad-schema', `this is not a usable JSON Schema: ${problem}`, pointer);
    return schema;
  }

  #file(name: string, pointer: string): string | undefined {
    if (this.#directory === undefined) {
      this.#complain('no-files', 'a flow that is not a file cannot name files', pointer, 'write the schema here');
      return undefined;
    }
    const path = resolve(this.#directory, name);
    if (!isInside(path, this.#directory)) {
      this.#complain('outside-file', 'files of a flow lie in its directory or below it', pointer);
      return undefined;
    }
    const content = this.#options.readFile ? this.#options.readFile(path) : readInside(path, this.#directory);
    if (content === undefined) this.#complain('missing-file', quoting`there is no file ${name}`, pointer);
    return content;
  }

  /** Said so, or the source of a variable that is: what such a step takes must be masked before it is assigned. */
  #isSensitive(step: JsonObject, args: Json): boolean {
    if (step['sensitive'] === true || (isObject(args) && args['sensitive'] === true)) return true;
    const vars = isObject(this.#root['vars']) ? this.#root['vars'] : {};
    return Object.keys(isObject(step['set']) ? step['set'] : {}).some((name) => {
      const declared = Object.hasOwn(vars, name) ? vars[name] : undefined;
      return isObject(declared) && declared['sensitive'] === true;
    });
  }

  #variables(pointer: '/vars' | '/input'): Record<string, VariableSpec> {
    const written = this.#root[pointer.slice(1)];
    if (!isObject(written)) return {};
    return Object.fromEntries(
      Object.entries(written).map(([name, declared]): [string, VariableSpec] => {
        const { sensitive, default: initial, ...schema } = declared as JsonObject;
        const at = childPointer(pointer, name);
        const problem = schemaProblem(schema);
        if (problem !== undefined) this.#complain('bad-schema', `this is not a usable JSON Schema: ${problem}`, at);
        else if (initial !== undefined) {
          const wrong = compileCheck(schema)(initial);
          if (wrong !== undefined)
            this.#complain('wrong-default', `the default does not fit: ${wrong}`, childPointer(at, 'default'));
        }
        const spec: VariableSpec = { schema, sensitive: sensitive === true };
        return [name, initial === undefined ? spec : { ...spec, default: initial }];
      }),
    );
  }

  #prompts(): PromptTable {
    const written = this.#root['prompts'];
    const roots = this.#options.promptRoots ?? [];
    const entries = isObject(written) ? mapValues(written, byLocale) : {};
    const table: PromptTable = { entries, ...(roots.length > 0 ? { roots } : {}) };
    for (const [pointer, value] of isObject(written) ? walk(written, '/prompts') : []) {
      if (typeof value !== 'string' || !hasExpression(value)) continue;
      const hint = 'write the text in the step, where it can be filled in';
      this.#complain('template-here', 'a prompt of the table is said as it is', pointer, hint);
    }
    if (this.#directory === undefined) {
      if (typeof written === 'string')
        this.#complain('no-files', 'a flow that is not a file has no prompts directory', '/prompts');
      return table;
    }
    const directory = resolve(this.#directory, typeof written === 'string' ? written : 'prompts');
    if (!isInside(directory, this.#directory)) {
      this.#complain('outside-file', 'the prompts directory lies in the directory of the flow or below it', '/prompts');
    }
    table.directory = directory;
    return table;
  }

  /** Bare JSONata inside arguments. */
  #expressions(spec: VerbSpec, args: Json, argsPointer: string): void {
    for (const [pointer, value] of walk(args)) {
      if (typeof value === 'string' && isAt(pointer, spec.expressions)) this.#expression(value, argsPointer + pointer);
    }
  }

  #expression(source: string, pointer: string): Expression | undefined {
    const compiled = compileExpression(source);
    if (!('error' in compiled)) return compiled;
    const { code, message, position } = compiled.error;
    const hint = source.includes('${') ? 'write it without ${ }' : compiled.error.hint;
    this.issues.push({ code, message, pointer, offset: position, hint });
    return undefined;
  }

  /** Compiles a template and reports what is wrong in it; `skip` are places of bare expressions. */
  #template(written: Json, pointer: string, skip: readonly string[] = []): Template {
    const template = compileTemplate(written, { skip });
    for (const { code, message, position, hint, pointer: inside } of templateProblems(template)) {
      this.issues.push({ code, message, pointer: pointer + inside, offset: position, hint });
    }
    return template;
  }

  #complain(code: string, message: string, pointer: string, hint?: string): void {
    this.issues.push({ code, message, pointer, hint });
  }
}

function expressionsAsText(value: Json, pointer: string, patterns: readonly string[]): Json {
  if (typeof value === 'boolean' && isAt(pointer, patterns)) return String(value);
  if (Array.isArray(value))
    return value.map((item, index) => expressionsAsText(item, childPointer(pointer, index), patterns));
  if (!isObject(value)) return value;
  return mapValues(value, (item, key) => expressionsAsText(item, childPointer(pointer, key), patterns));
}

function checker(specs: Readonly<Record<string, VariableSpec>>): (name: string, value: Json) => string | undefined {
  const checks = mapValues(specs, ({ schema }) => compileCheck(schema));
  return (name, value) => (Object.hasOwn(checks, name) ? checks[name]!(value) : 'is not declared');
}
