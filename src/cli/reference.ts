/**
 * `callweave reference`: the pages of `docs/` that are made of `schemas/`, of the verbs themselves and of the codes of
 * diagnostics, so that they cannot say anything else than the program does. A test compares them with what is in `docs/`.
 */
import { openApi } from '../api/openapi.ts';
import { DIAGNOSTIC_CODES } from '../schema/diagnostic-codes.ts';
import { verbs } from '../steps/index.ts';
import { version } from '../version.ts';
import { diagnosticsPage } from './diagnostics-page.ts';
import { editorSchema } from './editor-schema.ts';
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
  verbs: () => Object.fromEntries(verbs.map(({ verb }) => [verb, readSchema(`verbs/${verb}`)])),
  configuration: () => readSchema('config'),
  scenarios: () => readSchema('scenario'),
  callees: () => readSchema('callees'),
  rest: () => openApi(version()),
  diagnostics: () => DIAGNOSTIC_CODES,
};

export type Topic = keyof typeof PAGES | 'schema';

export function reference(topic: Topic, { json }: { json?: boolean }, terminal: Terminal): void {
  if (topic === 'schema') terminal.printJson(editorSchema());
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
    `${schema.description} How it is used is in [operations.md](operations.md).`,
    table(schema, tables),
    '## Secrets',
    'Whatever is a secret is written as `{ env: NAME }` (an environment variable), `{ file: path }` (the content of a file) or, where nothing is at stake, as it is.',
  );
}

function scenariosPage(): string {
  return fileFormatPage(
    'scenario',
    '# Scenario files',
    'scenarios',
    '[testing.md](testing.md)',
    {
      act: '#acts',
      partyAct: '#acts',
      expect: '#expectations',
      reply: '#replies',
      party: '#parties',
      partyManner: '#parties',
      partyActs: '#acts',
      command: '#commands',
    },
    [
      ['Acts', 'act', 'The words `silence` and `hang_up` stand alone.'],
      ['Replies', 'reply'],
      ['Parties', 'partyManner'],
      ['Commands', 'command'],
      ['Expectations', 'expect'],
    ],
  );
}

function calleesPage(): string {
  return fileFormatPage(
    'callees',
    '# Callees of rehearsals',
    'callees',
    '[rehearsal.md](rehearsal.md)',
    {
      group: '#groups',
      manner: '#groups',
      amount: '#amounts',
      spread: '#amounts',
      press: '#presses',
      pressManner: '#presses',
      numbers: '#numbers',
    },
    [
      [
        'Groups',
        'group',
        'A number is of another group each time it is called, unless its group `sticks`, or says what comes `then`.',
      ],
      ['Amounts', 'spread'],
      ['Presses', 'pressManner'],
      ['Numbers', 'numbers'],
    ],
  );
}

/** A file that people write: its keys, and a section for each of the parts that it is made of. */
function fileFormatPage(
  schemaName: string,
  heading: string,
  topic: string,
  guide: string,
  sections: Tables['sections'],
  parts: readonly [title: string, definition: string, remark?: string][],
): string {
  const schema = readSchema(schemaName);
  const defs = schema.$defs ?? {};
  const tables: Tables = { defs, sections };
  return page(
    heading,
    generatedNote(topic),
    `${schema.description} ${guide} shows how to use them.`,
    table(schema, tables),
    ...parts.flatMap(([title, definition, remark = '']) => {
      const shape = resolveRef(defs[definition] ?? {}, tables);
      return [`## ${title}`, shape.description ?? '', table(mapForm(shape), tables), remark];
    }),
  );
}
