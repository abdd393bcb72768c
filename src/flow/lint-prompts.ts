/** Every prompt that a step names is there, in the language in which the step will ask for it. */

import { existsSync } from 'node:fs';
import { quoting } from '../core/diagnostic.ts';
import { isObject, type Json } from '../core/json.ts';
import { childPointer, type Issue, valueAt } from '../schema/document.ts';
import { didYouMean } from '../schema/suggest.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { isText, localesOf, resolvePrompt } from './prompts.ts';
import { hasExpression } from './template.ts';

export function* lintPrompts(draft: FlowDraft): Generator<Issue> {
  const { flow, root } = draft;
  const { directory, entries } = flow.prompts;
  // A directory that is declared and not yet there: the sounds are still to be made.
  const planned = typeof root['prompts'] === 'string' && directory !== undefined && !existsSync(directory);
  const known = new Map<string, Issue | undefined>();
  for (const step of draft.steps.values()) {
    const locale = step.compiled.locale ?? flow.locale;
    for (const { word, pointer } of namedPrompts(step)) {
      const id = JSON.stringify([word, locale]);
      if (!known.has(id)) known.set(id, checkPrompt(draft, word, locale, planned));
      const issue = known.get(id);
      if (issue === undefined) continue;
      const misspelt = issue.code === 'missing-prompt' && typeof word === 'string';
      const hint = misspelt ? didYouMean(word, Object.keys(entries)) : undefined;
      yield { ...issue, ...(hint === undefined ? {} : { hint }), pointer };
    }
  }
}

function checkPrompt({ flow }: FlowDraft, word: Json, locale: string, planned: boolean): Issue | undefined {
  const found = resolvePrompt(flow, word, locale);
  const name = isObject(word) ? word['audio'] : word;
  if ('missing' in found) {
    return {
      code: 'missing-prompt',
      message: `there is no prompt ${quoting`${found.missing}`}${found.missing === name ? '' : quoting` (for ${String(name)})`} in ${locale}`,
      pointer: '',
      severity: planned ? 'warning' : 'error',
      hint: isObject(word)
        ? 'put the file into the prompts directory'
        : `add it to prompts, or write { text: ${name} } to have the word spoken`,
    };
  }
  const [wanted] = localesOf({ locale }, locale);
  const other = found.items.find(
    (item) => item.type === 'speech' && item.language.split('-')[0] !== wanted!.split('-')[0],
  );
  if (other?.type !== 'speech' || isObject(word)) return undefined;
  return {
    code: 'prompt-language',
    message: `the prompt ${quoting`${String(name)}`} is not there in ${locale}, so that it is heard in ${other.language}`,
    pointer: '',
    severity: 'warning',
    hint: `add ${locale} to the prompt`,
  };
}

/** Keys and sound files that the step names; what templates give is known on the call only. */
function* namedPrompts({ spec, compiled, argsPointer }: StepDraft): Generator<{ word: Json; pointer: string }> {
  for (const pattern of spec.prompts ?? []) {
    const written = valueAt(compiled.args, pattern);
    if (written !== undefined) yield* promptNamesIn(written, argsPointer + pattern);
  }
}

function* promptNamesIn(written: Json, pointer: string): Generator<{ word: Json; pointer: string }> {
  if (typeof written === 'string') {
    if (!isText(written) && !hasExpression(written)) yield { word: written, pointer };
  } else if (Array.isArray(written)) {
    for (const [index, item] of written.entries()) yield* promptNamesIn(item, childPointer(pointer, index));
  } else if (isObject(written) && typeof written['audio'] === 'string' && !hasExpression(written['audio'])) {
    yield { word: { audio: written['audio'] }, pointer: `${pointer}/audio` };
  }
}
