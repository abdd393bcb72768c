/** Mutants of prompts: another prompt, a missing prompt, other words. */
import { isObject, type Json } from '../../../base/core/json.ts';
import { childPointer, pointerKeys, valueAt, walk } from '../../../base/schema/document.ts';
import { isText } from '../../../language/flow/prompts.ts';
import { expressionTexts } from '../../../language/flow/template.ts';
import { removed, replaced } from './edits.ts';
import { entryText, type Mutant, objectIn, type WrittenFlow, type WrittenStep } from './mutant.ts';

const OTHER_WORDS = 'Somebody wrote other words here.';

export function* promptMutants(flow: WrittenFlow): Generator<Mutant> {
  const keys = Object.keys(objectIn(flow.root, 'prompts'));
  for (const step of flow.steps.values()) yield* inStep(flow, step, keys);
  const inherited = objectIn(objectIn(flow.root, 'defaults'), 'input');
  for (const key of ['no_input', 'no_match']) {
    if (inherited[key] !== undefined) yield* inPrompt(flow, `/defaults/input/${key}`, undefined, keys);
  }
  yield* inTable(flow);
}

function* inStep(
  flow: WrittenFlow,
  { name, spec, args, argsPointer }: WrittenStep,
  keys: readonly string[],
): Generator<Mutant> {
  for (const at of spec.prompts ?? []) {
    // `play` accepts the prompt itself or a map that contains it.
    if (at === '' && isObject(args)) continue;
    const pointer = argsPointer + at;
    if (valueAt(flow.root, pointer) !== undefined) yield* inPrompt(flow, pointer, name, keys);
  }
}

/** Mutants of a prompt in a step: a key, a text, or a list of these. */
function* inPrompt(
  { root }: WrittenFlow,
  pointer: string,
  step: string | undefined,
  keys: readonly string[],
): Generator<Mutant> {
  const where = step === undefined ? {} : { step };
  for (const [at, value] of walk(valueAt(root, pointer)!, pointer)) {
    if (Array.isArray(value) && value.length > 1) {
      for (const index of value.keys()) {
        const place = childPointer(at, index);
        const before = JSON.stringify(value);
        const after = JSON.stringify(value.filter((_, each) => each !== index));
        yield { kind: 'prompt', pointer: place, ...where, root: removed(root, place), before, after };
      }
    }
    if (typeof value !== 'string') continue;
    const key = pointerKeys(pointer).at(-1)!;
    const other = keys[(keys.indexOf(value) + 1) % keys.length];
    if (hasWords(value)) {
      yield { kind: 'text', pointer: at, ...where, ...textChange(root, at, key, value) };
    } else if (keys.includes(value) && other !== undefined && other !== value) {
      const texts = { before: entryText(key, value), after: entryText(key, other) };
      yield { kind: 'prompt', pointer: at, ...where, root: replaced(root, at, other), ...texts };
    }
  }
}

/** False for texts that consist of expressions only. */
const hasWords = (prompt: string): boolean =>
  isText(expressionTexts(prompt).reduce((text, expression) => text.replace(`\${${expression}}`, ''), prompt));

/** Mutants of texts in the prompt table; sound files are unchanged. */
function* inTable({ root }: WrittenFlow): Generator<Mutant> {
  for (const [at, value] of walk(objectIn(root, 'prompts'), '/prompts')) {
    const key = pointerKeys(at).at(-1)!;
    const isWords = pointerKeys(at).length === 2 || key === 'text' || (typeof value === 'string' && isText(value));
    if (typeof value !== 'string' || !isWords) continue;
    yield { kind: 'text', pointer: at, ...textChange(root, at, key, value) };
  }
}

/** Replaces the words around the same expressions. */
function textChange(root: Json, pointer: string, key: string, text: string): Pick<Mutant, 'root' | 'before' | 'after'> {
  const other = [OTHER_WORDS, ...expressionTexts(text).map((expression) => `\${${expression}}`)].join(' ');
  return { root: replaced(root, pointer, other), before: entryText(key, text), after: entryText(key, other) };
}
