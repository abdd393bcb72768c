/**
 * Applies our own schemas, those in `schemas/`: to documents, such as the configuration and request bodies, and to the
 * arguments of steps. Every `default` of a schema is filled in here, so that nobody else has to know it.
 *
 * Neighbours: `schema-forms.ts` makes the schemas ready, `issues.ts` explains mistakes, `compile-check.ts` is for schemas
 * that others write.
 */
import { getCompileCacheDir } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Diagnostic } from '../core/diagnostic.ts';
import { cloneJson, isObject, type Json, type JsonObject } from '../core/json.ts';
import { regExp } from './compile-check.ts';
import { type Issue, pointerKeys, type SourceDocument, toDiagnostic } from './document.ts';
import { issuesOf } from './issues.ts';
import { keptValidators, PATTERN_MAKER } from './kept-validators.ts';
import { readSchema } from './schema-files.ts';
import { longForm, schemaId, schemaInForm, sharedForms, verbSchemas } from './schema-forms.ts';

/**
 * Patterns of our own never have two ways through a text, so that those of JavaScript take linear time too, and a tenth of
 * it: each step of a call is checked by some. The two disagree about what is a space.
 */
const ownRegExp = Object.assign(
  (pattern: string, flags: string) => (/\\s/i.test(pattern) ? regExp(pattern, flags) : new RegExp(pattern, flags)),
  { code: PATTERN_MAKER },
);

const keptIn = getCompileCacheDir();

/**
 * Compiled when they are needed: shared parts once each, and without the optimiser, which takes longer than the checks. Kept
 * where Node keeps what it makes of our sources, if it does.
 */
function createValidators({ useDefaults }: { useDefaults: boolean }) {
  const shared = sharedForms();
  const options = {
    allErrors: true,
    verbose: true,
    strict: false,
    inlineRefs: false,
    validateSchema: false,
    code: { regExp: ownRegExp, optimize: false, source: keptIn !== undefined },
    logger: false as const,
    useDefaults,
  };
  const find = keptValidators({ options, shared }, ownRegExp, keptIn);
  let ajv: Ajv2020 | undefined;
  const newAjv = (): Ajv2020 => {
    const made = new Ajv2020(options);
    for (const [name, schema] of shared) made.addSchema(schema, name);
    return made;
  };
  const compiled = new Map<string, ValidateFunction>();
  return {
    of(key: string, schemaOf: () => Json): ValidateFunction {
      let validate = compiled.get(key);
      if (validate === undefined) {
        const schema = schemaOf() as JsonObject;
        validate = find(schema, () => {
          ajv ??= newAjv();
          return { ajv, validate: ajv.compile(schema) };
        });
        compiled.set(key, validate);
      }
      return validate;
    },
  };
}

const checking = createValidators({ useDefaults: false });
/** These write the defaults into what they are given. */
const completing = createValidators({ useDefaults: true });

/** What is wrong with a value that stands at `pointer` of a document. `key` names the schema. */
export function checkShape(key: string, schema: () => Json, value: Json, pointer: string): Issue[] {
  const validate = checking.of(key, schema);
  return validate(value) ? [] : issuesOf(validate.errors ?? [], value, pointer);
}

/**
 * The value of a document by its schema (`name` below `schemas/`), with all defaults, which are written into the document;
 * or what is wrong with it, one diagnostic per mistake.
 */
export function parseDocument<Value>(
  document: SourceDocument,
  name: string,
):
  | { value: Value; diagnostics?: undefined; issues?: undefined }
  | { value?: undefined; diagnostics: Diagnostic[]; issues: Issue[] } {
  const validate = completing.of(name, () => {
    const schema = readSchema(name);
    const parts = Object.entries(isObject(schema['$defs']) ? schema['$defs'] : {});
    const $defs = Object.fromEntries(parts.map(([key, part]) => [key, schemaInForm(part, 'strict', name)]));
    return { $id: schemaId(name, 'strict'), $defs, ...(schemaInForm(schema, 'strict', name) as JsonObject) };
  });
  if (validate(document.value)) return { value: document.value as Value };
  const issues = issuesOf(validate.errors ?? [], document.value, '');
  return { issues, diagnostics: issues.map((issue) => toDiagnostic(document, issue)) };
}

interface ArgumentsOf {
  verb: string;
  /** Keys that are still as written. */
  lazy?: readonly string[];
}

export interface CompleteArguments {
  /** What a step's program takes: the rendered arguments in their long form, with the defaults of the verb's schema. */
  args: Json;
  /** What is wrong with them, in words. */
  problem?: string;
}

/** The arguments of a step as its program takes them, made of what came out of the templates. */
export function completeArguments({ verb, lazy = [] }: ArgumentsOf, rendered: Json): CompleteArguments {
  const schema = verbSchemas.get(verb) ?? {};
  const key = `${verb} ${lazy.join(' ')}`;
  const validate = completing.of(key, () => schemaInForm(schema, 'strict', 'verb', lazy));
  const args = cloneJson(rendered);
  const problem = validate(args) ? {} : { problem: problemIn(issuesOf(validate.errors ?? [], rendered, '')) };
  if (isObject(args)) return { args, ...problem };
  const long = longForm(verb, args);
  if (isObject(long)) validate(long);
  return { args: long, ...problem };
}

/** What is wrong with arguments that came out of templates. */
export const checkArguments = (of: ArgumentsOf, rendered: Json): string | undefined =>
  completeArguments(of, rendered).problem;

function problemIn([first]: readonly Issue[]): string {
  if (first === undefined) return 'the arguments do not fit';
  const keys = pointerKeys(first.pointer);
  const at = (first.code === 'unknown-key' ? keys.slice(0, -1) : keys).join('.');
  return at === '' ? first.message : `${at}: ${first.message}`;
}
