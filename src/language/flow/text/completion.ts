/**
 * Completions and help for the position of the cursor in the YAML: verbs, keys and outcomes from the language, names
 * from the text. Pure functions; the studio and the language server display the results. Related: `scan-yaml.ts`,
 * `names.ts`, `language.ts`.
 */

import type { Json } from '../../../base/core/json.ts';
import type { FlowGraph } from '../graph.ts';
import { NAME_CHARACTERS } from '../name-patterns.ts';
import { expressionAt } from './expression-at.ts';
import { keyOfPath, type Language, type LanguageKey, verbOf } from './language.ts';
import { type Name, type NameKind, nameKindAt } from './names.ts';
import { type OpenEnd, type Word, type YamlPath, YamlScanner } from './scan-yaml.ts';

export type OptionKind = 'verb' | 'key' | 'outcome' | 'value' | 'result' | 'function' | NameKind;

export interface CompletionOption {
  label: string;
  kind: OptionKind;
  /** A word or two next to the label. */
  detail?: string;
  /** Description of the option. */
  info?: string;
  /** Text to insert instead of the label. */
  insert?: string;
}

export interface CompletionContext {
  language: Language;
  /** Graph of the last valid text, for the outcomes of its steps. */
  graph?: FlowGraph | undefined;
  /** Names defined in the text. */
  defined: readonly Name[];
  /** Words of the whole text: existing keys are not proposed. */
  words: readonly Word[];
  flows: readonly string[];
}

export interface Completion {
  from: number;
  options: CompletionOption[];
}

const EXPRESSION = new RegExp(`\\b(vars|input|steps)\\.([${NAME_CHARACTERS}]*)$`, 'u');
const KIND_OF: Record<string, NameKind> = { vars: 'variable', input: 'input', steps: 'step' };

