/**
 * Whether a value has the shape that a schema asks for: the only user of `ajv`. Two uses: the shape of flows, where each
 * mistake gives one message in the words of authors, and `compileCheck` for every other schema (answers of HTTP
 * services, variables, bodies of REST requests).
 *
 * Invariants
 *  V1 the verb of a step is found first, then its arguments are checked against that verb's schema alone;
 *  V2 patterns of schemas cannot backtrack; schemas that authors write cannot load anything from elsewhere, and their
 *     cost is bounded (`schema-cost.ts`);
 *  V3 nothing here throws because of a value or of an author's schema.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { type Diagnostic, quoting } from '../core/diagnostic.ts';
import { canonical, isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CompleteArguments, VerbSpec } from '../flow/compiled-flow.ts';
import { childPointer, type Issue, pointerKeys, type SourceDocument, toDiagnostic, valueAt } from './document.ts';
import { linearPattern } from './linear-regex.ts';
import { costProblem } from './schema-cost.ts';
import { flowSchema, longForm, schemaInForm, sharedForms, stepSchema, verbSchemas } from './schema-forms.ts';
import { didYouMean } from './suggest.ts';

// --- schemas of others ----------------------------------------------------------------------------------------------

type Check = (value: unknown) => string | undefined;

/** ajv writes `new RegExp(…)` through this, and tells patterns apart by their `toString`. */
const regExp = Object.assign(
  (pattern: string, flags: string) => ({
    ...linearPattern(pattern, flags.replace('u', '')),
    toString: () => `/${pattern}/${flags}`,
  }),
  { code: 'linearPattern' },
);

/**
 * Patterns of our own never have two ways through a text, so that those of JavaScript take linear time too, and a tenth of
 * it: each step of a call is checked by some. The two disagree about what is a space.
 */
const ownRegExp = Object.assign(
  (pattern: string, flags: string) => (/\\s/i.test(pattern) ? regExp(pattern, flags) : new RegExp(pattern, flags)),
  { code: 'ownPattern' },
);

const MAX_SCHEMAS = 500;
const MAX_SCHEMA_LENGTH = 100_000;
const compiledSchemas = new Map<string, { check: Check; problem?: string }>();

/** Makes a check of a schema: `undefined` for a value that fits, else what is wrong in words. */
export function compileCheck(schema: JsonObject | boolean): Check {
  return compiled(schema).check;
}

/** What is wrong with a schema itself. */
export function schemaProblem(schema: JsonObject | boolean): string | undefined {
  return compiled(schema).problem;
}

function compiled(schema: JsonObject | boolean): { check: Check; problem?: string } {
  const text = JSON.stringify(schema);
  const known = compiledSchemas.get(text);
  if (known !== undefined) return known;
  const made = compileUncached(schema, text);
  if (compiledSchemas.size >= MAX_SCHEMAS) {
    compiledSchemas.clear();
    sharedInstance = undefined;
  }
  compiledSchemas.set(text, made);
  return made;
}

/** An instance keeps what it compiled, and makes its meta-schema anew: shared, and dropped with the cache. */
let sharedInstance: Ajv2020 | undefined;

function newInstance(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, code: { regExp }, logger: false });
  ajvFormats.default(ajv);
  // The library compares each pair.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (unique: boolean, items: Json[]) => !unique || new Set(items.map(canonical)).size === items.length,
  });
  return ajv;
}

/** Names inside schemas of different authors must not meet. */
function instanceFor(text: string): Ajv2020 {
  if (/"\$(id|anchor|dynamicAnchor)"/.test(text)) return newInstance();
  sharedInstance ??= newInstance();
  return sharedInstance;
}

