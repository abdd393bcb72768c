/**
 * Checks that every prompt that a step names exists in each language of the step, and that SSML documents are
 * well-formed: a malformed document would be silent.
 */
import { existsSync } from 'node:fs';
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import { childPointer, type Issue, valueAt, valueIssue, walk } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import { ssmlProblems } from '../ssml/read-ssml.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { hasExpression } from './outcome-conditions.ts';
import { namesSpokenAsText, type PromptTemplate, type PromptTemplates } from './prompt-names.ts';
import { isText, resolvePrompt } from './prompts.ts';

/** `spokenBy`: locales in which a step may speak; `templates`: templates in places for prompts. */
export function* lintPrompts(
  draft: FlowDraft,
  spokenBy: (step: StepDraft) => readonly string[],
  templates: PromptTemplates,
): Generator<Issue> {
  const { flow, root } = draft;
  const { directory, entries } = flow.prompts;
  // If the declared directory does not exist yet, its sounds are still to be recorded.
  const planned = typeof root['prompts'] === 'string' && directory !== undefined && !existsSync(directory);
  const known = new Map<string, Issue | undefined>();
  if (isObject(root['prompts'])) yield* wrongSsml(root['prompts'], '/prompts');
  for (const step of draft.steps.values()) {
    const locales = spokenBy(step);
    const chosen = templates.get(step) ?? [];
    yield* spokenNames(draft, step, chosen);
    for (const { written, pointer } of promptsOf(step)) yield* wrongSsml(written, pointer);
    for (const { word, pointer } of [...writtenNames(step), ...chosenNames(step, chosen)]) {
      const found = locales.map((locale) => {
        const id = JSON.stringify([word, locale]);
        if (!known.has(id)) known.set(id, checkPrompt(draft, word, locale, planned));
        return known.get(id);
      });
      const issue = found.find((each) => each !== undefined);
      if (issue === undefined) continue;
      const misspelt = issue.code === 'missing-prompt' && typeof word === 'string' && !Object.hasOwn(entries, word);
      const near = misspelt ? didYouMean(word, Object.keys(entries)) : undefined;
      yield { ...issue, hint: near ?? issue.hint, pointer };
    }
  }
}

interface PromptName {
  word: Json;
  pointer: string;
}

function* writtenNames(step: StepDraft): Generator<PromptName> {
  for (const { written, pointer } of promptsOf(step)) yield* promptNamesIn(written, pointer);
}

/** Names that a template may choose: a missing one would only show during a call. */
function* chosenNames({ argsPointer }: StepDraft, templates: readonly PromptTemplate[]): Generator<PromptName> {
  for (const { pointer, names = [] } of templates)
    for (const word of names) yield { word, pointer: argsPointer + pointer };
}

/** Templates that speak as text a variable to which the flow assigns names of prompts. */
function* spokenNames(
  draft: FlowDraft,
  { argsPointer }: StepDraft,
  templates: readonly PromptTemplate[],
): Generator<Issue> {
  for (const template of templates) {
    const [name] = namesSpokenAsText(draft, template);
    if (name === undefined) continue;
    const source = template.expression!.source.trim();
    const message = quoting`${source} may be any text, so that its value ${name} is spoken, and the prompt ${name} is not played`;
    const hint = quoting`to choose a prompt, declare which with an enum in the schema of ${source}`;
    yield valueIssue('name-spoken', argsPointer + template.pointer, message, hint);
  }
}

function checkPrompt({ flow }: FlowDraft, word: Json, locale: string, planned: boolean): Issue | undefined {
  const found = resolvePrompt(flow, word, locale);
  const name = isObject(word) ? word['audio'] : word;
  if ('missing' in found) {
    const whose = found.missing === name ? '' : quoting` of the prompt ${String(name)}`;
    const isSound = found.missing !== word;
    const isOtherwise = !isSound && Object.hasOwn(flow.prompts.entries, word as string);
    const message = isSound
      ? `there is no sound ${quoting`${found.missing}`}${whose} in ${locale}`
      : isOtherwise
        ? quoting`the prompt ${found.missing} is not there in ${locale}`
        : `there is no prompt ${quoting`${found.missing}`} in ${locale}`;
    const hint = isSound
      ? 'put the file into the prompts directory'
      : isOtherwise
        ? `add ${locale} to the prompt`
        : `add it to prompts, or write { text: ${name} } to have the word spoken`;
    return { ...valueIssue('missing-prompt', '', message, hint), severity: planned ? 'warning' : 'error' };
  }
  const { otherwise } = found;
  if (!otherwise) return undefined;
  const message = `the prompt ${quoting`${otherwise.key}`} is not there in ${locale}, so that it is heard in ${otherwise.locale}`;
  return valueIssue('prompt-language', '', message, `add ${locale} to the prompt`);
}

function* promptsOf({ spec, compiled, argsPointer }: StepDraft): Generator<{ written: Json; pointer: string }> {
  for (const pattern of spec.prompts ?? []) {
    const written = valueAt(compiled.args, pattern);
    if (written !== undefined) yield { written, pointer: argsPointer + pattern };
  }
}

/** Keys and sound files written literally in the step. */
function* promptNamesIn(written: Json, pointer: string): Generator<PromptName> {
  if (typeof written === 'string') {
    if (!isText(written) && !hasExpression(written)) yield { word: written, pointer };
  } else if (Array.isArray(written)) {
    for (const [index, item] of written.entries()) yield* promptNamesIn(item, childPointer(pointer, index));
  } else if (isObject(written) && typeof written['audio'] === 'string' && !hasExpression(written['audio'])) {
    yield { word: { audio: written['audio'] }, pointer: `${pointer}/audio` };
  }
}

function* wrongSsml(prompts: Json, pointer: string): Generator<Issue> {
  for (const [at, ssml] of walk(prompts, pointer)) {
    if (!at.endsWith('/ssml') || typeof ssml !== 'string' || hasExpression(ssml)) continue;
    const [first] = ssmlProblems(ssml.trim());
    if (!first) continue;
    const where = `line ${first.line}, column ${first.column} of it`;
    const hint = 'the elements that are taken are in docs/speech.md';
    yield valueIssue('wrong-ssml', at, `this is not SSML that can be spoken: ${first.message} (${where})`, hint);
  }
}
