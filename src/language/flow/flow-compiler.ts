/**
 * Turns the parsed steps and tables of one flow into the records that calls run: arguments merged with the defaults,
 * templates and expressions compiled, exits resolved. `compile.ts` checks the shape before and the meaning after.
 */
import { resolve } from 'node:path';
import { parseDuration } from '../../base/core/duration.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import { checkByName } from '../../base/schema/compile-check.ts';
import {
  childPointer,
  type Issue,
  isAt,
  isAtOrBelow,
  type SourceDocument,
  valueAt,
  walk,
} from '../../base/schema/document.ts';
import { flowSchema } from '../../base/schema/schema-forms.ts';
import { type CompleteArguments, completeArguments } from '../../base/schema/validate.ts';
import { argumentPlaces, variablePlaces } from './argument-places.ts';
import {
  API_COMMANDS,
  type ApiCommand,
  type CompiledFlow,
  type CompiledStep,
  type Expression,
  type PromptTable,
  type Template,
  type TemplatePlaces,
  type VerbSpec,
} from './compiled-flow.ts';
import type { VariableSpec } from './declared-values.ts';
import { compileExpression } from './expression.ts';
import { expressionsAsText } from './expression-sites.ts';
import { type CompileOptions, type StepDraft, visibleSecrets } from './flow-draft.ts';
import { flowHash } from './flow-hash.ts';
import { inputDefaultsOf } from './flow-shape.ts';
import type { FlowSummary } from './flow-summary.ts';
import { compileMachine } from './machine.ts';
import { NamedFiles } from './named-files.ts';
import { changedAt } from './named-places.ts';
import { hasExpression } from './outcome-conditions.ts';
import { isInside } from './path-containment.ts';
import { byLocale } from './prompts.ts';
import { resolveRoutes, targetsOf } from './routes.ts';
import { compileTemplate, type TemplateOptions, templateProblems } from './template.ts';
import { declaredVariables } from './variables.ts';
import { filePlacesOf } from './verb-facts.ts';
import { usualVoiceSettings, voiceTemplates } from './voice-settings.ts';

/** Default of a key, from the schema of flows. */
const defaultOf = (section: string, key: string): Json | undefined =>
  valueAt(flowSchema, `/properties/${section}/properties/${key}/default`);

/** Caches the completed arguments if they are constant. */
function argumentCompleter(spec: VerbSpec, { isConstant }: Template): CompiledStep['complete'] {
  let known: CompleteArguments | undefined;
  return (rendered) => {
    const completed = known ?? completeArguments(spec, rendered);
    if (isConstant) known = completed;
    return completed;
  };
}

/** Compiles the parts of one flow and collects their issues. */
export class FlowCompiler {
  readonly issues: Issue[] = [];
  readonly #document: SourceDocument;
  readonly #root: JsonObject;
  readonly #options: CompileOptions;
  readonly #directory: string | undefined;
  readonly #defaults: JsonObject;
  readonly #files: NamedFiles;
  readonly #variablePlaces: TemplatePlaces;

