/** Tests and callers of a flow on the service: the places of a name in them, and their texts after a change of the flow. */
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import type { Edits } from '../../../../language/flow/text/edits.ts';
import { type ExtractedIn, extractInTest } from '../../../../language/flow/text/extract-in-test.ts';
import { type InlinedIn, inlineInTest } from '../../../../language/flow/text/inline-in-test.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request, ServiceError } from '../api.ts';
import { listFlows, type OtherSave, readFlow } from '../flow-api.ts';
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
  is: 'caller' | 'test of caller' | 'test';
  /** Name of the file for messages. */
  file: string;
  save: Omit<OtherSave, 'text'>;
  text: string;
}

async function testsOf(flow: string, is: OtherFile['is']): Promise<OtherFile[]> {
  const base = `/admin/v1/flows/${encodeURIComponent(flow)}/tests`;
  const { tests } = await request<{ tests: { file: string; text: string; etag: string }[] }>(base);
  return tests.map(({ file, text, etag }) => ({ is, file, text, save: { flow, test: file, etag } }));
}

/** Other flows that name `flow`, which therefore may call it, and the tests of all other flows. */
async function callersOf(flow: string): Promise<OtherFile[]> {
  const listed = (await listFlows()).filter(({ name, built_in }) => name !== flow && !built_in);
  const files = await Promise.all(
    listed.map(async ({ name, tests, errors }): Promise<OtherFile[]> => {
      const { file = name, text, etag } = await readFlow(name);
      const save = { flow: name, etag, ...(errors > 0 && { draft: true }) };
      return [{ is: 'caller', file, text, save }, ...(tests > 0 ? await testsOf(name, 'test of caller') : [])];
    }),
  );
  return files.flat().filter(({ text }) => text.includes(flow));
}

/** Kinds of names that only their own file contains. */
const OWN: readonly Renamed['kind'][] = ['schedule', 'section'];

/** Files that can contain one of the names: tests name steps of the flows that their flow calls. */
const filesFor = async (flow: string, renames: readonly Omit<Renamed, 'to'>[]): Promise<OtherFile[]> => [
  ...(await testsOf(flow, 'test')),
  ...(renames.some(({ kind }) => !OWN.includes(kind)) ? await callersOf(flow) : []),
];

const editsOf = (
  { is }: Pick<OtherFile, 'is'>,
  text: string,
  flow: string,
  renamed: Renamed,
  verbs: GraphLanguage,
): Edits => (is === 'caller' ? renameInCaller : renameInTest)(text, flow, renamed, verbs);

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
  inlinings: readonly InlinedIn[];
}

/** A file that follows the changed flow, with its new text. */
export interface FollowingFile {
  file: string;
  save: OtherSave;
}

/** The tests and callers as they follow the changes of the flow. Files that stay as they are are left out. */
export async function filesThatFollow(
  flow: string,
  { renames, extractions, inlinings }: Followed,
  verbs: GraphLanguage,
): Promise<FollowingFile[]> {
  if (renames.length + extractions.length + inlinings.length === 0) return [];
  return (await filesFor(flow, renames)).flatMap(({ is, file, text, save }) => {
    const before = withPlainEnds(text);
    const moves: ((made: string) => Edits)[] = [
      ...extractions.map((each) => (made: string) => extractInTest(made, each)),
      ...inlinings.map((each) => (made: string) => inlineInTest(made, file, each, verbs)),
    ];
    const moved = (is === 'test' ? moves : []).reduce((made, move) => followed(made, move(made)), before);
    const after = renames.reduce((made, each) => followed(made, editsOf({ is }, made, flow, each, verbs)), moved);
    return after === before ? [] : { file, save: { ...save, text: withEndsOf(text, after) } };
  });
}
