/**
 * Renames local flows, named schedules and sections: in the file that defines them, in flows that call it, and in tests.
 * Related: `rename.ts` renames steps, `rename-names.ts` names of values.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { GraphLanguage } from '../graph.ts';
import { localName } from '../local-flow-name.ts';
import { flowPlaces, placesNaming, valuesAt } from '../named-places.ts';
import type { Change } from './change.ts';
import type { Edits } from './edits.ts';
import { type Path, valueAt } from './flow-source.ts';
import { keysAt } from './references.ts';
import { type Renaming, renamed, renamedIn, stepsInTest } from './rename.ts';

/** Names of local flows, and titles of sections. Schedules may have any name. */
export const FLOW_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
const MAX_TITLE = 60;

/** Paths of the flow of a file, and of its local flows. */
export const partsIn = (file: JsonObject): Path[] => [
  [],
  ...keysAt(file, ['flows'])
    .map((name): Path => ['flows', name])
    .filter((path) => isObject(valueAt(file, path))),
];

/** Values in the steps of a part at the places that `pointersOf` names for each verb. */
function valuesInSteps(
  file: JsonObject,
  part: Path,
  pointersOf: (verb: string) => readonly string[],
): { path: Path; value: Json }[] {
  return keysAt(file, [...part, 'steps']).flatMap((step) =>
    keysAt(file, [...part, 'steps', step]).flatMap((verb) => {
      const at: Path = [...part, 'steps', step, verb];
      return pointersOf(verb).flatMap((pointer) =>
        valuesAt(valueAt(file, at), pointer).map(([path, value]) => ({ path: [...at, ...path], value })),
      );
    }),
  );
}

const namesOf = (verbs: GraphLanguage, verb: string) => (Object.hasOwn(verbs, verb) ? verbs[verb]!.names : undefined);

/** Changes of all places in a file at which steps name one of the flows. */
function flowUses(file: JsonObject, names: ReadonlyMap<string, string>, verbs: GraphLanguage): Change[] {
  const pointersOf = (verb: string): string[] => flowPlaces(namesOf(verbs, verb)).map(([pointer]) => pointer);
  return partsIn(file).flatMap((part) =>
    valuesInSteps(file, part, pointersOf).flatMap(({ path }) => renamedIn(file, path, names)),
  );
}

/** Renames a local flow in its file. */
export function renameLocalFlow(text: string, { from, to }: Renaming, verbs: GraphLanguage): Edits {
  if (!FLOW_NAME.test(to)) return { refused: `"${to}" is not a name for a flow`, hint: 'letters, digits, _, - and .' };
  return renamed(text, { from, to }, (file) => {
    const names = keysAt(file, ['flows']);
    const main = String(file['flow']);
    if (!names.includes(from)) return { refused: `There is no flow ${from} in this file` };
    if (names.includes(to) || to === main)
      return { refused: `There is a flow ${to} already`, hint: 'take another name' };
    const called = new Map([
      [from, to],
      [localName(main, from), localName(main, to)],
    ]);
    return [...flowUses(file, called, verbs), { do: 'key', path: ['flows', from], to }];
  });
}

/** Renames a local flow of `main` in another flow. */
export const renameLocalFlowInCaller = (text: string, main: string, names: Renaming, verbs: GraphLanguage): Edits =>
  renamed(text, names, (file) =>
    flowUses(file, new Map([[localName(main, names.from), localName(main, names.to)]]), verbs),
  );

/** Renames a local flow of `main` in a test: of it, of its callers, and in the names of its steps. */
export function renameLocalFlowInTest(text: string, main: string, { from, to }: Renaming, verbs: GraphLanguage): Edits {
  return renamed(text, { from, to }, (test) => {
    const [old, made] = [localName(main, from), localName(main, to)];
    const names = new Map([[old, made]]);
    return [
      ...renamedIn(test, ['flow'], names),
      ...keysAt(test, ['callers']).flatMap((caller) => renamedIn(test, ['callers', caller, 'flow'], names)),
      ...stepsInTest(test, verbs).flatMap(({ path, name, atKey }): Change[] => {
        if (!name.startsWith(`${old}/`)) return [];
        const renamedTo = made + name.slice(old.length);
        return [atKey ? { do: 'key', path, to: renamedTo } : { do: 'set', path, value: renamedTo }];
      }),
    ];
  });
}

/**
 * Renames a named schedule in the file that defines it. `within`: path of the local flow that defines it. Local flows
 * without a schedule of this name use that of the file.
 */
export function renameSchedule(
  text: string,
  { from, to, within = [] }: Renaming & { within?: Path },
  verbs: GraphLanguage,
): Edits {
  if (to.trim() === '' || to.includes('${')) return { refused: `"${to}" is not a name for a schedule` };
  return renamed(text, { from, to }, (file) => {
    const names = keysAt(file, [...within, 'schedules']);
    if (!names.includes(from)) return { refused: `There is no schedule ${from}` };
    if (names.includes(to)) return { refused: `There is a schedule ${to} already`, hint: 'take another name' };
    const pointersOf = (verb: string): string[] => placesNaming(namesOf(verbs, verb), 'schedule');
    const users =
      within.length > 0
        ? [within]
        : partsIn(file).filter((part) => part.length === 0 || !keysAt(file, [...part, 'schedules']).includes(from));
    return [
      ...users.flatMap((part) =>
        valuesInSteps(file, part, pointersOf).flatMap(({ path }) => renamedIn(file, path, new Map([[from, to]]))),
      ),
      { do: 'key', path: [...within, 'schedules', from], to },
    ];
  });
}

/** Renames a section at each of its steps. A section with the new title takes the steps in. */
export function renameSection(text: string, { from, to, within = [] }: Renaming & { within?: Path }): Edits {
  if (to.trim() === '' || to.length > MAX_TITLE)
    return { refused: `"${to}" is not a title for a section`, hint: `at most ${MAX_TITLE} characters` };
  return renamed(text, { from, to }, (file) => {
    const found = keysAt(file, [...within, 'steps']).flatMap((step) =>
      renamedIn(file, [...within, 'steps', step, 'section'], new Map([[from, to]])),
    );
    return found.length > 0 ? found : { refused: `There is no section ${from}` };
  });
}