function compileUncached(schema: JsonObject | boolean, text: string): { check: Check; problem?: string } {
  const refuse = (problem: string) => ({ problem, check: () => `the schema cannot be used: ${problem}` });
  if (text.length > MAX_SCHEMA_LENGTH) return refuse('it is too long');
  try {
    const costly = costProblem(schema);
    if (costly !== undefined) return refuse(costly);
    const validate = instanceFor(text).compile(withoutDialect(schema));
    return {
      check(value) {
        try {
          if (validate(value)) return undefined;
        } catch (error) {
          return `the schema cannot be applied: ${(error as Error).message}`;
        }
        const first = validate.errors?.[0];
        return first === undefined ? 'does not fit' : inWords(first);
      },
    };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Every schema is read as one of JSON Schema 2020-12; another dialect's name would have to be loaded. */
function withoutDialect(schema: JsonObject | boolean): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function inWords(error: ErrorObject): string {
  const at = error.instancePath === '' ? '' : `${pointerKeys(error.instancePath).join('.')} `;
  if (error.keyword === 'additionalProperties')
    return `${at}has the unknown key ${quoting`${error.params['additionalProperty']}`}`;
  if (error.keyword === 'enum') return `${at}must be one of ${listed(error.params['allowedValues'])}`;
  return `${at}${error.message ?? 'does not fit'}`;
}

// --- schemas of the language ----------------------------------------------------------------------------------------

/** Compiled at start-up: shared parts once each, and without the optimiser, which takes longer than the checks. */
function languageInstance(options: { useDefaults?: boolean } = {}): Ajv2020 {
  const made = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    inlineRefs: false,
    validateSchema: false,
    code: { regExp: ownRegExp, optimize: false },
    logger: false,
    ...options,
  });
  for (const [name, schema] of sharedForms()) made.addSchema(schema, name);
  return made;
}

const ajv = languageInstance();
/** Adds the defaults of the schema to what it checks. */
const fillingAjv = languageInstance({ useDefaults: true });

const validators = new Map<string, ValidateFunction>();

function validator(key: string, schema: () => Json, instance = ajv): ValidateFunction {
  let found = validators.get(key);
  if (found === undefined) {
    found = instance.compile(schema() as JsonObject);
    validators.set(key, found);
  }
  return found;
}

const argumentsValidator = (verb: string) =>
  validator(`${verb} written`, () => schemaInForm(verbSchemas.get(verb) ?? {}, 'written', 'verb'));

/**
 * The arguments of a step as its program takes them: in their long form, with the defaults of the verb's schema. They are
 * made of what came out of the templates; lazy keys are still as written. `problem` says what is wrong with them.
 */
export function completeArguments(
  { verb, lazy = [] }: Pick<VerbSpec, 'verb' | 'lazy'>,
  rendered: Json,
): CompleteArguments {
  const schema = verbSchemas.get(verb) ?? {};
  const key = `${verb} arguments ${lazy.join(' ')}`;
  const validate = validator(key, () => schemaInForm(schema, 'strict', 'verb', lazy), fillingAjv);
  const args = structuredClone(rendered);
  const isValid = validate(args);
  const problem = isValid ? {} : { problem: problemIn(validate.errors ?? [], rendered) };
  if (isObject(args)) return { args, ...problem };
  const long = longForm(verb, args);
  if (isObject(long)) validate(long);
  return { args: long, ...problem };
}

/** What is wrong with arguments that came out of templates. */
export const checkArguments = (spec: Pick<VerbSpec, 'verb' | 'lazy'>, rendered: Json): string | undefined =>
  completeArguments(spec, rendered).problem;

function problemIn(errors: readonly ErrorObject[], rendered: Json): string {
  const [first] = issuesOf(errors, rendered, '');
  if (first === undefined) return 'the arguments do not fit';
  const keys = pointerKeys(first.pointer);
  const at = (first.code === 'unknown-key' ? keys.slice(0, -1) : keys).join('.');
  return at === '' ? first.message : `${at}: ${first.message}`;
}

/** Whether `defaults.input` applies to a verb, and which keys the verb takes. */
export function inputDefaultsOf(verb: string): readonly string[] {
  const schema = verbSchemas.get(verb);
  return schema?.['inputDefaults'] === true ? Object.keys(schema['properties'] as JsonObject) : [];
}

/** Keys that may stand beside the verb. */
const commonKeys: readonly string[] = Object.keys(stepSchema['properties'] as JsonObject);

