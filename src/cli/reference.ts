/**
 * `callweave reference`: the pages of `docs/` that are made of `schemas/` and of the verbs themselves, so that they cannot
 * say anything else than the program does. A test compares them with what is in `docs/`.
 */
import { readFileSync } from 'node:fs';
import { Document, isScalar, visit } from 'yaml';
import type { Json, JsonObject } from '../core/json.ts';
import { verbs } from '../steps/index.ts';
import { follow, mapForm, type Schema, type Tables, table, typeOf, wordsOf } from './schema-tables.ts';
import type { Terminal } from './terminal.ts';

const SCHEMAS = new URL('../../schemas/', import.meta.url);
const read = (name: string): Schema => JSON.parse(readFileSync(new URL(name, SCHEMAS), 'utf8')) as Schema;

/** Each topic is the page `docs/<topic>.md`. */
export const PAGES = {
  verbs: verbsPage,
  configuration: configurationPage,
  scenarios: scenariosPage,
};

const SCHEMAS_OF: Readonly<Record<keyof typeof PAGES, () => unknown>> = {
  verbs: () => Object.fromEntries(verbs.map(({ verb }) => [verb, read(`verbs/${verb}.schema.json`)])),
  configuration: () => read('config.schema.json'),
  scenarios: () => read('scenario.schema.json'),
};

export function reference(topic: keyof typeof PAGES, { json }: { json?: boolean }, terminal: Terminal): void {
  if (json) terminal.printJson(SCHEMAS_OF[topic]());
  else terminal.print(PAGES[topic]().trimEnd());
}

const made = (topic: string): string =>
  `<!-- Made of schemas/ by \`callweave reference ${topic}\`: edit those, then make it again. -->`;

const page = (...parts: string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;

// --- verbs ----------------------------------------------------------------------------------------------------------

const GROUPS: [title: string, verbs: string[]][] = [
  ['The call', ['answer', 'reject', 'hangup']],
  ['Saying and hearing', ['play', 'collect', 'menu', 'record', 'send_digits', 'pause']],
  ['Logic', ['set', 'branch', 'schedule', 'repeat', 'subflow', 'return', 'wait_for']],
  ['The outside world', ['request', 'webhook', 'notify', 'log']],
];

const SHARED = ['prompt', 'prompts', 'duration', 'schedule', 'variables', 'digitRules', 'headers', 'auth'];

/** `schedule` is a verb as well. */
const heading = (name: string): string => (name === 'schedule' ? 'opening hours' : wordsOf(name));
const anchor = (name: string): string => `#${heading(name).replaceAll(' ', '-')}`;

function verbsPage(): string {
  const tables: Tables = {
    defs: { ...read('components.schema.json').$defs, ...read('flow.schema.json').$defs },
    sections: Object.fromEntries(SHARED.map((name) => [name, anchor(name)])),
  };
  const grouped = GROUPS.flatMap(([, members]) => members);
  const others = verbs.map(({ verb }) => verb).filter((verb) => !grouped.includes(verb));
  const groups: typeof GROUPS = others.length === 0 ? GROUPS : [...GROUPS, ['More', others]];
  const listed = groups.map(
    ([title, members]) => `* ${title}: ${members.map((verb) => `[\`${verb}\`](#${verb})`).join(', ')}`,
  );
  return page(
    '# Verbs',
    made('verbs'),
    'Each step of a flow has one verb. This page lists every verb with its keys and its outcomes; [flows.md](flows.md) explains how they play together.',
    listed.join('\n'),
    ...groups.flatMap(([title, members]) => [`## ${title}`, ...members.flatMap((verb) => verbSection(verb, tables))]),
    '## Keys of every step',
    table(read('step.schema.json'), tables),
    '## Keys of a flow',
    table(read('flow.schema.json'), tables),
    '## Shared parts',
    ...SHARED.flatMap((name) => sharedSection(name, tables)),
  );
}

