/**
 * Makes the types of what schemas describe: of the arguments of steps, of the configuration, of request bodies and of the
 * messages of rooms, as they are when their schema was applied: in the long form, and whatever has a default is there.
 * Also makes the lists of steps, checks and actions of verbs. `npm run types` writes them.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject } from '../../src/base/core/json.ts';
import { readSchema, SCHEMAS } from '../../src/base/schema/schema-files.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';

/** Prompts are resolved by the flow, which takes all their forms. */
const UNTYPED = ['prompt', 'promptItem', 'promptObject', 'prompts'];

type Definitions = Readonly<Record<string, JsonObject>>;

const shared = readSchema('components')['$defs'] as Definitions;

/** Writes one schema as a type. `definitions` are what it refers to. */
class TypeWriter {
  readonly #definitions: Definitions;
  /** Definitions that are types of their own; the others are written out where they are used. */
  readonly #named: readonly string[];
  /** True for published types: each key has its description as a comment, and no internal type is used. */
  readonly #isForOthers: boolean;

  constructor(definitions: Definitions = {}, named: readonly string[] = [], { isForOthers = false } = {}) {
    this.#definitions = { ...shared, ...definitions };
    this.#named = named;
    this.#isForOthers = isForOthers;
  }

  resolve(schema: JsonObject): JsonObject {
    const name = refName(schema);
    if (name === undefined) return schema;
    const { $ref: _, ...own } = schema;
    return { ...this.resolve(this.#definitions[name]!), ...own };
  }

  typeOf(schema: JsonObject, indent = ''): string {
    const name = refName(schema);
    if (name !== undefined && this.#named.includes(name)) return pascalCase(name);
    if (name !== undefined) return UNTYPED.includes(name) ? 'Json' : this.typeOf(this.resolve(schema), indent);
    const { const: only, enum: values, anyOf: forms, type, items, additionalProperties: each } = schema;
    if (only !== undefined) return literal(only);
    if (Array.isArray(values)) return values.map(literal).join(' | ');
    if (Array.isArray(forms))
      return [...new Set(forms.map((form) => this.typeOf(form as JsonObject, indent)))].join(' | ');
    if (Array.isArray(type)) return type.map((one) => this.typeOf({ ...schema, type: one }, indent)).join(' | ');
    if (type === 'integer') return 'number';
    if (type === 'array') return arrayOf(this.typeOf(isObject(items) ? items : {}, indent), schema);
    if (type !== 'object') return typeof type === 'string' ? type : 'Json';
    if (isObject(schema['properties'])) return this.#mapOf(schema, indent);
    return isObject(each) && Object.keys(each).length > 0
      ? `Record<string, ${this.typeOf(each, indent)}>`
      : this.#isForOthers
        ? 'Record<string, unknown>'
        : 'JsonObject';
  }

  #mapOf({ properties, required }: JsonObject, indent: string): string {
    const needed = Array.isArray(required) ? required : [];
    const lines = Object.entries(properties as Definitions).map(([key, property]) => {
      const isThere = needed.includes(key) || this.resolve(property)['default'] !== undefined;
      const name = /^\w+$/.test(key) ? key : `'${key}'`;
      const comment = this.#isForOthers ? commentOf(this.resolve(property), `${indent}  `) : '';
      return `${comment}${indent}  ${name}${isThere ? '' : '?'}: ${this.typeOf(property, `${indent}  `)};\n`;
    });
    return `{\n${lines.join('')}${indent}}`;
  }
}

const literal = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'");

/** None for what has one value alone: its description would be that of every message. */
const commentOf = ({ description, const: only }: JsonObject, indent = ''): string =>
  typeof description === 'string' && only === undefined ? `${indent}/** ${description} */\n` : '';

const refName = (schema: JsonObject): string | undefined =>
  typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;

function arrayOf(item: string, { minItems, maxItems }: JsonObject): string {
  if (minItems === 2 && maxItems === 2) return `[${item}, ${item}]`;
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}

const pascalCase = (name: string): string => name.replace(/(^|[-_/])[a-z]/g, (letter) => letter.at(-1)!.toUpperCase());

const camelCase = (name: string): string => name.replace(/_[a-z]/g, (letter) => letter.at(-1)!.toUpperCase());

/** Verbs with a map of arguments; the other verbs read their arguments on their own. */
function stepArguments(): string[] {
  const writer = new TypeWriter();
  return [...verbSchemas].flatMap(([verb, schema]) => {
    const forms = (Array.isArray(schema['anyOf']) ? schema['anyOf'] : [schema]) as JsonObject[];
    const map = forms.find((form) => isObject(writer.resolve(form)['properties']));
    return map === undefined ? [] : [`export type ${pascalCase(verb)}Args = ${writer.typeOf(writer.resolve(map))};\n`];
  });
}

/** Entries such as `<choice>` stand for names in the arguments. */
function stepOutcomes(): string[] {
  return [...verbSchemas].map(([verb, { outcomes }]) => {
    const names = Object.keys(outcomes as JsonObject).map((name) =>
      /^<.*>$/.test(name) ? 'NamedOutcome' : literal(name),
    );
    return `export type ${pascalCase(verb)}Outcome = ${[...new Set(names)].join(' | ') || 'never'};\n`;
  });
}

/** List of one part of the verbs: one line for each folder that has its file. */
function partList(part: string, typeImport: string, declared: (names: ReadonlyMap<string, string>) => string): string {
  const verbs = [...verbSchemas.keys()].filter((verb) => existsSync(pathOf(`src/verbs/${verb}/${part}.ts`)));
  const names = new Map(verbs.map((verb) => [verb, camelCase(`${verb}_${part}`)]));
  return [
    '/** Made of src/verbs by `npm run types`. */',
    typeImport,
    ...[...names].map(([verb, name]) => `import { ${part} as ${name} } from './${verb}/${part}.ts';`),
    '',
    declared(names),
  ].join('\n');
}

const stepList = (): string =>
  partList(
    'step',
    "import type { StepDefinition } from '../language/steps/step.ts';",
    (names) => `\
/** All verbs of the flow language. */
export const verbs: readonly StepDefinition[] = [
${[...names.values()].map((name) => `  ${name},\n`).join('')}];

export const stepsByVerb: ReadonlyMap<string, StepDefinition> = new Map(verbs.map((step) => [step.verb, step]));
`,
  );

const lintList = (): string =>
  partList(
    'lint',
    "import type { VerbLint } from '../language/flow/verb-lint.ts';",
    (names) => `\
/** Checks by verb. */
export const lints: ReadonlyMap<string, VerbLint> = new Map([
${[...names].map(([verb, name]) => `  ['${verb}', ${name}],\n`).join('')}]);
`,
  );

const actionList = (): string =>
  partList(
    'actions',
    "import type { VerbActions } from '../proof/explore/actions/action.ts';",
    (names) => `\
/** Actions of verbs that have more than the default. */
export const actionsByVerb: Readonly<Record<string, VerbActions>> = {
${[...names].map(([verb, name]) => `  ${verb}: ${name},\n`).join('')}};
`,
  );

function configFile(): string[] {
  const schema = readSchema('config');
  return [`export type ConfigFile = ${new TypeWriter(schema['$defs'] as Definitions).typeOf(schema)};\n`];
}

/** A file of the testkit, and each of the maps that it is made of. */
function testFile(schemaName: string, typeName: string): string[] {
  const schema = readSchema(schemaName);
  const definitions = schema['$defs'] as Definitions;
  const named = Object.keys(definitions).filter(
    (name) => 'anyOf' in definitions[name]! || 'properties' in definitions[name]!,
  );
  const writer = new TypeWriter(definitions, named);
  return [
    `export type ${typeName} = ${writer.typeOf(schema)};\n`,
    ...named.map((name) => `export type ${pascalCase(name)} = ${writer.typeOf(definitions[name]!)};\n`),
  ];
}

/** Types of a WebSocket: all messages of one side by type, their union, and their parts. */
function messagesOf(schemaName: string, typeName: string): string[] {
  const schema = readSchema(schemaName);
  const definitions = schema['$defs'] as Definitions;
  const types = (schema['oneOf'] as JsonObject[]).map((one) => refName(one)!);
  const named = Object.keys(definitions).filter((name) => !types.includes(name));
  const writer = new TypeWriter(definitions, named, { isForOthers: true });
  const byType = {
    type: 'object',
    required: types,
    properties: Object.fromEntries(types.map((type) => [type, definitions[type]!])),
  };
  return [
    `${commentOf(schema)}export type ${typeName}s = ${writer.typeOf(byType)};\n`,
    `export type ${typeName} = ${typeName}s[keyof ${typeName}s];\n`,
    ...named.map(
      (name) =>
        `${commentOf(definitions[name]!)}export type ${pascalCase(name)} = ${writer.typeOf(definitions[name]!)};\n`,
    ),
  ];
}

/** Each resource has a file of its own. */
const RESOURCES = ['broadcasts', 'calls', 'conferences', 'flows', 'rooms', 'settings'];

function resourceOf(schema: string): string {
  if (/^(broadcast|do-not-call)/.test(schema)) return 'broadcasts';
  if (/^(conference|participant|room-join)/.test(schema)) return 'conferences';
  if (/^room(-|$)/.test(schema)) return 'rooms';
  if (schema.startsWith('admin/flow')) return 'flows';
  return schema.startsWith('admin/') || schema === 'session' ? 'settings' : 'calls';
}

const bodySchemas = (): string[] =>
  ['', 'admin/'].flatMap((folder) => schemaNames(`api/${folder}`).map((name) => folder + name));
const bodyName = (schema: string): string => `${pascalCase(schema)}Body`;

function requestBodies(resource: string): string[] {
  const writer = new TypeWriter();
  return bodySchemas()
    .filter((schema) => resourceOf(schema) === resource)
    .map((schema) => `export type ${bodyName(schema)} = ${writer.typeOf(readSchema(`api/${schema}`))};\n`);
}

function bodiesBySchema(): string[] {
  const imports = RESOURCES.map((resource) => `import type * as ${resource} from './${resource}.ts';\n`);
  const rows = bodySchemas().map((schema) => `  '${schema}': ${resourceOf(schema)}.${bodyName(schema)};\n`);
  return [imports.join(''), `/** By the name of their schema. */\nexport type RequestBodies = {\n${rows.join('')}};\n`];
}

const schemaNames = (folder: string): string[] =>
  readdirSync(new URL(folder, SCHEMAS))
    .filter((name) => name.endsWith('.schema.json'))
    .map((name) => name.slice(0, -'.schema.json'.length))
    .sort();

/** File → its text. */
export const TYPES: Readonly<Record<string, () => string>> = {
  'src/language/steps/verb-types.ts': () =>
    page('The arguments and outcomes of verbs', 'src/verbs', [...stepArguments(), ...stepOutcomes()]),
  'src/verbs/steps.ts': stepList,
  'src/verbs/actions.ts': actionList,
  'src/verbs/lints.ts': lintList,
  'src/config/config-file.ts': () =>
    page('callweave.yaml', 'schemas/config.schema.json', configFile(), '../base/core/json.ts'),
  'src/proof/testkit/scenario-form.ts': () =>
    page('A scenario', 'schemas/scenario.schema.json', testFile('scenario', 'ScenarioForm')),
  'src/proof/testkit/rehearsal/callees-form.ts': () =>
    page('The callees of a rehearsal', 'schemas/callees.schema.json', testFile('callees', 'CalleesForm')),
  ...Object.fromEntries(
    RESOURCES.map((resource) => [
      `src/service/api/request-bodies/${resource}.ts`,
      () =>
        page(
          `The bodies of requests: ${resource}`,
          'schemas/api',
          requestBodies(resource),
          '../../../base/core/json.ts',
        ),
    ]),
  ),
  'client/messages.d.ts': () =>
    page('Messages of rooms, both ways', 'schemas/rooms', [
      ...messagesOf('rooms/client', 'ClientMessage'),
      ...messagesOf('rooms/server', 'ServerMessage'),
    ]),
  'src/service/api/request-bodies/by-schema.ts': () =>
    page('The bodies of all requests', 'schemas/api', bodiesBySchema()),
};

function page(what: string, source: string, types: readonly string[], json = '../../base/core/json.ts'): string {
  const isUsed = (name: string): boolean => types.some((type) => new RegExp(`\\b${name}\\b`).test(type));
  const names = ['Json', 'JsonObject'].filter(isUsed);
  return [
    `/** ${what}. Made of ${source} by \`npm run types\`: edit those, then make it again. */`,
    ...(names.length > 0 ? [`import type { ${names.join(', ')} } from '${json}';`] : []),
    ...(isUsed('NamedOutcome') ? ["import type { NamedOutcome } from './step.ts';"] : []),
    '',
    ...types,
  ].join('\n');
}

export const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

if (import.meta.main) for (const [file, make] of Object.entries(TYPES)) writeFileSync(pathOf(file), make());
