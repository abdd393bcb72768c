/** Tests and callers of a flow on the service: counts the places of a name in them, and changes them after a save. */
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import type { Edits } from '../../../../language/flow/text/edits.ts';
import { type ExtractedIn, extractInTest } from '../../../../language/flow/text/extract-in-test.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request, ServiceError } from '../api.ts';
import { listFlows, quoted, readFlow, writeFlow } from '../flow-api.ts';
import { withEndsOf, withPlainEnds } from '../text/line-ends.ts';
import {
  followed,
  type Places,
  placesOf,
  type Renamed,
  renameInCaller,
  renameInFlow,
  renameInTest,
} from './renamed.ts';

interface OtherFile {
  file: string;
  is: 'caller' | 'test of caller' | 'test';
  text: string;
  write(text: string): Promise<unknown>;
}

async function testsOf(flow: string, is: OtherFile['is']): Promise<OtherFile[]> {
  const base = `/admin/v1/flows/${encodeURIComponent(flow)}/tests`;
  const { tests } = await request<{ tests: { file: string; text: string; etag: string }[] }>(base);
  return tests.map(({ file, text, etag }) => ({
    file,
    is,
    text,
    write: (changed) =>
      request(`${base}/${encodeURIComponent(file)}`, {
        method: 'PUT',
        headers: { 'if-match': quoted(etag) },
        json: { text: changed },
      }),
  }));
}

/** Other flows that name `flow`, which therefore may call it, and the tests of all other flows. */
async function callersOf(flow: string): Promise<OtherFile[]> {
  const listed = (await listFlows()).filter(({ name, built_in }) => name !== flow && !built_in);
  const files = await Promise.all(
    listed.map(async ({ name, tests, errors }): Promise<OtherFile[]> => {
      const { file = name, text, etag } = await readFlow(name);
      const write = (changed: string) => writeFlow(name, changed, etag, { isDraft: errors > 0 });
      return [{ file, is: 'caller', text, write }, ...(tests > 0 ? await testsOf(name, 'test of caller') : [])];
    }),
  );
  return files.flat().filter(({ text }) => text.includes(flow));
}

/** Files that can contain one of the names. Only inputs are named in callers. */
const filesFor = async (flow: string, renames: readonly Renamed[]): Promise<OtherFile[]> => [
  ...(await testsOf(flow, 'test')),
  ...(renames.some(({ kind }) => kind === 'input') ? await callersOf(flow) : []),
];

const editsOf = ({ is }: OtherFile, text: string, flow: string, renamed: Renamed, verbs: GraphLanguage): Edits =>
  (is === 'caller' ? renameInCaller : renameInTest)(text, flow, renamed, verbs);

/** Counts the places of a name in the edited text, and in the saved tests and callers. */
export async function countPlaces(
  text: string,
  flow: string,
  name: Omit<Renamed, 'to'>,
  verbs: GraphLanguage,
): Promise<Places> {
  const renamed = { ...name, to: unusedName(text) };
  const others = await filesFor(flow, [renamed]);
  return placesOf([
    renameInFlow(text, flow, renamed, verbs),
    ...others.map((file) => editsOf(file, withPlainEnds(file.text), flow, renamed, verbs)),
  ]);
}

/** The places in words: `7 places in 3 files`. Without the service, nothing. */
export async function saidPlaces(...name: Parameters<typeof countPlaces>): Promise<string> {
  try {
    const counted = await countPlaces(...name);
    return t('{places, plural, one {# place} other {# places}} in {files, plural, one {# file} other {# files}}', {
      ...counted,
    });
  } catch (error) {
    if (error instanceof ServiceError) return '';
    throw error;
  }
}

function unusedName(text: string): string {
  let name = 'name';
  while (text.includes(name)) name += '_x';
  return name;
}

export interface Followed {
  renames: readonly Renamed[];
  extractions: readonly ExtractedIn[];
}

/** Changes the tests and callers as the saved flow was changed. Returns the changed files. */
export async function followInFiles(
  flow: string,
  { renames, extractions }: Followed,
  verbs: GraphLanguage,
): Promise<string[]> {
  if (renames.length === 0 && extractions.length === 0) return [];
  const changed: string[] = [];
  for (const file of await filesFor(flow, renames)) {
    const before = withPlainEnds(file.text);
    const extracted = file.is === 'test' ? extractions : [];
    const moved = extracted.reduce((made, each) => followed(made, extractInTest(made, each)), before);
    const after = renames.reduce((made, each) => followed(made, editsOf(file, made, flow, each, verbs)), moved);
    if (after === before) continue;
    await file.write(withEndsOf(file.text, after));
    changed.push(file.file);
  }
  return changed;
}
