/** Reports words that are still placeholders: callers would hear the question of an author. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import { childPointer, type Issue, isAtOrBelow, valueIssue, walk } from '../../base/schema/document.ts';
import { longForm, verbSchemas } from '../../base/schema/schema-forms.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { isPlaceholder } from './placeholders.ts';

export function* lintPlaceholders({ root, steps }: FlowDraft): Generator<Issue> {
  yield* placeholdersIn(root['prompts'] ?? null, '/prompts');
  for (const step of steps.values()) {
    const places = wordPlacesOf(step);
    const written = step.source[step.spec.verb] ?? null;
    // A short argument is the value of its key.
    const [short = ''] = isObject(written) ? [] : Object.keys(Object(longForm(step.spec.verb, written)));
    const isWords = (at: string): boolean => isAtOrBelow(isObject(written) ? at : childPointer('', short) + at, places);
    yield* placeholdersIn(written, step.argsPointer, isWords);
  }
}

function* placeholdersIn(value: Json, pointer: string, isWords = (_at: string): boolean => true): Generator<Issue> {
  for (const [at, text] of walk(value)) {
    if (typeof text !== 'string' || !isPlaceholder(text) || !isWords(at)) continue;
    yield valueIssue('placeholder', pointer + at, quoting`${text} is still a placeholder`, 'write the words');
  }
}

/** Pointers to prompts, and to the words that a new step of the verb begins with. */
function wordPlacesOf({ spec }: StepDraft): string[] {
  const begins = (Object(verbSchemas.get(spec.verb)?.['picker']) as { begins?: Json }).begins ?? null;
  const first = longForm(spec.verb, begins);
  const words = [...walk(first)].flatMap(([at, text]) => (typeof text === 'string' && isPlaceholder(text) ? [at] : []));
  return [...(spec.prompts ?? []), ...words];
}
