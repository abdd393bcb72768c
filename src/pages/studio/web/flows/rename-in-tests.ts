/** Applies renames and extractions of steps to the tests of the flow when the flow is saved. */
import { applyEdits, type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type ExtractedIn, extractInTest } from '../../../../language/flow/text/extract-in-test.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import { renameStepInTest } from '../../../../language/flow/text/rename.ts';
import { request } from '../api.ts';
import { withEndsOf, withPlainEnds } from '../text/line-ends.ts';

export interface Renamed {
  from: string;
  to: string;
}

interface TestFile {
  file: string;
  text: string;
  etag: string;
}

/**
 * Renames from the names of the saved text to those of the edited one, whose steps are given: two renames of one step
 * are one, and undone ones are left out.
 */
export function lastingRenames(renames: readonly Renamed[], steps: readonly string[]): Renamed[] {
  const lasting: Renamed[] = [];
  for (const { from, to } of renames) {
    const earlier = lasting.find((each) => each.to === from);
    if (earlier === undefined) lasting.push({ from, to });
    else earlier.to = to;
  }
  return lasting.filter(({ from, to }) => steps.includes(to) && !steps.includes(from));
}

/** Returns the changed test files. `steps` are those of the saved text, so that undone renames are skipped. */
export async function renameInTests(
  flow: string,
  { renames, extractions }: { renames: readonly Renamed[]; extractions: readonly ExtractedIn[] },
  steps: readonly string[],
  { verbs }: Language,
): Promise<string[]> {
  const lasting = lastingRenames(renames, steps);
  const extracted = extractions.filter(({ made }) => steps.includes(made.call));
  if (lasting.length === 0 && extracted.length === 0) return [];
  const base = `/admin/v1/flows/${encodeURIComponent(flow)}/tests`;
  const { tests } = await request<{ tests: TestFile[] }>(base);
  const changed: string[] = [];
  for (const { file, text, etag } of tests) {
    const follow = (made: string, edits: Edits): string => (isRefusal(edits) ? made : applyEdits(made, edits));
    const moved = extracted.reduce((made, each) => follow(made, extractInTest(made, each)), withPlainEnds(text));
    const renamed = lasting.reduce((made, each) => follow(made, renameStepInTest(made, flow, each, verbs)), moved);
    if (renamed === withPlainEnds(text)) continue;
    await request(`${base}/${encodeURIComponent(file)}`, {
      method: 'PUT',
      headers: { 'if-match': `"${etag}"` },
      json: { text: withEndsOf(text, renamed) },
    });
    changed.push(file);
  }
  return changed;
}