  constructor(document: SourceDocument, root: JsonObject, options: CompileOptions, directory: string | undefined) {
    this.#document = document;
    this.#root = root;
    this.#options = options;
    this.#directory = directory;
    this.#files = new NamedFiles(directory, options.readFile, (code, message, pointer, hint) =>
      this.#complain(code, message, pointer, hint),
    );
    this.#variablePlaces = variablePlaces((name) => {
      const vars = root['vars'];
      const declared = isObject(vars) && Object.hasOwn(vars, name) ? vars[name] : undefined;
      return isObject(declared) ? declared : undefined;
    });
    this.#defaults = isObject(root['defaults']) ? root['defaults'] : {};
    if (this.#defaults['input'] !== undefined) this.#template(this.#defaults['input'], '/defaults/input');
  }

  step(name: string, spec: VerbSpec): StepDraft {
    const pointer = childPointer('/steps', name);
    const argsPointer = childPointer(pointer, spec.verb);
    const source = (this.#root['steps'] as JsonObject)[name] as JsonObject;
    const args = this.#arguments(spec, source[spec.verb]!, argsPointer);
    this.#expressions(spec, args, argsPointer);
    const lazy = (spec.lazy ?? []).map((key) => childPointer('', key));
    const skip = [...(spec.expressions ?? []), ...lazy];
    const secrets = visibleSecrets(this.#document, spec.verb);
    const promptNames = new Set<string>();
    const places = spec.form === 'assignments' ? this.#variablePlaces : argumentPlaces(spec.verb, promptNames);
    const input = compileTemplate(args, { skip, secrets, places });
    // Most steps have the arguments that are written: then one template serves the call and the checks.
    const isAsWritten = lazy.length === 0 && args === source[spec.verb];
    const template = isAsWritten ? input : compileTemplate(source[spec.verb]!, { skip: spec.expressions ?? [] });
    this.#reportProblems(template, argsPointer);
    const compiled: CompiledStep = {
      name,
      verb: spec.verb,
      args,
      input,
      exits: {},
      sensitive: this.#isSensitive(source, args),
      location: this.#document.keyLocationOf(pointer),
      complete: argumentCompleter(spec, input),
      places,
      promptNames,
    };
    if (secrets.some((at) => isAtOrBelow(at, lazy))) compiled.secretPlaces = secrets;
    const byDefault = targetsOf(this.#defaults['exits']);
    const returnsOf = (flow: string) => this.#options.knownFlows?.get(flow)?.returns;
    const routes = resolveRoutes({ name, spec, args, step: source, defaults: byDefault, returnsOf });
    compiled.exits = routes.exits;
    const when = source['when'];
    if (when !== undefined) {
      const expression = this.#expression(String(when), childPointer(pointer, 'when'));
      if (expression !== undefined) compiled.when = expression;
    }
    if (spec.form !== 'assignments' && isObject(source['set'])) {
      compiled.set = mapValues(source['set'], (value, variable) => {
        const at = childPointer('', variable);
        const places = (inside: string) => this.#variablePlaces(at + inside);
        return this.#template(value, `${childPointer(pointer, 'set')}${at}`, { places });
      });
    }
    if (typeof source['max_visits'] === 'number') compiled.maxVisits = source['max_visits'];
    const voiceSettings = voiceTemplates(source, (value, key) => this.#template(value, childPointer(pointer, key)));
    if (voiceSettings) compiled.voiceSettings = voiceSettings;
    if (typeof source['label'] === 'string') compiled.label = source['label'];
    if (typeof source['section'] === 'string') compiled.section = source['section'];
    return { compiled, spec, routes, template, pointer, argsPointer, source };
  }

  flow(drafts: ReadonlyMap<string, StepDraft>, { returns }: FlowSummary): CompiledFlow {
    const root = this.#root;
    const steps = new Map([...drafts].map(([name, { compiled }]) => [name, compiled]));
    const vars = this.#variables('/vars');
    const input = this.#variables('/input');
    const events = targetsOf(root['events']);
    const limits = isObject(root['limits']) ? root['limits'] : {};
    const api = isObject(root['api']) ? root['api'] : {};
    const start = root['start'] as string;
    const prompts = this.#prompts();
    const voiceSettings = voiceTemplates(this.#defaults, (value, key) => this.#template(value, `/defaults/${key}`));
    return {
      name: root['flow'] as string,
      hash: flowHash(root, this.#files.read),
      file: this.#document.file,
      start,
      steps,
      machine: compileMachine({ start, steps, events }),
      input,
      vars,
      checkVariable: checkByName(mapValues(vars, ({ schema }) => schema)),
      checkInput: checkByName(mapValues(input, ({ schema }) => schema)),
      ...(root['output'] === undefined ? {} : { output: this.#template(root['output'], '/output') }),
      returns,
      prompts,
      schedules: isObject(root['schedules']) ? root['schedules'] : {},
      ...usualVoiceSettings(voiceSettings),
      ...(typeof this.#defaults['timezone'] === 'string' ? { timezone: this.#defaults['timezone'] } : {}),
      ...(voiceSettings ? { voiceSettings } : {}),
      events,
      limits: {
        maxDurationMs: parseDuration(String(limits['max_duration'] ?? defaultOf('limits', 'max_duration')))!,
        maxSteps: (limits['max_steps'] ?? defaultOf('limits', 'max_steps')) as number,
      },
      properties: (isObject(root['properties']) ? root['properties'] : {}) as CompiledFlow['properties'],
      api: Object.fromEntries(API_COMMANDS.map((command) => [command, api[command] !== false])) as Record<
        ApiCommand,
        boolean
      >,
    };
  }

  /**
   * Arguments as written, merged over `defaults.input`, with named files read and with booleans of bare expressions
   * turned into expressions.
   */
  #arguments(spec: VerbSpec, written: Json, pointer: string): Json {
    let args = written;
    const inherited = this.#defaults['input'];
    if (isObject(args) && isObject(inherited)) {
      const keys = inputDefaultsOf(spec.verb).filter((key) => Object.hasOwn(inherited, key));
      if (keys.length > 0) args = { ...Object.fromEntries(keys.map((key) => [key, inherited[key]!])), ...args };
    }
    for (const [at, content] of filePlacesOf(spec.verb)) {
      args = changedAt(args, at, (named) => {
        if (content === 'schema') return this.#files.schema(named, pointer + at);
        if (typeof named !== 'string') return named;
        const text = this.#files.text(named, pointer + at);
        this.#template(text, pointer + at);
        return text;
      });
    }
    return spec.expressions === undefined ? args : expressionsAsText(args, '', spec.expressions);
  }

  /**
   * True if the step is declared sensitive, or assigns a sensitive variable: its input must be masked before it is
   * assigned.
   */
  #isSensitive(step: JsonObject, args: Json): boolean {
    if (step['sensitive'] === true || (isObject(args) && args['sensitive'] === true)) return true;
    const vars = isObject(this.#root['vars']) ? this.#root['vars'] : {};
    return Object.keys(isObject(step['set']) ? step['set'] : {}).some((name) => {
      const declared = Object.hasOwn(vars, name) ? vars[name] : undefined;
      return isObject(declared) && declared['sensitive'] === true;
    });
  }

  #variables(pointer: '/vars' | '/input'): Record<string, VariableSpec> {
    return declaredVariables(this.#root[pointer.slice(1)], pointer, (...complaint) => this.#complain(...complaint));
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

  /** Compiles bare JSONata inside the arguments. */
  #expressions(spec: VerbSpec, args: Json, argsPointer: string): void {
    for (const [pointer, value] of spec.expressions === undefined ? [] : walk(args)) {
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

  /** Compiles a template and reports its problems. */
  #template(written: Json, pointer: string, options: TemplateOptions = {}): Template {
    const template = compileTemplate(written, options);
    this.#reportProblems(template, pointer);
    return template;
  }

  #reportProblems(template: Template, pointer: string): void {
    for (const { code, message, position, hint, pointer: inside } of templateProblems(template)) {
      this.issues.push({ code, message, pointer: pointer + inside, offset: position, hint });
    }
  }

  #complain(code: string, message: string, pointer: string, hint?: string): void {
    this.issues.push({ code, message, pointer, hint });
  }
}
