/**
 * Changes the content of a flow by edits of its text. Each edit in the studio is a list of such changes; `map-text.ts`
 * writes entries of maps and lists, `move-text.ts` moves them, `scalar-text.ts` and `value-text.ts` write values.
 *
 * Invariants
 *  - The new text has the old content with the changes applied, and no other difference: it is parsed and compared. An
 *    edit that fails this check, such as one of an anchor with other aliases, is refused.
 *  - Text that no change names keeps its characters.
 *  - The check is the only parse of an edit. `flow-reader.ts` keeps its result for the readers of the new text.
 */
import { isEqualJson, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { AddChange, Change, WordsChange } from './change.ts';
import { applyEdits, doOverlap, type Edit, type EditRefusal, type Edits, isRefusal } from './edits.ts';
import { flowReader } from './flow-reader.ts';
import { errorAt, type FlowSource, find, lineAt, openText, type Path, sharedAnchor, valueAt } from './flow-source.ts';
import { addPairs, insertItem, removeItem, removePair, renameKey } from './map-text.ts';
import { moveEntry } from './move-text.ts';
import { replaceWords } from './scalar-text.ts';
import { liftValue, setValue } from './value-text.ts';
import { isAlias, type YamlNode } from './yaml/nodes.ts';

/** Computes the edits of a text for a list of changes. */
export function rewrite(text: string, changes: readonly Change[]): Edits {
  const source = openText(text);
  return isRefusal(source) ? source : rewriteSource(source, changes);
}

export function rewriteSource(source: FlowSource, changes: readonly Change[]): Edits {
  const { problem } = source;
  if (problem !== undefined) return errorAt(source, problem);
  const edits = written(source, withoutFollowers(source, changes));
  if (isRefusal(edits) || edits.length === 0) return edits;
  const wanted = changed(source.value, changes);
  if (wanted === undefined || doOverlap(edits)) return refusalAt(source, changes);
  const made = flowReader.readOnce(applyEdits(source.text, edits));
  const isAsWanted = made?.problem === undefined && isEqualJson(made?.value as Json, wanted);
  return isAsWanted ? edits : refusalAt(source, changes);
}

/**
 * The changes to write. An alias stays in the text if its anchor changes in the same way. If any alias has to be
 * replaced, all of them are.
 */
function withoutFollowers(source: FlowSource, changes: readonly Change[]): readonly Change[] {
  const aliases: { target: YamlNode | undefined; value: Json }[] = [];
  const direct = changes.filter((change) => {
    const node = change.do === 'set' ? find(source, change.path)?.node : undefined;
    if (!isAlias(node) || change.do !== 'set') return true;
    aliases.push({ target: node.target?.node, value: change.value });
    return false;
  });
  if (aliases.length === 0) return changes;
  const valueByNode = new Map<YamlNode | null | undefined, Json>();
  for (const change of direct) {
    const found = find(source, change.path);
    if (change.do === 'set') valueByNode.set(found?.node, change.value);
    if (change.do === 'key') valueByNode.set(found?.pair?.key, change.to);
  }
  return aliases.every(({ target, value }) => valueByNode.get(target) === value) ? direct : changes;
}

function written(source: FlowSource, changes: readonly Change[]): Edits {
  const edits: Edit[] = [];
  for (const change of inPlaces(changes)) {
    const made = write(source, change);
    if (isRefusal(made)) return made;
    for (const edit of made) if (!edits.some((known) => isSame(known, edit))) edits.push(edit);
  }
  return withJoinedRemovals(source.text, edits);
}

/** Neighbouring entries that are removed together leave one empty line, not those around each of them. */
function withJoinedRemovals(text: string, edits: readonly Edit[]): Edit[] {
  const isRemoval = ({ from, to, insert }: Edit): boolean => insert === '' && to > from;
  const joined: Edit[] = [];
  const removals = edits.filter(isRemoval).toSorted((one, other) => one.from - other.from);
  for (const edit of removals) {
    const last = joined.at(-1);
    if (last === undefined || edit.from > last.to) {
      joined.push({ ...edit });
      continue;
    }
    last.to = Math.max(last.to, edit.to);
    const gap = /^(?:[ \t]*\r?\n)+/.exec(text.slice(last.to))?.[0];
    if (gap !== undefined && /\n[ \t]*\r?\n$/.test(text.slice(0, last.from))) last.to += gap.length;
  }
  return joined.length === removals.length ? [...edits] : [...edits.filter((edit) => !isRemoval(edit)), ...joined];
}

/** New pairs at one place of a map are written together. */
function inPlaces(changes: readonly Change[]): (Exclude<Change, AddChange> | AddChange[])[] {
  const places: (Exclude<Change, AddChange> | AddChange[])[] = [];
  const placeOf = ({ path, after, first }: AddChange): string => JSON.stringify([path, after, first]);
  for (const change of changes) {
    if (change.do !== 'add') {
      places.push(change);
      continue;
    }
    const place = places.find(
      (known): known is AddChange[] => Array.isArray(known) && placeOf(known[0]!) === placeOf(change),
    );
    if (place === undefined) places.push([change]);
    else place.push(change);
  }
  return places;
}

/** A change through an alias and its anchor is one edit. Two insertions at one position are two. */
const isSame = (one: Edit, other: Edit): boolean =>
  one.from < one.to && one.from === other.from && one.to === other.to && one.insert === other.insert;

function write(source: FlowSource, change: Exclude<Change, AddChange> | AddChange[]): Edits {
  if (Array.isArray(change)) return addPairs(source, change);
  switch (change.do) {
    case 'set':
      return setValue(source, change);
    case 'lift':
      return liftValue(source, change);
    case 'insert':
      return insertItem(source, change);
    case 'removeItem':
      return removeItem(source, change.path);
    case 'moveItem':
      return moveEntry(source, change.path, change.to);
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

/** The value that the new text must have. Parts without changes are those of the old value. */
function changed(value: JsonObject, changes: readonly Change[]): Json | undefined {
  const isMoving = ({ do: kind }: Change): boolean => ['key', 'remove', 'removeItem', 'moveItem'].includes(kind);
  // Apply insertions, then renames and removals last, the deepest and the last of a list first: they change paths.
  const indexOf = ({ path }: Change): number => Number(path.at(-1)) || 0;
  const moving = changes
    .filter(isMoving)
    .toSorted((one, other) => other.path.length - one.path.length || indexOf(other) - indexOf(one));
  const inserts = changes
    .filter((change) => change.do === 'insert')
    .toReversed()
    .toSorted((one, other) => other.path.length - one.path.length || other.index - one.index);
  const others = changes.filter((change) => !isMoving(change) && change.do !== 'insert');
  return [...others, ...inserts, ...moving].reduce<Json | undefined>(
    (made, change) => (made === undefined ? undefined : withChange(made, change)),
    value,
  );
}

function withChange(value: Json, change: Change): Json | undefined {
  const { path } = change;
  switch (change.do) {
    case 'set':
      return withValue(value, path, () => change.value);
    case 'words':
      return withValue(value, path, (text) => (typeof text === 'string' ? withWords(text, change) : undefined));
    case 'add':
      return withValue(value, path, (map) => {
        if (map === null) return { [change.key]: change.value };
        return isObject(map) && !Object.hasOwn(map, change.key) ? { ...map, [change.key]: change.value } : undefined;
      });
    case 'lift':
      return withValue(value, path, (short) =>
        short === undefined ? short : { [change.key]: short, ...change.pairs },
      );
    case 'insert':
      return withValue(value, path, (list) =>
        Array.isArray(list) ? list.toSpliced(change.index, 0, change.value) : undefined,
      );
    case 'removeItem':
    case 'moveItem':
      return withValue(value, path.slice(0, -1), (list) => withoutItem(list, change));
    default:
      return withValue(value, path.slice(0, -1), (map) => {
        const key = String(path.at(-1));
        if (!isObject(map) || !Object.hasOwn(map, key)) return undefined;
        const { [key]: moved, ...rest } = map;
        if (change.do === 'remove') return rest;
        return Object.hasOwn(map, change.to) ? undefined : { ...rest, [change.to]: moved! };
      });
  }
}

function withoutItem(
  list: Json | undefined,
  change: Extract<Change, { do: 'removeItem' | 'moveItem' }>,
): Json | undefined {
  // Moving a pair of a map does not change its value.
  if (!Array.isArray(list)) return change.do === 'moveItem' ? list : undefined;
  const index = Number(change.path.at(-1));
  const rest = list.toSpliced(index, 1);
  return change.do === 'removeItem' ? rest : rest.toSpliced(change.to, 0, list[index]!);
}

/** Copy with another value at a path. Undefined if the path leads nowhere, or if `change` returns undefined. */
function withValue(
  value: Json | undefined,
  [key, ...rest]: Path,
  change: (value: Json | undefined) => Json | undefined,
): Json | undefined {
  if (key === undefined) return change(value);
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  const made = withValue(valueAt(value, [key]), rest, change);
  if (made === undefined) return undefined;
  return Array.isArray(value) ? value.with(Number(key), made) : { ...value, [key]: made };
}

function withWords(text: string, { pattern, words }: WordsChange): string {
  let index = 0;
  return text.replaceAll(pattern, (match) => words[index++] ?? match);
}
