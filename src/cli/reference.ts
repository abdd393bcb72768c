/**
 * `callweave reference`: generates the pages of `docs/` that are derived from `schemas/`, the verbs and the diagnostic
 * codes, so that they match the program. A test compares them with `docs/`.
 */
import { DIAGNOSTIC_CODES } from '../base/schema/diagnostic-codes.ts';
import { verbSchemas } from '../base/schema/schema-forms.ts';
import { version } from '../base/version.ts';
import { openApi } from '../service/api/openapi.ts';
import { diagnosticsPage } from './diagnostics-page.ts';
import { editorSchema, propertiesEditorSchema } from './editor-schema.ts';
import { restPage } from './rest-page.ts';
import { generatedNote, mapForm, page, readSchema, resolveRef, type Tables, table } from './schema-tables.ts';
import type { Terminal } from './terminal.ts';
import { verbsPage } from './verbs-page.ts';

/** Each topic is the page `docs/<topic>.md`. */
export const PAGES = {
  verbs: verbsPage,
  configuration: configurationPage,
  scenarios: scenariosPage,
  callees: calleesPage,
  rest: restPage,
  diagnostics: diagnosticsPage,
};

const SCHEMAS_OF: Readonly<Record<keyof typeof PAGES, () => unknown>> = {
  verbs: () => Object.fromEntries(verbSchemas),
  configuration: () => readSchema('config'),
  scenarios: () => readSchema('scenario'),
  callees: () => readSchema('callees'),
  rest: () => openApi(version()),
  diagnostics: () => DIAGNOSTIC_CODES,
};

export type Topic = keyof typeof PAGES | 'schema' | 'properties-schema';

export function reference(topic: Topic, { json }: { json?: boolean }, terminal: Terminal): void {
  if (topic === 'schema') terminal.printJson(editorSchema());
  else if (topic === 'properties-schema') terminal.printJson(propertiesEditorSchema());
  else if (json) terminal.printJson(SCHEMAS_OF[topic]());
  else terminal.print(PAGES[topic]().trimEnd());
}

function configurationPage(): string {
  const schema = readSchema('config');
  const tables: Tables = {
    defs: { ...readSchema('components').$defs, ...schema.$defs },
    sections: { schedule: 'verbs.md#opening-hours', secret: '#secrets' },
  };
  return page(
    '# Configuration',
    generatedNote('configuration'),
    `${schema.description} [operations.md](operations.md) explains its use.`,
    table(schema, tables),
    '## Secrets',
    'A secret is written as `{ env: NAME }` (an environment variable), `{ file: path }` (the content of a file) or, for test systems, as the value.',
  );
}

const REPLY_WORDS =
  'The outcomes of `request` stand alone: `ok`, `not_found`, `failed.timeout`, `failed.network`, `failed.4xx`, `failed.5xx`, `failed.invalid`.';

function scenariosPage(): string {
  return fileFormatPage('scenario', '# Scenario files', 'scenarios', '[testing.md](testing.md)', [
    ['Acts', ['act', 'partyAct', 'partyActs'], 'The words `silence` and `hang_up` stand alone.'],
    ['Replies', ['replyForm', 'reply'], REPLY_WORDS],
    ['Flows that are not run', ['flowReplyForm', 'flowReply'], 'An outcome may stand alone: `identify: identified`.'],
    ['Parties', ['partyManner', 'party']],
    ['Commands', ['command']],
    ['Expectations', ['expect']],
  ]);
}

function calleesPage(): string {
  return fileFormatPage('callees', '# Callees of rehearsals', 'callees', '[rehearsal.md](rehearsal.md)', [
    [
      'Groups',
      ['group', 'manner'],
      'A group is drawn for each call of a number, unless its group has `sticks` or `then`.',
    ],
    ['Amounts', ['spread', 'amount']],
    ['Presses', ['pressManner', 'calleePress']],
    ['Numbers', ['numbers']],
  ]);
}

/**
 * Page for a file format: its keys, and a section for each of its parts. If a part has several definitions, the first
 * is shown and all link to its section.
 */
function fileFormatPage(
  schemaName: string,
  heading: string,
  topic: string,
  guide: string,
  parts: readonly [title: string, definitions: readonly string[], remark?: string][],
): string {
  const schema = readSchema(schemaName);
  const defs = schema.$defs ?? {};
  const sections = parts.flatMap(([title, names]) => names.map((name) => [name, `#${title.toLowerCase()}`] as const));
  const tables: Tables = { defs, sections: Object.fromEntries(sections) };
  return page(
    heading,
    generatedNote(topic),
    `${schema.description} ${guide} shows how to use them.`,
    table(schema, tables),
    ...parts.flatMap(([title, [shown = ''], remark = '']) => {
      const shape = resolveRef(defs[shown] ?? {}, tables);
      return [`## ${title}`, shape.description ?? '', table(mapForm(shape), tables), remark];
    }),
  );
}