/** Everything about a flow but the arguments of its verbs. */
export function checkFlowShape(document: SourceDocument): Issue[] {
  if (!isObject(document.value)) {
    const hint = 'it starts with  flow: a-name';
    return [{ code: 'wrong-type', message: 'a flow is a map', pointer: '', hint }];
  }
  const validate = validator('flow', () => schemaInForm(flowSchema, 'strict', 'flow'));
  return validate(document.value) ? [] : issuesOf(validate.errors ?? [], document.value, '');
}

/** A document that is not a flow, such as the configuration, against its own schema: one message per mistake. */
export function checkDocument(document: SourceDocument, name: string, schema: JsonObject): Diagnostic[] {
  const validate = validator(`document ${name}`, () => {
    const parts = Object.entries(isObject(schema['$defs']) ? schema['$defs'] : {});
    const $defs = Object.fromEntries(parts.map(([key, part]) => [key, schemaInForm(part, 'strict', name)]));
    ajv.addSchema({ $defs }, `${name}-strict`);
    return schemaInForm(schema, 'strict', name);
  });
  if (validate(document.value)) return [];
  return issuesOf(validate.errors ?? [], document.value, '').map((issue) => toDiagnostic(document, issue));
}

/** One step: its verb, its common keys, its arguments. */
export function checkStep(
  document: SourceDocument,
  pointer: string,
  verbs: ReadonlyMap<string, VerbSpec>,
): { verb?: string; complaints: Issue[] } {
  const step = valueAt(document.value, pointer) as JsonObject;
  const found = verbOf(step, pointer, verbs);
  if ('issue' in found) return { complaints: [found.issue] };
  const { verb } = found;

  const common: JsonObject = {};
  for (const [key, value] of Object.entries(step)) if (key !== verb) common[key] = value;
  const validateCommon = validator('step', () => schemaInForm(stepSchema, 'written', 'step'));
  const complaints = validateCommon(common) ? [] : issuesOf(validateCommon.errors ?? [], common, pointer);
  const validate = argumentsValidator(verb);
  if (!validate(step[verb]))
    complaints.push(...issuesOf(validate.errors ?? [], step[verb]!, childPointer(pointer, verb)));
  return { verb, complaints };
}

/** The one key that is a verb. `set` is one when no other key is. */
function verbOf(
  step: JsonObject,
  pointer: string,
  verbs: ReadonlyMap<string, VerbSpec>,
): { verb: string } | { issue: Issue } {
  const others = Object.keys(step).filter((key) => !commonKeys.includes(key));
  const known = others.filter((key) => verbs.has(key));
  if (known.length === 1) return { verb: known[0]! };
  if (known.length > 1) {
    const message = `a step has one verb, this one has ${known.map((verb) => quoting`${verb}`).join(' and ')}`;
    const hint = 'make a second step of it';
    return { issue: { code: 'two-verbs', message, pointer: childPointer(pointer, known[1]!), atKey: true, hint } };
  }
  const unknown = others[0];
  if (unknown !== undefined) {
    const near = didYouMean(unknown, [...verbs.keys(), ...commonKeys]);
    const hint = near ?? `the verbs are ${[...verbs.keys()].join(', ')}`;
    const message = quoting`there is no verb ${unknown}`;
    return { issue: { code: 'unknown-verb', message, pointer: childPointer(pointer, unknown), atKey: true, hint } };
  }
  if (Object.hasOwn(step, 'set') && verbs.has('set')) return { verb: 'set' };
  const hint = `give it one of ${[...verbs.keys()].join(', ')}`;
  return { issue: { code: 'missing-verb', message: 'the step has no verb', pointer, atKey: true, hint } };
}

// --- from the validator's errors to one message per mistake -----------------------------------------------------------

