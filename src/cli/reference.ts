/**
 * `callweave reference`: the pages of `docs/` that are made of `schemas/`, of the verbs themselves and of the codes of
 * diagnostics, so that they cannot say anything else than the program does. A test compares them with what is in `docs/`.
 */
import { openApi } from '../api/openapi.ts';
import { DIAGNOSTIC_CODES } from '../flow/diagnostic-codes.ts';
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
  const schema = readSchema('scenario');
  const defs = schema.$defs ?? {};
  const tables: Tables = {
    defs,
    sections: {
      act: '#acts',
      partyAct: '#acts',
      expect: '#expectations',
      reply: '#replies',
      party: '#parties',
      partyManner: '#parties',
      partyActs: '#acts',
      command: '#commands',
    },
  };
  const section = (title: string, name: string): string[] => {
    const shape = resolveRef(defs[name] ?? {}, tables);
    return [`## ${title}`, shape.description ?? '', table(mapForm(shape), tables)];
  };
  return page(
    '# Scenario files',
    generatedNote('scenarios'),
    `${schema.description} [testing.md](testing.md) shows how to use them.`,
    table(schema, tables),
    ...section('Acts', 'act'),
    'The words `silence` and `hang_up` stand alone.',
    ...section('Replies', 'reply'),
    ...section('Parties', 'partyManner'),
    ...section('Commands', 'command'),
    ...section('Expectations', 'expect'),
  );
}

function calleesPage(): string {
  const schema = readSchema('callees');
  const defs = schema.$defs ?? {};
  const tables: Tables = {
    defs,
    sections: {
      group: '#groups',
      manner: '#groups',
      amount: '#amounts',
      spread: '#amounts',
      press: '#presses',
      pressManner: '#presses',
      numbers: '#numbers',
    },
  };
  const section = (title: string, name: string): string[] => {
    const shape = resolveRef(defs[name] ?? {}, tables);
    return [`## ${title}`, shape.description ?? '', table(mapForm(shape), tables)];
  };
  return page(
    '# Callees of rehearsals',
    generatedNote('callees'),
    `${schema.description} [rehearsal.md](rehearsal.md) shows how to use them.`,
    table(schema, tables),
    ...section('Groups', 'group'),
    'A number is of another group each time it is called, unless its group `sticks`, or says what comes `then`.',
    ...section('Amounts', 'spread'),
    ...section('Presses', 'pressManner'),
    ...section('Numbers', 'numbers'),
  );
}
