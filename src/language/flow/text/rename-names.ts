/**
 * Renames variables, inputs and prompts of a flow, in its text, in flows that call it, and in tests. Related:
 * `rename.ts` renames steps.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { GraphLanguage } from '../graph.ts';
import { flowPlaces, placesNaming, valuesAt } from '../named-places.ts';
import type { Change } from './change.ts';
import type { EditRefusal, Edits } from './edits.ts';
import { scanExpressions } from './expression-code.ts';
import { type Path, valueAt } from './flow-source.ts';
import { keysAt, renamedExpressions } from './references.ts';
import { type Renaming, renamed, renamedIn, renamedKey } from './rename.ts';

export type RenamedKind = 'variable' | 'input' | 'prompt';

const SECTION = { variable: 'vars', input: 'input', prompt: 'prompts' } as const;
/** Patterns of names. */
export const NAME = { variable: /^[A-Za-z_]\w{0,63}$/, input: /^[A-Za-z_]\w{0,63}$/, prompt: /^[A-Za-z_][\w-]{0,63}$/ };

/** Renames a name in the text that defines it. `within`: path of the local flow that defines it. */
export function renameName(
  text: string,
  kind: RenamedKind,
  { from, to, within = [] }: Renaming & { within?: Path },
  verbs: GraphLanguage,
): Edits {
  if (!NAME[kind].test(to)) {
    const letters = kind === 'prompt' ? 'letters, digits, _ and -' : 'letters, digits and _';
    return { refused: `"${to}" is not a name for a ${kind}`, hint: `${letters}, at most 64` };
  }
  return renamed(text, { from, to }, (file) => {
    const flow = valueAt(file, within) as JsonObject;
    const names = keysAt(flow, [SECTION[kind]]);
    if (names.includes(to)) return { refused: `There is a ${kind} ${to} already`, hint: 'take another name' };
    if (!names.includes(from)) return { refused: `There is no ${kind} ${from}` };
    const users = kind === 'prompt' ? flowsSharing(flow, from) : [[]];
    const changes = users.flatMap((path) => {
      const user = valueAt(flow, path) as JsonObject;
      return usesOf(user, kind, { from, to }, verbs).map((change) => ({ ...change, path: [...path, ...change.path] }));
    });
    const key: Change = { do: 'key', path: [SECTION[kind], from], to };
    return [...changes, key].map((change): Change => ({ ...change, path: [...within, ...change.path] }));
  });
}

/** Paths of the flow itself, and of the local flows that use its prompt: those without a prompt of the same name. */
const flowsSharing = (flow: JsonObject, prompt: string): Path[] => [
  [],
  ...keysAt(flow, ['flows'])
    .map((name): Path => ['flows', name])
    .filter((path) => isObject(valueAt(flow, path)) && !keysAt(flow, [...path, 'prompts']).includes(prompt)),
];

function usesOf(flow: JsonObject, kind: RenamedKind, names: Renaming, verbs: GraphLanguage): Change[] {
  if (kind === 'prompt') return promptUses(flow, names, verbs);
  const changes: Change[] = renamedExpressions(flow, SECTION[kind], names.from, names.to);
  return kind === 'input' ? changes : [...changes, ...assignments(flow, names, verbs)];
}

/** Paths of the maps in which steps assign variables. */
const assigning = (flow: JsonObject, verbs: GraphLanguage): Path[] =>
  keysAt(flow, ['steps']).flatMap((step) =>
    keysAt(flow, ['steps', step])
      .filter((key) => key === 'set' || (Object.hasOwn(verbs, key) && verbs[key]!.form === 'assignments'))
      .map((key): Path => ['steps', step, key]),
  );

/** Renames a variable in the maps in which steps assign it. */
export const assignments = (flow: JsonObject, names: Renaming, verbs: GraphLanguage): Change[] =>
  assigning(flow, verbs).flatMap((path) => renamedKey(flow, path, names));

/** Places for prompts, with their values: arguments of steps, and defaults of questions. */
function promptPlaces(flow: JsonObject, verbs: GraphLanguage): [path: Path, value: Json][] {
  const inSteps = keysAt(flow, ['steps']).flatMap((step) =>
    keysAt(flow, ['steps', step]).flatMap((verb) => {
      const at: Path = ['steps', step, verb];
      const places = Object.hasOwn(verbs, verb) ? placesNaming(verbs[verb]!.names, 'prompt') : [];
      return places.flatMap((place) =>
        [...valuesAt(valueAt(flow, at), place)].map(([path, value]): [Path, Json] => [[...at, ...path], value]),
      );
    }),
  );
  const isPrompt = (key: string): boolean =>
    Object.values(verbs).some(({ names }) => placesNaming(names, 'prompt').includes(`/${key}`));
  const inDefaults = keysAt(flow, ['defaults', 'input'])
    .filter(isPrompt)
    .map((key): [Path, Json] => [['defaults', 'input', key], valueAt(flow, ['defaults', 'input', key]) ?? null]);
  return [...inSteps, ...inDefaults];
}

