/**
 * Three-way merge of two texts of a flow, by step. A step that one side changed is taken from that side; a step that
 * both changed is a conflict. The same applies to prompts and to other top-level keys. Uses `cut-flow.ts`.
 *
 * Invariants
 * - every part of the merged text is that of one side, and none is missing: the result is parsed again and compared;
 * - the lines come from the two texts, in the order and with the line ends of `mine`;
 * - if one text equals the base, the result is the other one, byte for byte.
 */
import { canonical, type Json } from '../../../../base/core/json.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { type CutPart, cutFlow } from './cut-flow.ts';

export type MergeSide = 'mine' | 'theirs';

export interface Conflict {
  /** `steps.menu`, `prompts.hello`, `defaults`, or `''` for the whole text. */
  key: string;
  /** Lines of each version. Undefined if the part was removed. */
  base?: string;
  mine?: string;
  theirs?: string;
}

export interface Merged {
  /** The merged text. Conflicts without a choice use `mine`. */
  text: string;
  conflicts: Conflict[];
  /** Parts taken from `theirs`. */
  taken: string[];
}

export interface MergeInput {
  base: string;
  mine: string;
  theirs: string;
  /** Choices by the key of the conflict. */
  choices?: ReadonlyMap<string, MergeSide>;
}

export function mergeBySteps({ base, mine, theirs, choices = new Map() }: MergeInput): Merged {
  if (mine === theirs || base === theirs) return { text: mine, conflicts: [], taken: [] };
  if (base === mine) return { text: theirs, conflicts: [], taken: [''] };
  const asWhole = (): Merged => ({
    text: choices.get('') === 'theirs' ? theirs : mine,
    conflicts: [{ key: '', base, mine, theirs }],
    taken: [],
  });
  const cuts = [base, mine, theirs].map((text) => {
    const source = openText(text);
    return isRefusal(source) ? undefined : cutFlow(source);
  });
  const [before, ours, others] = cuts;
  if (before === undefined || ours === undefined || others === undefined) return asWhole();
  const parts = mergeParts(before, ours, others, choices);
  const text = joined(parts.chosen, mine);
  return says(text, parts.chosen) ? { text, conflicts: parts.conflicts, taken: parts.taken } : asWhole();
}

interface MergedParts {
  chosen: CutPart[];
  conflicts: Conflict[];
  taken: string[];
}

function mergeParts(
  base: readonly CutPart[],
  mine: readonly CutPart[],
  theirs: readonly CutPart[],
  choices: ReadonlyMap<string, MergeSide>,
): MergedParts {
  const [was, ours, others] = [byKey(base), byKey(mine), byKey(theirs)];
  const conflicts: Conflict[] = [];
  const taken: string[] = [];
  const choose = (key: string): CutPart | undefined => {
    const [before, my, their] = [was.get(key), ours.get(key), others.get(key)];
    if (isSame(my, their) || isSame(before, their)) return my;
    if (isSame(before, my)) {
      taken.push(key);
      return their;
    }
    conflicts.push({
      key,
      ...(before && { base: before.text }),
      ...(my && { mine: my.text }),
      ...(their && { theirs: their.text }),
    });
    return choices.get(key) === 'theirs' ? their : my;
  };
  const chosen = mine.flatMap(({ key }) => choose(key) ?? []);
  for (const [index, { key }] of theirs.entries()) {
    if (ours.has(key)) continue;
    const part = choose(key);
    if (part === undefined) continue;
    // Inserts it after the part that precedes it in `theirs`.
    const above = theirs.slice(0, index).findLast((other) => chosen.some((known) => known.key === other.key));
    const place = above === undefined ? 0 : chosen.findIndex((known) => known.key === above.key) + 1;
    chosen.splice(place, 0, part);
  }
  return { chosen, conflicts, taken };
}

const byKey = (parts: readonly CutPart[]): Map<string, CutPart> => new Map(parts.map((part) => [part.key, part]));

/** Ignores empty lines around a part. */
const isSame = (one: CutPart | undefined, other: CutPart | undefined): boolean =>
  one === undefined || other === undefined ? one === other : linesOf(one.text) === linesOf(other.text);

const linesOf = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/^\ufeff/, '')
    .replace(/^\s*\n/, '')
    .trimEnd();

/** Each part ends with a line end, except the last if `mine` does not. */
function joined(parts: readonly CutPart[], mine: string): string {
  const newline = /\r?\n/.exec(mine)?.[0] ?? '\n';
  const lines = parts.map(({ text }) => {
    const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
    return plain === '' || plain.endsWith('\n') ? plain : `${plain}\n`;
  });
  let text = lines.join('').replaceAll('\n', newline);
  if (!/\n$/.test(mine)) text = text.replace(/\r?\n$/, '');
  return mine.startsWith('\ufeff') ? `\ufeff${text}` : text;
}

function says(text: string, parts: readonly CutPart[]): boolean {
  const source = openText(text);
  if (isRefusal(source)) return false;
  const wanted = parts.filter(({ value }) => value !== undefined && value !== null);
  const isThere = wanted.every(({ path, value }) => {
    const made = valueAt(source.value, path);
    return made !== undefined && canonical(made) === canonical(value as Json);
  });
  return isThere && (cutFlow(source)?.length ?? 0) === parts.length;
}
