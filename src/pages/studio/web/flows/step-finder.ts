/** Search for steps of the open flow, by all that is written in them. The graph shows it (`graph/search-box.tsx`). */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText } from '../../../../language/flow/text/flow-source.ts';
import type { Language, LanguageKey } from '../../../../language/flow/text/language.ts';
import { type FoundSteps, findSteps } from '../graph/step-query.ts';

interface Searched {
  text: string;
  graph: FlowGraph;
  language: Language;
  notes: ReadonlyMap<string, string>;
  /** Steps with problems. */
  problems: ReadonlyMap<string, unknown>;
}

export function findInFlow(query: string, { text, graph, language, notes, problems }: Searched): FoundSteps {
  const source = openText(text);
  const flow: JsonObject = isRefusal(source) ? {} : source.value;
  const steps = isObject(flow['steps']) ? flow['steps'] : {};
  const facts = graph.steps.map((step) => ({
    step,
    written: steps[step.name],
    words: wordsIn(steps[step.name], flow['prompts']).join('\n'),
    hasNote: notes.has(step.name),
    hasProblem: problems.has(step.name),
  }));
  return findSteps(query, facts, keysOf(language));
}

/** Texts of the prompts that a step names. */
function wordsIn(written: Json | undefined, prompts: Json | undefined): string[] {
  if (typeof written === 'string') {
    const prompt = isObject(prompts) && Object.hasOwn(prompts, written) ? prompts[written] : undefined;
    return prompt === undefined ? [] : textsIn(prompt);
  }
  const inner = Array.isArray(written) ? written : isObject(written) ? Object.values(written) : [];
  return inner.flatMap((each) => wordsIn(each, prompts));
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return inner.flatMap(textsIn);
}

const keysByLanguage = new WeakMap<Language, ReadonlySet<string>>();

/** Keys that steps can have, at any depth, in lower case. */
function keysOf(language: Language): ReadonlySet<string> {
  const known = keysByLanguage.get(language);
  if (known !== undefined) return known;
  const keys = new Set<string>();
  const add = ({ properties = {}, items, values }: LanguageKey): void => {
    for (const [key, inner] of Object.entries(properties)) {
      keys.add(key.toLowerCase());
      add(inner);
    }
    if (items) add(items);
    if (values) add(values);
  };
  add(language.step);
  for (const { schema } of Object.values(language.verbs)) add(schema);
  keysByLanguage.set(language, keys);
  return keys;
}
