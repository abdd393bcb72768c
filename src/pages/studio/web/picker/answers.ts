/** Proposed answers to what a verb asks: names that the project and the flow know. */
import { isObject, type Json } from '../../../../base/core/json.ts';
import { typedNumber } from '../../../../base/core/phone-number.ts';
import { type Named, valuesAt } from '../../../../language/flow/named-places.ts';
import { readFlow } from '../../../../language/flow/text/flow-reader.ts';
import type { LanguageVerb } from '../../../../language/flow/text/language.ts';
import { request } from '../api.ts';
import type { StepItem } from './search-steps.ts';

/** Names and texts that answers are taken from. */
export interface Known {
  verbs: Readonly<Record<string, LanguageVerb>>;
  text: string;
  /** Names of the flows of the service. */
  flows: readonly string[];
  steps: readonly string[];
}

/** Kind of part that the argument at a pointer names. */
export function kindAt(verb: LanguageVerb, pointer: string): string | undefined {
  const names = verb.names ?? {};
  const long = names[pointer] ?? (verb.short === pointer.slice(1) ? names[''] : undefined);
  return long === undefined ? undefined : kindOf(long);
}

/** Argument that is asked for before the step or the template is added. */
export interface AskedPart {
  question: string;
  hint?: string;
  /** Proposed answer. */
  value?: string;
  /** Kind of part that it names. */
  kind?: string | undefined;
}

/** Arguments that the step or the template asks for, in the order of the answers. */
export function asksOf({ verb, template }: StepItem, verbs: Known['verbs']): AskedPart[] {
  if (template === undefined) {
    const { picker } = verbs[verb]!;
    return (picker?.asks ?? []).map((ask) => ({ ...ask, kind: kindAt(verbs[verb]!, ask.at) }));
  }
  return template.asks.map((ask) => {
    const [name = '', ...path] = ask.at.split('/').slice(3);
    // Items of a list are of the kind of the list.
    const pointers = path.map((_, index) => `/${path.slice(0, path.length - index).join('/')}`);
    const kinds = verbs[name] === undefined ? [] : pointers.flatMap((each) => kindAt(verbs[name]!, each) ?? []);
    return { ...ask, kind: kinds[0] };
  });
}

/**
 * The answer as flows write it: a number that is typed in any manner as `typedNumber` reads it. Undefined for a party that is neither a
 * number nor an address.
 */
export function writtenAnswer(kind: string | undefined, answer: string): string | undefined {
  const text = answer.trim();
  if ((kind !== 'party' && kind !== 'number') || text.includes('${')) return text;
  return typedNumber(text) ?? (/\s/.test(text) ? undefined : text);
}

const kindOf = (named: Named): string => (typeof named === 'string' ? named : Object.keys(named)[0]!);

export async function proposedAnswers(kind: string | undefined, known: Known): Promise<string[]> {
  if (kind === undefined) return [];
  if (kind === 'flow') return known.flows.toSorted();
  if (kind === 'step') return [...known.steps];
  const used = namesInFlow(kind, known);
  if (kind !== 'party') return used;
  return [...new Set([...used, ...(await usersOf())])];
}

/** Names of this kind in the flow. */
function namesInFlow(kind: string, { verbs, text }: Known): string[] {
  const { value } = readFlow(text);
  const steps = isObject(value as Json) ? (value as Record<string, Json>)['steps'] : undefined;
  const found = new Set<string>();
  for (const step of Object.values(isObject(steps) ? steps : {})) {
    for (const [verb, { names = {} }] of Object.entries(verbs)) {
      if (!isObject(step) || !Object.hasOwn(step, verb)) continue;
      for (const [pointer, named] of Object.entries(names)) {
        if (kindOf(named) !== kind) continue;
        for (const [, name] of valuesAt(step[verb], pointer)) {
          if (typeof name === 'string' && !name.includes('${')) found.add(name);
        }
      }
    }
  }
  return [...found];
}

/** Users as parties. Empty without the right to list them. */
async function usersOf(): Promise<string[]> {
  try {
    const { users } = await request<{ users: { name: string }[] }>('/admin/v1/users');
    return users.map(({ name }) => `user:${name}`);
  } catch {
    return [];
  }
}
