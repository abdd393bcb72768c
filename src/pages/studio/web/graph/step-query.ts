/**
 * Search for steps: words, and properties such as `verb:request`, `timeout>5s` or `has:note`. A step matches if all terms
 * do. Pure.
 */
import { parseDuration } from '../../../../base/core/duration.ts';
import { isObject, type Json } from '../../../../base/core/json.ts';
import type { GraphStep } from '../../../../language/flow/graph.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';

/** A step as the search sees it. */
export interface StepFacts {
  step: GraphStep;
  /** The step as it is written. Absent where the text of the flow is not known. */
  written?: Json | undefined;
  /** Words that callers hear. */
  words?: string;
  hasNote?: boolean;
  hasProblem?: boolean;
}

/** Steps that match, in the given order, or the reason why the query cannot be read. */
export type FoundSteps = { steps: readonly string[] } | { problem: string };

type Test = (facts: StepFacts) => boolean;

/** Finds steps. `keys`: properties that steps can have, besides those that they have. */
export function findSteps(query: string, all: readonly StepFacts[], keys: ReadonlySet<string> = new Set()): FoundSteps {
  const tests: Test[] = [];
  for (const [term] of query.matchAll(TERM)) {
    const test = testOf(term, all, keys);
    if (typeof test === 'string') return { problem: `${test} ${understood()}` };
    tests.push(test);
  }
  return { steps: all.filter((facts) => tests.every((test) => test(facts))).map(({ step }) => step.name) };
}

/** Says which terms can be written. */
export const understood = (): string => t('Understood are words, {examples}.', { examples: listText(EXAMPLES) });
const EXAMPLES = ['verb:request', 'timeout>5s', 'group:night', 'has:note', 'problem'];

/** Words in quotes are one term. */
const TERM = /(?:[^\s"]+[:<>=])?"[^"]*"?|\S+/g;
const PROPERTY = /^([a-z_][a-z0-9_]*)(>=|<=|:|=|>|<)(?!\/\/)(.*)$/i;

const unquoted = (text: string): string => text.replaceAll('"', '').toLowerCase();
const has = (text: string | undefined, part: string): boolean => text?.toLowerCase().includes(part) ?? false;

function testOf(term: string, all: readonly StepFacts[], keys: ReadonlySet<string>): Test | string {
  if (term.toLowerCase() === 'problem') return FACTS['problem']!;
  const [, written, sign, rest] = PROPERTY.exec(term) ?? [];
  if (written === undefined) return anywhere(unquoted(term));
  const key = written.toLowerCase();
  const value = unquoted(rest!);
  if (value === '') return t('{term} has no value.', { term });
  const part = PARTS[key];
  if (part !== undefined && (sign === ':' || sign === '=')) return (facts) => part(facts, value);
  if (key === 'has') return FACTS[value] ?? t('{term} is not understood.', { term });
  if (!keys.has(key) && !all.some(({ written: step }) => valuesAt(step, key).length > 0))
    return t('No step has the property {key}.', { key });
  if (sign === ':') return ({ written: step }) => valuesAt(step, key).some((each) => has(textOf(each), value));
  const wanted = amountOf(value);
  if (wanted === undefined && sign !== '=') return t('{value} is neither a number nor a duration.', { value });
  return ({ written: step }) =>
    valuesAt(step, key).some((each) => {
      const amount = amountOf(textOf(each));
      if (wanted === undefined || amount === undefined) return sign === '=' && textOf(each).toLowerCase() === value;
      return COMPARE[sign!]!(amount, wanted);
    });
}

const COMPARE: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '>': (one, other) => one > other,
  '<': (one, other) => one < other,
  '>=': (one, other) => one >= other,
  '<=': (one, other) => one <= other,
  '=': (one, other) => one === other,
};

/** Facts of steps by the word after `has:`. */
const FACTS: Readonly<Record<string, Test>> = {
  note: ({ hasNote = false }) => hasNote,
  problem: ({ hasProblem = false }) => hasProblem,
  group: ({ step }) => step.section !== undefined,
  words: ({ words = '' }) => words !== '',
};

/** Parts of steps by the word before the colon. */
const PARTS: Readonly<Record<string, (facts: StepFacts, value: string) => boolean>> = {
  verb: ({ step }, value) => step.verb === value || step.verb_label?.toLowerCase() === value,
  name: ({ step }, value) => has(step.name, value),
  group: ({ step }, value) => has(step.section, value) || has(step.label, value),
  section: ({ step }, value) => has(step.section, value),
  words: ({ words, step }, value) => has(words, value) || has(step.about, value),
};

const anywhere =
  (part: string): Test =>
  ({ step, words, written }) =>
    [step.name, step.label, step.section, step.about, step.verb, step.verb_label, words].some((text) =>
      has(text, part),
    ) || textsIn(withoutRoutes(written)).some((text) => has(text, part));

/** Names of other steps are not what a step says or does. */
function withoutRoutes(written: Json | undefined): Json | undefined {
  if (!isObject(written)) return written;
  const { next: _next, exits: _exits, ...said } = written;
  return said;
}

/** Values of a key at any depth. */
function valuesAt(value: Json | undefined, key: string): Json[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, key));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name.toLowerCase() === key && inner !== undefined ? [inner] : []),
    ...valuesAt(inner, key),
  ]);
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

const textOf = (value: Json): string => (typeof value === 'object' ? textsIn(value).join(' ') : String(value));

/** Number, or duration in ms. */
function amountOf(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : parseDuration(text);
}
