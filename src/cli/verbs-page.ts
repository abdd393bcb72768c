/** Generates `docs/verbs.md`: all verbs with arguments, examples and outcomes. */
import { Document, isScalar, visit } from 'yaml';
import type { Json } from '../base/core/json.ts';
import { verbSchemas } from '../base/schema/schema-forms.ts';
import type { VerbGroup } from '../language/flow/graph.ts';
import { meaningOf } from '../language/flow/outcome-words.ts';
import type { DescribedOutcome } from '../language/flow/possible-outcomes.ts';
import { factsOf } from '../language/flow/verb-facts.ts';
import type { StepDefinition } from '../language/steps/step.ts';
import { stepsByVerb, verbs } from '../verbs/steps.ts';
import {
  generatedNote,
  page,
  readSchema,
  resolveRef,
  type Schema,
  spacedWords,
  type Tables,
  table,
  typeOf,
} from './schema-tables.ts';

const GROUPS: Readonly<Record<VerbGroup, string>> = {
  call: 'The call and other parties',
  say: 'Speaking',
  ask: 'Asking',
  logic: 'Logic',
  outside: 'Other systems',
  end: 'Ending',
};

const SHARED = [
  'prompt',
  'prompts',
  'duration',
  'schedule',
  'variables',
  'digitRules',
  'speechRules',
  'headers',
  'auth',
];

/** `schedule` is also the name of a verb. */
const heading = (name: string): string => (name === 'schedule' ? 'opening hours' : spacedWords(name));
const anchor = (name: string): string => `#${heading(name).replaceAll(' ', '-')}`;

const schemaOf = (verb: string): Schema => (verbSchemas.get(verb) ?? {}) as Schema;

export function verbsPage(): string {
  const tables: Tables = {
    defs: { ...readSchema('components').$defs, ...readSchema('flow').$defs },
    sections: Object.fromEntries(SHARED.map((name) => [name, anchor(name)])),
  };
  const groups = Object.entries(GROUPS).map(([group, title]): [string, string[]] => [
    title,
    verbs.map(({ verb }) => verb).filter((verb) => schemaOf(verb).group === group),
  ]);
  const listed = groups.map(
    ([title, members]) => `* ${title}: ${members.map((verb) => `[\`${verb}\`](#${verb})`).join(', ')}`,
  );
  return page(
    '# Verbs',
    generatedNote('verbs'),
    'Each step of a flow has one verb. This page lists every verb with its keys and its outcomes: when each is possible, and what happens if neither the step (`exits`, `next`) nor the flow (`defaults.exits`) routes it. `<choice>` stands for outcomes that the arguments name. [flows.md](flows.md) explains how they play together.',
    listed.join('\n'),
    ...groups.flatMap(([title, members]) => [`## ${title}`, ...members.flatMap((verb) => verbSection(verb, tables))]),
    '## Keys of every step',
    table(readSchema('step'), tables),
    `A step with \`max_visits\` has the outcome \`limit\`, which the flow has to route. ${ofAnyStep('limit')}`,
    '## Keys of a flow',
    table(readSchema('flow'), tables),
    '## Shared parts',
    ...SHARED.flatMap((name) => sharedSection(name, tables)),
  );
}

function verbSection(verb: string, tables: Tables): string[] {
  const schema = schemaOf(verb);
  const { label } = factsOf(verb);
  const parts = [
    `### ${verb}`,
    ...(label === undefined ? [] : [`Name in the studio: ${label}.`]),
    schema.description ?? '',
  ];
  for (const example of schema.examples ?? []) parts.push(`\`\`\`yaml\n${yaml(example)}\n\`\`\``);
  const forms = (schema.anyOf ?? [schema]).filter((form) => form.type !== 'null');
  const short = schema.anyOf === undefined ? [] : forms.filter((form) => form.properties === undefined);
  if (short.length > 0) parts.push(`Short form: ${short.map((form) => shortForm(form, tables)).join(', or ')}.`);
  for (const form of forms) if (Object.keys(form.properties ?? {}).length > 0) parts.push(table(form, tables));
  return [...parts, outcomesTable(verb)];
}

function outcomesTable(verb: string): string {
  const step = stepsByVerb.get(verb);
  if (step === undefined) return '';
  const own = outcomesOf(step);
  if (own.length === 0) return 'It has no outcomes: the flow or the call ends here.';
  const rows = own.map(({ outcome, when, unrouted }) => `| \`${outcome}\` | ${when} | ${unrouted} |`);
  const next = step.terminal
    ? 'Only the outcome `error` continues the flow.'
    : step.success === undefined
      ? 'It has no single success: `exits` routes each outcome.'
      : `\`next\` routes \`${step.success}\`.`;
  return ['| outcome | when | unrouted |', '|---|---|---|', ...rows, '', next].join('\n');
}

interface OutcomeRow {
  /** `<choice>` stands for the outcomes that the arguments define. */
  outcome: string;
  when: string;
  /** Target if neither the step nor `defaults.exits` routes the outcome. */
  unrouted: string;
}

/** Outcomes in the schema of the verb, followed by those that the language adds. */
export function outcomesOf(step: StepDefinition): OutcomeRow[] {
  const own = schemaOf(step.verb).outcomes ?? {};
  const added = [
    ...(Object.hasOwn(own, 'error') || step.terminal ? [] : ['error']),
    ...(!step.terminal && (step.needsCall || step.waits) ? ['hangup'] : []),
  ];
  return [
    ...Object.entries(own).map(([outcome, entry]) => ({
      outcome,
      when: meaningOf(entry),
      unrouted: unroutedOf(entry),
    })),
    ...added.map((outcome) => ({ outcome, when: ofAnyStep(outcome), unrouted: 'the flow ends' })),
  ];
}

function ofAnyStep(outcome: string): string {
  const entry = readSchema('step').outcomes?.[outcome];
  return entry === undefined ? '' : meaningOf(entry);
}

/** Must match `language/flow/routes.ts`. */
function unroutedOf({ unroutedAs, finerThan, target }: DescribedOutcome): string {
  if (unroutedAs !== undefined) return `goes where \`${unroutedAs}\` goes`;
  if (finerThan !== undefined) return `is \`${finerThan}\``;
  if (target !== undefined) return `goes to the step of \`${target.slice(1)}\``;
  return 'is refused by `check`';
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
  const text = schema.description ?? resolveRef(schema, tables).description ?? '';
  const type = typeOf(schema, tables);
  if (schema.enum !== undefined || text === '') return type;
  return `${type} (${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')})`;
}

/** YAML in the style of the documentation: templates and phone keys are quoted, lists of words are on one line. */
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
