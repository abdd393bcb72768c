/**
 * Definitions and uses of names in a flow's text: steps, prompts, variables, inputs and flows. Based on scanned words,
 * so that it also works while the text is invalid. Related: `scan-yaml.ts`, `completion.ts`.
 */
import type { GraphLanguage } from '../graph.ts';
import { PLAIN_NAME } from '../name-patterns.ts';
import { namedAt } from '../named-places.ts';
import { type Word, type YamlPath, YamlScanner } from './scan-yaml.ts';
import type { Range } from './text-edits.ts';

export type NameKind = 'step' | 'prompt' | 'variable' | 'input' | 'flow';

export interface Name {
  kind: NameKind;
  name: string;
  from: number;
  to: number;
}

const IN_EXPRESSION = new RegExp(`\\b(steps|vars|input)\\.(?:(${PLAIN_NAME})|\`([^\`\\n]+)(?=\`))`, 'gu');
const KINDS = { steps: 'step', vars: 'variable', input: 'input' } as const;

/** Kind of name that a value at this path refers to. */
export function nameKindAt(path: YamlPath, verbs: GraphLanguage): NameKind | undefined {
  const last = path.at(-1);
  const before = path.at(-2);
  if (path.length === 1) return last === 'start' ? 'step' : undefined;
  if (path.length === 2 && path[0] === 'events') return 'step';
  if (path[0] === 'defaults' && before === 'exits') return 'step';
  if (path[0] !== 'steps') return undefined;
  if (path.length === 4 && before === 'exits') return 'step';
  if (path.length === 3 && last === 'next') return 'step';
  const verb = String(path[2]);
  const named = Object.hasOwn(verbs, verb) ? namedAt(verbs[verb]!.names, path.slice(3)) : undefined;
  if (named === 'step' || named === 'prompt') return named;
  return typeof named === 'object' && 'flow' in named ? 'flow' : undefined;
}

/** Kind of name that a key at this path defines. */
function definedAt(path: YamlPath): NameKind | undefined {
  if (path.length !== 2) return undefined;
  const kinds: Record<string, NameKind> = { steps: 'step', prompts: 'prompt', vars: 'variable', input: 'input' };
  return kinds[String(path[0])];
}

export interface NamesInFlow {
  readonly words: readonly Word[];
  /** Keys of the text, and of its top-level maps: the names of steps are among them. */
  readonly heads: readonly Word[];
  readonly defined: readonly Name[];
  readonly used: readonly Name[];
}

/** `words`: the words of one flow of the text. */
export function namesIn(
  text: string,
  verbs: GraphLanguage,
  words: readonly Word[] = new YamlScanner(text).words,
): NamesInFlow {
  const heads: Word[] = [];
  const defined: Name[] = [];
  const used: Name[] = [];
  for (const word of words) {
    if (word.kind === 'key') {
      if (word.path.length <= 2) heads.push(word);
      const kind = definedAt(word.path);
      if (kind !== undefined) defined.push(nameOf(kind, word));
      continue;
    }
    const kind = nameKindAt(word.path, verbs);
    if (kind !== undefined && !word.text.includes(' ')) used.push(nameOf(kind, word));
    for (const found of text.slice(word.from, word.to).matchAll(IN_EXPRESSION)) {
      const to = word.from + found.index + found[0].length;
      const name = found[2] ?? found[3]!;
      used.push({ kind: KINDS[found[1] as keyof typeof KINDS], name, from: to - name.length, to });
    }
  }
  return { words, heads, defined, used };
}

function nameOf(kind: NameKind, { text, from, to }: Word): Name {
  const quotes = to - from - text.length === 2 ? 1 : 0;
  return { kind, name: text, from: from + quotes, to: to - quotes };
}

/** Name at the cursor. */
export function nameAt({ defined, used }: NamesInFlow, at: number): Name | undefined {
  return [...used, ...defined].find(({ from, to }) => from <= at && at <= to);
}

export const definitionOf = ({ defined }: NamesInFlow, { kind, name }: Pick<Name, 'kind' | 'name'>): Name | undefined =>
  defined.find((each) => each.kind === kind && each.name === name);

export const usesOf = ({ used }: NamesInFlow, { kind, name }: Pick<Name, 'kind' | 'name'>): Name[] =>
  used.filter((each) => each.kind === kind && each.name === name);

/** Step that contains the cursor. */
export function stepAt({ heads }: Pick<NamesInFlow, 'heads'>, at: number): string | undefined {
  const last = heads.findLast(({ from }) => from <= at);
  return last?.path.length === 2 && last.path[0] === 'steps' ? last.text : undefined;
}

/** Range from the name of a step to the end of its last word. */
export function rangeOfStep({ words }: NamesInFlow, step: string): Range | undefined {
  const inside = words.filter(({ path }) => path[0] === 'steps' && path[1] === step);
  const first = inside[0];
  return first && { from: first.from, to: Math.max(...inside.map(({ to }) => to)) };
}