export function complete(text: string, at: number, context: CompletionContext): Completion | undefined {
  const before = text.slice(0, at);
  const found = EXPRESSION.exec(before.slice(before.lastIndexOf('\n') + 1));
  if (found !== null) {
    return { from: at - found[2]!.length, options: namesOf(KIND_OF[found[1]!]!, context) };
  }
  // Values of arguments do not belong into expressions.
  if (expressionAt(text, at, context.words) !== undefined) return undefined;
  const scanned = new YamlScanner(before).end;
  if (scanned.place === 'remark') return undefined;
  // A local flow has the keys of a flow.
  const end =
    scanned.path[0] === 'flows' && scanned.path.length > 1 ? { ...scanned, path: scanned.path.slice(2) } : scanned;
  const options = end.place === 'key' ? keyOptions(end, at, context) : valueOptions(end.path, context);
  if (options.length === 0) return undefined;
  const quote = /["']/.test(text[end.from] ?? '') ? 1 : 0;
  return { from: end.from + quote, options };
}

function keyOptions({ path, from }: OpenEnd, at: number, context: CompletionContext): CompletionOption[] {
  // A single word on its own line after a key may also be the key's value.
  const values = path.length > 0 ? valueOptions(path, context) : [];
  const there = new Set(
    context.words
      .filter(({ kind, path: each, from: start }) => kind === 'key' && start !== from && isBelow(each, path))
      .map(({ path: each }) => each.at(-1)),
  );
  return [...keysOf(path, there, context), ...values].filter(
    ({ label, kind }) => kind === 'verb' || !there.has(label) || isAt(context.words, label, at),
  );
}

const isBelow = (path: YamlPath, map: YamlPath): boolean =>
  path.length === map.length + 1 && map.every((part, index) => path[index] === part);
const isAt = (words: readonly Word[], label: string, at: number): boolean =>
  words.some(({ text, from, to }) => text === label && from <= at && at <= to);

function keysOf(path: YamlPath, there: ReadonlySet<unknown>, context: CompletionContext): CompletionOption[] {
  const { language } = context;
  const [first, step, part] = path;
  const isExits = first === 'steps' && part === 'exits' && path.length === 3;
  if (isExits) return outcomesOf(String(step), context);
  if (first === 'defaults' && step === 'exits' && path.length === 2) {
    return ['error', 'hangup', 'limit'].map((label) => ({ label, kind: 'outcome', insert: `${label}: ` }));
  }
  if (first === 'steps' && path.length === 2) {
    const hasVerb = [...there].some((key) => isVerbAlone(language, key as string));
    return [...(hasVerb ? [] : verbsOf(language)), ...propertiesOf(language.step)];
  }
  return propertiesOf(keyOfPath(language, path));
}

/** True for a verb other than assignments, which may also stand next to another verb. */
function isVerbAlone(language: Language, key: string | number | undefined): boolean {
  const verb = verbOf(language, key);
  return verb !== undefined && verb.form !== 'assignments';
}

function verbsOf({ verbs }: Language): CompletionOption[] {
  return Object.entries(verbs).map(([label, { summary, group }]) => ({
    label,
    kind: 'verb',
    detail: group,
    info: summary,
    insert: `${label}: `,
  }));
}

function propertiesOf(key: LanguageKey | undefined): CompletionOption[] {
  const required = Array.isArray(key?.required) ? key.required : [];
  const properties = key?.properties ?? (key?.items?.properties || {});
  return Object.entries(properties).map(([label, inner]) => ({
    label,
    kind: 'key',
    ...(detailOf(inner, required.includes(label)) && { detail: detailOf(inner, required.includes(label)) }),
    ...(inner.description !== undefined && { info: inner.description }),
    insert: `${label}: `,
  }));
}

const detailOf = ({ default: value, otherwise }: LanguageKey, isRequired: boolean): string =>
  isRequired ? 'required' : value !== undefined ? `else ${written(value)}` : (otherwise ?? '');

const written = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function outcomesOf(step: string, { graph, language }: CompletionContext): CompletionOption[] {
  const drawn = graph?.steps.find(({ name }) => name === step);
  const verb = verbOf(language, drawn?.verb);
  const names = new Set<string>();
  for (const { outcome, covers } of drawn?.exits ?? []) {
    for (const each of [outcome, ...covers]) {
      names.add(each);
      if (each.includes('.')) names.add(each.slice(0, each.indexOf('.')));
    }
  }
  if (drawn === undefined) for (const name of verb?.outcomes ?? []) names.add(name);
  return [...names]
    .filter((name) => name !== '' && name !== 'next')
    .map((label) => ({ label, kind: 'outcome', insert: `${label}: `, ...infoOf(verb?.meanings?.[label]) }));
}

const infoOf = (info: string | undefined) => (info === undefined ? {} : { info });

function valueOptions(path: YamlPath, context: CompletionContext): CompletionOption[] {
  const kind = nameKindAt(path, context.language.verbs);
  const names = kind === undefined ? [] : namesOf(kind, context);
  if (kind === 'step')
    return path[0] === 'start' ? names : [...names, { label: '$end', kind: 'step', detail: 'ends the flow' }];
  const key = keyOfPath(context.language, path);
  const isBoolean = key?.type === 'boolean' || (Array.isArray(key?.type) && key.type.includes('boolean'));
  const words = [...(key?.enum ?? []), ...(isBoolean ? [true, false] : [])];
  return [
    ...names,
    ...words.map((each): CompletionOption => ({ label: written(each), kind: 'value', ...infoOf(key?.description) })),
  ];
}

function namesOf(kind: NameKind, { defined, flows }: CompletionContext): CompletionOption[] {
  const names = kind === 'flow' ? flows : defined.filter((each) => each.kind === kind).map(({ name }) => name);
  return [...new Set(names)].map((label) => ({ label, kind }));
}

/** Help for the word at a position. */
export interface Help {
  title: string;
  /** For a verb, which has outcomes and keys; `key` for a key with a description. */
  verb?: string;
  key?: LanguageKey;
  /** Condition under which an outcome is possible. */
  meaning?: string;
}

export function wordAt({ words }: Pick<CompletionContext, 'words'>, at: number): Word | undefined {
  const word = words.findLast(({ from }) => from <= at);
  return word === undefined || at > word.to ? undefined : word;
}

export function helpAt({ words, language, graph }: CompletionContext, at: number): Help | undefined {
  const word = wordAt({ words }, at);
  if (word === undefined) return undefined;
  const { path, kind, text } = word;
  if (kind === 'key' && path.length === 3 && path[0] === 'steps' && verbOf(language, text))
    return { title: text, verb: text };
  if (kind === 'key' && path.length === 4 && path[2] === 'exits') {
    const drawn = graph?.steps.find(({ name }) => name === path[1]);
    const { meanings = {}, outcomeTable = {} } = verbOf(language, drawn?.verb) ?? {};
    const chosen = Object.keys(outcomeTable).find((outcome) => outcomeTable[outcome]!.each !== undefined);
    const meaning = meanings[text] ?? meanings[chosen ?? ''];
    return meaning === undefined ? undefined : { title: text, meaning };
  }
  const key = keyOfPath(language, path);
  const title = String(path.findLast((part) => typeof part === 'string'));
  return key?.description === undefined ? undefined : { title, key };
}

/** Verb of the step that contains the cursor. */
export function verbAt(
  { words, language }: Pick<CompletionContext, 'words' | 'language'>,
  step: string | undefined,
): string | undefined {
  const found = words.find(
    ({ kind, path }) =>
      kind === 'key' && path.length === 3 && path[0] === 'steps' && path[1] === step && isVerbAlone(language, path[2]),
  );
  const assigning = words.find(
    ({ kind, path }) => kind === 'key' && path.length === 3 && path[1] === step && verbOf(language, path[2]),
  );
  return (found ?? assigning)?.text;
}