function promptUses(flow: JsonObject, { from, to }: Renaming, verbs: GraphLanguage): Change[] {
  const names = new Map([[from, to]]);
  const chosen = new Set<string>();
  const found = promptPlaces(flow, verbs).flatMap(([path, value]): Change[] => {
    const texts = typeof value === 'string' ? [[path, value] as const] : itemsOf(path, value);
    return [
      ...renamedIn(flow, path, names),
      ...texts.flatMap(([at, text]) => {
        for (const [, variable] of text.matchAll(/\bvars\.(\w+)/g)) chosen.add(variable!);
        return literalsIn(at, text, { from, to });
      }),
    ];
  });
  // Values of variables that choose a prompt by its name.
  const values = [
    ...[...chosen].map((name): Path => ['vars', name, 'default']),
    ...assigning(flow, verbs).flatMap((path) => [...chosen].map((name): Path => [...path, name])),
  ].flatMap((path) => {
    const value = valueAt(flow, path);
    return [
      ...renamedIn(flow, path, names),
      ...(typeof value === 'string' ? literalsIn(path, value, { from, to }) : []),
    ];
  });
  return [...found, ...values];
}

const itemsOf = (path: Path, value: Json): (readonly [Path, string])[] =>
  Array.isArray(value)
    ? value.flatMap((item, index) => (typeof item === 'string' ? [[[...path, index], item] as const] : []))
    : [];

/** Renames the prompt in the strings of a template that are its name. */
function literalsIn(path: Path, text: string, { from, to }: Renaming): Change[] {
  if (!text.includes('${')) return [];
  const { literals } = scanExpressions(text, false);
  const pattern = new RegExp(`(?<=(["']))${from}(?=\\1)`, 'g');
  const words = [...text.matchAll(pattern)].map(({ index }) =>
    literals.some((literal) => literal.from === index - 1 && literal.to === index + from.length + 1) ? to : undefined,
  );
  return words.some((word) => word !== undefined) ? [{ do: 'words', path, pattern, words }] : [];
}

/**
 * Renames an input in a text whose steps, or the steps of its local flows, call the flow. `called`: names by which they
 * call it.
 */
export function renameInputInCaller(
  text: string,
  called: readonly string[],
  names: Renaming,
  verbs: GraphLanguage,
): Edits {
  return renamed(text, names, (file): Change[] | EditRefusal => {
    const flows: Path[] = [[], ...keysAt(file, ['flows']).map((name): Path => ['flows', name])];
    return flows.flatMap((flow) =>
      keysAt(file, [...flow, 'steps']).flatMap((step) => callsIn([...flow, 'steps', step])),
    );

    function callsIn(step: Path): Change[] {
      return keysAt(file, step).flatMap((verb) => {
        const places = Object.hasOwn(verbs, verb) ? flowPlaces(verbs[verb]!.names) : [];
        return places.flatMap(([place]) =>
          [...valuesAt(valueAt(file, [...step, verb]), place)].flatMap(([path, flow]) =>
            typeof flow === 'string' && called.includes(flow) && path.length > 0
              ? renamedKey(file, [...step, verb, ...path.slice(0, -1), 'input'], names)
              : [],
          ),
        );
      });
    }
  });
}

/** Renames a name in a test of the flow `flow`. */
export function renameNameInTest(text: string, kind: RenamedKind, flow: string, names: Renaming): Edits {
  return renamed(text, names, (test) => {
    const callers = keysAt(test, ['callers']).filter((name) => valueAt(test, ['callers', name, 'flow']) === flow);
    const inputs = callers.flatMap((name) => renamedKey(test, ['callers', name, 'input'], names));
    if (test['flow'] !== flow) return kind === 'input' ? inputs : [];
    if (kind === 'input') return [...inputs, ...renamedKey(test, ['input'], names)];
    if (kind === 'variable') return renamedKey(test, ['expect', 'vars'], names);
    const words = new Map([[names.from, names.to]]);
    const script = Array.isArray(test['script']) ? test['script'] : [];
    return [
      ...script.flatMap((_, index) => renamedIn(test, ['script', index, 'hear'], words)),
      ...renamedIn(test, ['expect', 'heard'], words),
      ...renamedIn(test, ['expect', 'never', 'heard'], words),
      ...renamedKey(test, ['prompts'], names),
    ];
  });
}
