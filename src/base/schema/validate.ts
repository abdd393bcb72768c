/**
 * Applies the schemas in `schemas/` to documents, such as the configuration and request bodies, and to the arguments of
 * steps. Fills in every `default`, so that no other module has to know defaults.
 *
 * `schema-forms.ts` prepares the schemas, `issues.ts` explains errors. Schemas of users are in `compile-check.ts`.
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
 * Patterns in `schemas/` are unambiguous, so JavaScript also matches them in linear time, and ten times as fast; every
 * step of a call is checked with some. Patterns with `\s` use RE2, because the two disagree about white space.
 */
const ownRegExp = Object.assign(
  (pattern: string, flags: string) => (/\\s/i.test(pattern) ? regExp(pattern, flags) : new RegExp(pattern, flags)),
  { code: PATTERN_MAKER },
);

const keptIn = getCompileCacheDir();

/**
 * Compiled on demand, each shared schema once, and without ajv's optimiser, which takes longer than the checks. Cached
 * in Node's compile cache folder, if that is enabled.
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
/** These validators write defaults into the value. */
const completing = createValidators({ useDefaults: true });

/** Validates a value located at `pointer` of a document. `key` identifies the schema. */
export function checkShape(key: string, schema: () => Json, value: Json, pointer: string): Issue[] {
  const validate = checking.of(key, schema);
  return validate(value) ? [] : issuesOf(validate.errors ?? [], value, pointer);
}

/**
 * Validates a document by its schema (`name` below `schemas/`) and writes all defaults into it. Returns the value, or
 * one diagnostic for each error.
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
  /** Keys whose values are not rendered. */
  lazy?: readonly string[];
}

export interface CompleteArguments {
  /** Rendered arguments in long form, with the defaults of the verb's schema. */
  args: Json;
  /** Description of the problem. */
  problem?: string;
}

/** Completes the rendered arguments of a step. */
export function completeArguments({ verb, lazy = [] }: ArgumentsOf, rendered: Json): CompleteArguments {
  const { minProperties, ...others } = verbSchemas.get(verb) ?? {};
  // An assignment without a value is left out, also the only one.
  const schema =
    others['form'] === 'assignments' || minProperties === undefined ? others : { ...others, minProperties };
  const key = `${verb} ${lazy.join(' ')}`;
  const validate = completing.of(key, () => schemaInForm(schema, 'strict', 'verb', lazy));
  const args = cloneJson(rendered);
  const problem = validate(args) ? {} : { problem: problemIn(issuesOf(validate.errors ?? [], rendered, '')) };
  if (isObject(args)) return { args, ...problem };
  const long = longForm(verb, args);
  if (isObject(long)) validate(long);
  return { args: long, ...problem };
}

/** Describes the problem of rendered arguments. Undefined if they are valid. */
export const checkArguments = (of: ArgumentsOf, rendered: Json): string | undefined =>
  completeArguments(of, rendered).problem;

function problemIn([first]: readonly Issue[]): string {
  if (first === undefined) return 'the arguments do not fit';
  const keys = pointerKeys(first.pointer);
  const at = (first.code === 'unknown-key' ? keys.slice(0, -1) : keys).join('.');
  return at === '' ? first.message : `${at}: ${first.message}`;
}