/** `root` is what was validated, and stands at `pointer`. */
function issuesOf(errors: readonly ErrorObject[], root: Json, pointer: string): Issue[] {
  const telling = errors.filter(
    ({ keyword, schemaPath }) =>
      keyword !== 'if' && keyword !== 'propertyNames' && !/\/oneOf\/|\/not\//.test(schemaPath),
  );
  const unknownKeys = new Set(
    telling.filter(({ keyword }) => keyword === 'additionalProperties').map(({ instancePath }) => instancePath),
  );
  const byPlace = new Map<string, ErrorObject>();
  for (const error of telling) {
    // A key that is missing is likely the one that is misspelt.
    if (unknownKeys.has(error.instancePath) && (error.keyword === 'required' || error.keyword === 'oneOf')) continue;
    const key = error.params['additionalProperty'] ?? error.params['missingProperty'] ?? error.propertyName ?? '';
    const place = `${error.instancePath} ${key}`;
    const known = byPlace.get(place);
    if (known === undefined || weight(error) > weight(known)) byPlace.set(place, error);
  }
  return [...byPlace.values()].map((error) => issueOf(error, root, pointer));
}

const weight = (error: ErrorObject): number =>
  error.keyword === 'type' ? 2 : customMessage(error) === undefined ? 0 : 1;

const annotation = (error: ErrorObject, name: string): string | undefined => {
  const text = (error.parentSchema as JsonObject | undefined)?.[name];
  return typeof text === 'string' ? text : undefined;
};
const customMessage = (error: ErrorObject) => annotation(error, 'says');

function issueOf(error: ErrorObject, root: Json, pointer: string): Issue {
  const at = pointer + error.instancePath;
  const value = valueAt(root, error.instancePath);
  if (error.propertyName !== undefined) {
    const message = `${quoting`${error.propertyName}`}: ${customMessage(error) ?? error.message ?? 'must not be used here'}`;
    return { code: 'wrong-name', message, pointer: childPointer(at, error.propertyName), atKey: true };
  }
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params['additionalProperty']);
      const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? {});
      const hint = didYouMean(key, known) ?? (known.length > 0 ? `the keys are ${known.join(', ')}` : undefined);
      const issue: Issue = {
        code: 'unknown-key',
        message: quoting`unknown key ${key}`,
        pointer: childPointer(at, key),
        atKey: true,
      };
      return hint === undefined ? issue : { ...issue, hint };
    }
    case 'required': {
      const key = String(error.params['missingProperty']);
      return { code: 'missing-key', message: quoting`the key ${key} is missing`, pointer: at, atKey: true };
    }
    case 'oneOf':
      return {
        code: 'wrong-keys',
        message: customMessage(error) ?? 'the keys do not go together',
        pointer: at,
        atKey: true,
      };
    case 'enum': {
      const allowed = error.params['allowedValues'] as Json[];
      const issue: Issue = { code: 'wrong-value', message: `must be one of ${listed(allowed)}`, pointer: at };
      const hint = typeof value === 'string' ? didYouMean(value, allowed.map(String)) : undefined;
      return hint === undefined ? issue : { ...issue, hint };
    }
    case 'type':
      return typeIssue(error, value, at);
    default: {
      const code = annotation(error, 'code') ?? 'wrong-value';
      return { code, message: customMessage(error) ?? error.message ?? 'does not fit', pointer: at };
    }
  }
}

function typeIssue(error: ErrorObject, value: Json | undefined, pointer: string): Issue {
  const code = annotation(error, 'code');
  if (code === 'duration' && typeof value === 'number') {
    const hint = `write ${value}s or ${value}ms`;
    return { code, message: 'a duration carries its unit', pointer, hint };
  }
  if (code === 'digit' && typeof value === 'number') {
    return { code, message: 'digits are written in quotes', pointer, hint: `write "${value}"` };
  }
  const wanted = [error.params['type'] as string | string[]].flat();
  const message =
    customMessage(error) ?? `must be ${listed([...new Set(wanted.map((type) => TYPE_WORDS[type] ?? type))], ' or ')}`;
  const issue: Issue = { code: 'wrong-type', message, pointer };
  if (wanted.includes('string') && (typeof value === 'number' || typeof value === 'boolean')) {
    return { ...issue, hint: `write "${value}" in quotes` };
  }
  if (
    typeof value === 'string' &&
    wanted.some((type) => type === 'integer' || type === 'number' || type === 'boolean')
  ) {
    return { ...issue, hint: 'write it without quotes' };
  }
  return issue;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'nothing',
};

const listed = (values: readonly Json[], separator = ', '): string =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(separator);
