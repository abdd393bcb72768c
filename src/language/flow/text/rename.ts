/** Renames steps, outcomes and returned outcomes everywhere in flows and in their tests. */
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import { type GraphLanguage, verbOf } from '../graph.ts';
import { OUTCOME_NAME, STEP_NAME } from '../name-patterns.ts';
import { flowsNamedIn } from '../named-places.ts';
import type { Change } from './change.ts';
import { type EditRefusal, type Edits, isRefusal } from './edits.ts';
import { openText, type Path, valueAt } from './flow-source.ts';
import { keysAt, momentsIn, renamedExpressions, targetsIn } from './references.ts';
import { rewriteSource } from './rewrite.ts';

/** Outcomes with a fixed meaning in every step. */
const TAKEN = ['error', 'hangup', 'limit', 'timeout', 'exhausted', 'start'];

/**
 * Renames a step in a flow: its key, all targets, all expressions that read its result, and properties. `within`: path
 * of a local flow.
 */
export function renameStep(
  text: string,
  { from, to: typed }: Renaming,
  verbs: GraphLanguage,
  within: Path = [],
): Edits {
  const to = typed.normalize('NFC');
  if (!STEP_NAME.test(to)) {
    return { refused: `"${to}" is not a name for a step`, hint: 'letters, digits, _ and -, at most 64' };
  }
  return renamed(text, { from, to }, (file) => {
    const flow = valueAt(file, within) as JsonObject;
    const names = keysAt(flow, ['steps']);
    if (!names.includes(from)) return { refused: `There is no step ${from}` };
    if (names.includes(to)) return { refused: `There is a step ${to} already`, hint: 'take another name' };
    const changes = renamedSteps(flow, new Map([[from, to]]), verbs);
    return changes.map((change) => ({ ...change, path: [...within, ...change.path] }));
  });
}

/** Changes that rename steps, by their old names. */
export function renamedSteps(flow: JsonObject, names: ReadonlyMap<string, string>, verbs: GraphLanguage): Change[] {
  return [
    ...targetsIn(flow, verbs).flatMap(({ path, name }): Change[] => {
      const to = names.get(name);
      return to === undefined ? [] : [{ do: 'set', path, value: to }];
    }),
    ...momentsIn(flow).flatMap(({ path, name }): Change[] => {
      const [step, ...outcome] = name.split('.');
      const to = names.get(step!);
      return to === undefined ? [] : [{ do: 'set', path, value: [to, ...outcome].join('.') }];
    }),
    ...[...names].flatMap(([from, to]) => renamedExpressions(flow, 'steps', from, to)),
    ...[...names].map(([from, to]): Change => ({ do: 'key', path: ['steps', from], to })),
  ];
}

/** Old and new name. */
export interface Renaming {
  from: string;
  to: string;
}

/** True for a key of `mocks` that is a verb instead of the name of a step. */
const isMockedVerb = (key: string, verbs: GraphLanguage): boolean =>
  Object.hasOwn(verbs, key) && ['parties', 'verb'].includes(verbs[key]!.simulated ?? '');

/** Sections of tests whose keys are names of steps. */
const BY_STEP: readonly Path[] = [
  ['mocks'],
  ['expect', 'outcomes'],
  ['expect', 'visits'],
  ['expect', 'reached'],
  ['expect', 'retries'],
];

/** Name of a step in a test, as a key or as a value. */
export interface NamedStep {
  path: Path;
  name: string;
  atKey: boolean;
}

/** Names of steps in a test: of its flow, or of a flow that it calls as `FLOW/STEP`. */
export function stepsInTest(test: JsonObject, verbs: GraphLanguage): NamedStep[] {
  const keys = BY_STEP.flatMap((path) =>
    keysAt(test, path)
      .filter((name) => !(path[0] === 'mocks' && isMockedVerb(name, verbs)))
      .map((name): NamedStep => ({ path: [...path, name], name, atKey: true })),
  );
  const sent = ['requests', 'messages'].flatMap((list) => {
    const each = valueAt(test, ['expect', list]);
    return (Array.isArray(each) ? each : []).map((_, index): Path => ['expect', list, index, 'step']);
  });
  const listed = [['expect', 'path'], ['expect', 'never', 'visited'], ...sent].flatMap((path) => {
    const value = valueAt(test, path);
    const words = Array.isArray(value)
      ? value.map((word, index) => [[...path, index], word] as const)
      : [[path, value] as const];
    return words.flatMap(([at, name]) => (typeof name === 'string' ? [{ path: at, name, atKey: false }] : []));
  });
  return [...listed, ...keys];
}

/** Renames a step in a test of this flow, or of a flow that calls it. */
export function renameStepInTest(text: string, flow: string, { from, to }: Renaming, verbs: GraphLanguage): Edits {
  return renamed(text, { from, to }, (test) => {
    const names = new Map([[`${flow}/${from}`, `${flow}/${to}`]]);
    if (test['flow'] === flow) names.set(from, to);
    return renamedStepsInTest(test, names, verbs);
  });
}

/** Changes that rename steps in a test, by their old names. The outcome of a moment, such as `menu.sales`, stays. */
export const renamedStepsInTest = (
  test: JsonObject,
  names: ReadonlyMap<string, string>,
  verbs: GraphLanguage,
): Change[] =>
  stepsInTest(test, verbs).flatMap(({ path, name, atKey }): Change[] => {
    const [, step = name, outcome = ''] = /^((?:.*\/)?[^./]+)(\..*)?$/s.exec(name) ?? [];
    const known = names.get(step);
    if (known === undefined) return [];
    const to = known + outcome;
    return [atKey ? { do: 'key', path, to } : { do: 'set', path, value: to }];
  });

