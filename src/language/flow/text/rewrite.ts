/**
 * Changes the content of a flow by edits of its text. Each edit in the studio is a list of such changes; `map-text.ts`
 * writes pairs of maps, `scalar-text.ts` single values.
 *
 * Invariants
 *  - The new text has the old content with the changes applied, and no other difference: it is parsed again and
 *    compared. An edit that fails this check, such as one of an anchor with other aliases, is refused.
 *  - Text that no change names keeps its characters.
 *
 * In a large flow only the named steps and the adjacent ones are parsed (`flow-part.ts`).
 */
import { canonical, cloneJson, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { Change, WordsChange } from './change.ts';
import { applyEdits, doOverlap, type Edit, type EditRefusal, type Edits, isRefusal } from './edits.ts';
import { partOf } from './flow-part.ts';
import { type FlowSource, find, lineAt, openText, type Path, parseText, sharedAnchor, valueAt } from './flow-source.ts';
import { addPair, removePair, renameKey } from './map-text.ts';
import { replaceWords, setScalar } from './scalar-text.ts';
import { isAlias } from './yaml/nodes.ts';

/** Computes the edits of a text for a list of changes. */
export function rewrite(text: string, changes: readonly Change[]): Edits {
  const source = openText(text);
  return isRefusal(source) ? source : rewriteSource(source, changes);
}

export function rewriteSource(source: FlowSource, changes: readonly Change[]): Edits {
  const part = partOf(source, changes);
  const made = part && rewriteWhole(part.source, changes);
  // A change that is refused in the part may be possible in the whole, which also gives more precise reasons.
  if (part && made && !isRefusal(made)) return made.map(part.inWhole);
  const whole = part === undefined ? source : parseText(source.text);
  return isRefusal(whole) ? whole : rewriteWhole(whole, changes);
}

function rewriteWhole(source: FlowSource, changes: readonly Change[]): Edits {
  // An alias is kept if its anchor changes in the same way.
  const written = changes.filter(({ path, do: kind }) => kind !== 'set' || !isAlias(find(source, path)?.node));
  const kept = written.length > 0 && written.length < changes.length ? attempt(source, changes, written) : undefined;
  return kept && !isRefusal(kept) ? kept : attempt(source, changes, changes);
}

/**
 * `written` is the subset of changes that is made in the text; the other changes must follow from them through aliases.
 */
function attempt(source: FlowSource, changes: readonly Change[], written: readonly Change[]): Edits {
  const edits: Edit[] = [];
  for (const change of written) {
    const made = write(source, change);
    if (isRefusal(made)) return made;
    for (const edit of made) if (!edits.some((known) => isSame(known, edit))) edits.push(edit);
  }
  if (edits.length === 0) return [];
  const wanted = changed(source.value, changes);
  if (wanted === undefined || doOverlap(edits)) return refusalAt(source, changes);
  const result = parseText(applyEdits(source.text, edits));
  return isRefusal(result) || canonical(result.value) !== canonical(wanted) ? refusalAt(source, changes) : edits;
}

/** A change through an alias and its anchor is one edit. Two insertions at one position are two. */
const isSame = (one: Edit, other: Edit): boolean =>
  one.from < one.to && one.from === other.from && one.to === other.to && one.insert === other.insert;

function write(source: FlowSource, change: Change): Edits {
  switch (change.do) {
    case 'set':
      return setScalar(source, change.path, change.value);
    case 'add':
      return addPair(source, change);
    case 'remove':
      return removePair(source, change.path);
    case 'key':
      return renameKey(source, change.path, change.to);
    case 'words':
      return replaceWords(source, change);
  }
}

function refusalAt(source: FlowSource, changes: readonly Change[]): EditRefusal {
  for (const { path } of changes) {
    const found = find(source, path);
    const what = path.join('.');
    if (found?.alias !== undefined) {
      return {
        refused: `${what} is written by the alias *${found.alias}, so it cannot be changed alone`,
        hint: `change it at &${found.alias}, or write it out`,
      };
    }
    const anchor = sharedAnchor(source, path);
    if (anchor !== undefined) {
      return {
        refused: `${what} is shared: *${anchor} takes what &${anchor} says`,
        hint: `write out what *${anchor} stands for first`,
      };
    }
  }
  const node = find(source, changes[0]!.path)?.node;
  const line = node ? ` in line ${lineAt(source.text, node.range[0])}` : '';
  return { refused: `This cannot be written${line} without changing something else`, hint: 'change it in the text' };
}

/** The value that the new text must have. */
function changed(value: JsonObject, changes: readonly Change[]): Json | undefined {
  const made = cloneJson(value);
  for (const change of changes.filter(({ do: kind }) => kind !== 'key' && kind !== 'remove')) {
    if (!isMade(made, change)) return undefined;
  }
  // Apply renames and removals last and the deepest first, because they change paths.
  const moving = changes.filter(({ do: kind }) => kind === 'key' || kind === 'remove');
  for (const change of moving.toSorted((one, other) => other.path.length - one.path.length)) {
    if (!isMade(made, change)) return undefined;
  }
  return made;
}

function isMade(value: Json, change: Change): boolean {
  if (change.do === 'add') {
    const map = valueAt(value, change.path);
    if (map === null) return isSet(value, change.path, { [change.key]: change.value });
    if (!isObject(map) || Object.hasOwn(map, change.key)) return false;
    map[change.key] = change.value;
    return true;
  }
  if (change.do === 'set') return isSet(value, change.path, change.value);
  if (change.do === 'words') {
    const before = valueAt(value, change.path);
    return typeof before === 'string' && isSet(value, change.path, withWords(before, change));
  }
  const map = valueAt(value, change.path.slice(0, -1));
  const key = String(change.path.at(-1));
  if (!isObject(map) || !Object.hasOwn(map, key)) return false;
  if (change.do === 'key') {
    if (Object.hasOwn(map, change.to)) return false;
    map[change.to] = map[key]!;
  }
  delete map[key];
  return true;
}

function withWords(text: string, { pattern, words }: WordsChange): string {
  let index = 0;
  return text.replaceAll(pattern, (match) => words[index++] ?? match);
}

function isSet(value: Json, path: Path, to: Json): boolean {
  const holder = valueAt(value, path.slice(0, -1));
  const key = path.at(-1)!;
  if (Array.isArray(holder)) holder[Number(key)] = to;
  else if (isObject(holder)) holder[String(key)] = to;
  else return false;
  return true;
}