function verbSection(verb: string, tables: Tables): string[] {
  const schema = read(`verbs/${verb}.schema.json`);
  const parts = [`### ${verb}`, schema.description ?? ''];
  for (const example of schema.examples ?? []) parts.push(`\`\`\`yaml\n${yaml(example)}\n\`\`\``);
  const forms = (schema.anyOf ?? [schema]).filter((form) => form.type !== 'null');
  const short = schema.anyOf === undefined ? [] : forms.filter((form) => form.properties === undefined);
  if (short.length > 0) parts.push(`Short form: ${short.map((form) => shortForm(form, tables)).join(', or ')}.`);
  for (const form of forms) if (Object.keys(form.properties ?? {}).length > 0) parts.push(table(form, tables));
  return [...parts, outcomesOf(verb, (schema.examples?.[0] ?? {}) as JsonObject)];
}

function outcomesOf(verb: string, example: JsonObject): string {
  const step = verbs.find((candidate) => candidate.verb === verb);
  if (step === undefined) return '';
  if (step.terminal) return 'It has no outcomes: the flow or the call ends here.';
  const outcomes = step.outcomes(example[verb] ?? null).map((outcome) => `\`${outcome}\``);
  const next = step.success === undefined ? '' : ` \`next\` routes \`${step.success}\`.`;
  return `Outcomes of the first example: ${outcomes.join(', ')}.${next}`;
}

function sharedSection(name: string, tables: Tables): string[] {
  const schema = tables.defs[name] ?? {};
  const shape = name === 'prompt' ? tables.defs['promptObject'] : schema;
  const examples = schema.examples?.map((each) => `\`${JSON.stringify(each)}\``).join(', ');
  return [
    `### ${heading(name)}`,
    schema.description ?? '',
    examples === undefined ? '' : `Examples: ${examples}`,
    shape?.properties === undefined ? '' : table(shape, tables),
  ];
}

function shortForm(schema: Schema, tables: Tables): string {
  const text = schema.description ?? follow(schema, tables).description ?? '';
  const type = typeOf(schema, tables);
  if (schema.enum !== undefined || text === '') return type;
  return `${type} (${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')})`;
}

/** In the style of the documentation: templates and keys of the phone in quotes, lists of words on one line. */
function yaml(value: Json): string {
  const document = new Document(value);
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string') return;
      if (/\$\{|^[\d*#]+$/.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
    Seq(_, node) {
      node.flow = node.items.every(isScalar);
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}

// --- configuration and scenarios ------------------------------------------------------------------------------------

function configurationPage(): string {
  const schema = read('config.schema.json');
  const tables: Tables = {
    defs: { ...read('components.schema.json').$defs, ...schema.$defs },
    sections: { schedule: 'verbs.md#opening-hours', secret: '#secrets' },
  };
  return page(
    '# Configuration',
    made('configuration'),
    `${schema.description} How it is used is in [operations.md](operations.md).`,
    table(schema, tables),
    '## Secrets',
    'Whatever is a secret is written as `{ env: NAME }` (an environment variable), `{ file: path }` (the content of a file) or, where nothing is at stake, as it is.',
  );
}

function scenariosPage(): string {
  const schema = read('scenario.schema.json');
  const defs = schema.$defs ?? {};
  const tables: Tables = {
    defs,
    sections: { act: '#acts', expect: '#expectations', reply: '#replies', command: '#commands' },
  };
  const section = (title: string, name: string): string[] => {
    const shape = follow(defs[name] ?? {}, tables);
    return [`## ${title}`, shape.description ?? '', table(mapForm(shape), tables)];
  };
  return page(
    '# Scenario files',
    made('scenarios'),
    `${schema.description} [testing.md](testing.md) shows how to use them.`,
    table(schema, tables),
    ...section('Acts', 'act'),
    'The words `silence` and `hang_up` stand alone.',
    ...section('Replies', 'reply'),
    ...section('Commands', 'command'),
    ...section('Expectations', 'expect'),
  );
}