/**
 * Renames a choice of a menu, an arm of `split`, a case of `branch`, or an outcome that the step declares, together
 * with its exit. `within`: path of the local flow that contains the step.
 */
export function renameOutcome(
  text: string,
  step: string,
  { from, to: typed, within = [] }: Renaming & { within?: Path },
  verbs: GraphLanguage,
): Edits {
  const to = typed.normalize('NFC');
  if (!OUTCOME_NAME.test(to) || TAKEN.includes(to)) {
    return { refused: `"${to}" is not a name for an outcome`, hint: 'letters, digits, _ and -' };
  }
  return renamed(text, { from, to }, (file) => {
    const flow = valueAt(file, within) as JsonObject;
    const written = valueAt(flow, ['steps', step]);
    if (!isObject(written)) return { refused: `There is no step ${step}` };
    const names = new Map([[from, to]]);
    const verb = verbOf(written, verbs);
    const entries = Object.hasOwn(verbs, verb) ? Object.values(verbs[verb]!.outcomeTable) : [];
    const declared = entries.flatMap(({ each, named }) => {
      if (each === undefined) return [];
      const path = ['steps', step, verb, ...each.split('/').slice(1)];
      if (named !== undefined) return named.length > 1 ? renamedCase(flow, path, { from, to }) : [];
      return [...renamedKey(flow, path, { from, to }), ...renamedIn(flow, path, names)];
    });
    if (declared.length === 0)
      return { refused: `${step} does not declare ${from}`, hint: 'its verb names this outcome' };
    const moments = momentsIn(flow).flatMap(({ path, name }): Change[] =>
      name === `${step}.${from}` ? [{ do: 'set', path, value: `${step}.${to}` }] : [],
    );
    const changes = [...declared, ...moments, ...renamedKey(flow, ['steps', step, 'exits'], { from, to })];
    return changes.map((change): Change => ({ ...change, path: [...within, ...change.path] }));
  });
}

export function renameOutcomeInTest(text: string, flow: string, step: string, { from, to }: Renaming): Edits {
  return renamed(text, { from, to }, (test) => {
    const names = new Map([[from, to]]);
    const steps = test['flow'] === flow ? [step, `${flow}/${step}`] : [`${flow}/${step}`];
    return steps.flatMap((name) => [
      ...renamedKey(test, ['expect', 'reached'], { from: `${name}.${from}`, to: `${name}.${to}` }),
      ...renamedIn(test, ['mocks', name], names),
      ...renamedIn(test, ['expect', 'outcomes', name], names),
    ]);
  });
}

/** Renames an outcome that a flow returns to its callers. */
export function renameReturn(text: string, { from, to }: Renaming): Edits {
  if (!OUTCOME_NAME.test(to)) return { refused: `"${to}" is not a name for an outcome` };
  return renamed(text, { from, to }, (flow) =>
    keysAt(flow, ['steps']).flatMap((step) =>
      [
        ['steps', step, 'return'],
        ['steps', step, 'return', 'outcome'],
      ].flatMap((path) => renamedIn(flow, path, new Map([[from, to]]))),
    ),
  );
}

/** Renames a returned outcome in a flow that calls `called`. */
export function renameReturnInCaller(
  text: string,
  called: string,
  { from, to }: Renaming,
  verbs: GraphLanguage,
): Edits {
  return renamed(text, { from, to }, (flow) =>
    keysAt(flow, ['steps']).flatMap((step) => {
      const verb = keysAt(flow, ['steps', step]).find((name) => {
        const places = Object.hasOwn(verbs, name) ? verbs[name]!.names : undefined;
        const named = flowsNamedIn(places, valueAt(flow, ['steps', step, name]) ?? null);
        return named.some(({ use, flow: other }) => use === 'calls' && other === called);
      });
      if (verb === undefined) return [];
      return [
        ...renamedIn(flow, ['steps', step, verb, 'outcomes'], new Map([[from, to]])),
        ...renamedKey(flow, ['steps', step, 'exits'], { from, to }),
      ];
    }),
  );
}

export function renamed(
  text: string,
  { from, to }: Renaming,
  changesOf: (value: JsonObject) => Change[] | EditRefusal,
): Edits {
  if (from === to) return [];
  const source = openText(text);
  if (isRefusal(source)) return source;
  const changes = changesOf(source.value);
  return isRefusal(changes) ? changes : rewriteSource(source, changes);
}

/** Replaces a single word, or words of a list. */
export function renamedIn(value: JsonObject, path: Path, names: ReadonlyMap<string, string>): Change[] {
  const words = valueAt(value, path);
  if (typeof words === 'string' && names.has(words)) return [{ do: 'set', path, value: names.get(words)! }];
  if (!Array.isArray(words)) return [];
  return words.flatMap((word, index): Change[] =>
    typeof word === 'string' && names.has(word) ? [{ do: 'set', path: [...path, index], value: names.get(word)! }] : [],
  );
}

export const renamedKey = (value: JsonObject, path: Path, { from, to }: Renaming): Change[] =>
  keysAt(value, path).includes(from) ? [{ do: 'key', path: [...path, from], to }] : [];

/** `at`: path of the list of cases, which may have no names of their own. */
function renamedCase(flow: JsonObject, at: Path, { from, to }: Renaming): Change[] {
  const cases = valueAt(flow, at);
  return (Array.isArray(cases) ? cases : []).flatMap((written, index): Change[] => {
    if (!isObject(written) || written['when'] === undefined) return [];
    const path = [...at, index];
    if (written['name'] === from) return [{ do: 'set', path: [...path, 'name'], value: to }];
    if (written['name'] !== undefined || from !== `case.${index + 1}`) return [];
    return [{ do: 'add', path, key: 'name', value: to }];
  });
}
