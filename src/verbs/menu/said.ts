/** Checks that the prompts of a menu name its choices with their keys. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue, walk } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { asksForAnyKey, saidKeys } from '../../language/flow/said/said-keys.ts';
import {
  keysAt,
  type NamedKey,
  type SaidText,
  saidTexts,
  swappedKeys,
  wrongKeys,
} from '../../language/flow/said/said-prompts.ts';
import { plainWords } from '../../language/flow/said/said-words.ts';
import { promptPlacesOf } from '../../language/flow/verb-facts.ts';

const PROMPTS = ['/prompt', '/no_input', '/no_match'];

export function* saidInMenu(step: StepDraft, args: JsonObject, draft: FlowDraft): Generator<Issue> {
  const choices = choicesOf(args);
  if (args['each'] !== undefined) return yield* saidOfItems(step, args, draft, choices);
  if (choices.length === 0) return;
  const texts = saidTexts(step, PROMPTS, draft);
  const wrong = [...wrongKeys(step, draft, { texts, keys: choices.map(({ key }) => ({ key })), isEach: true })];
  yield* wrong;
  const swapped = [...swappedChoices(texts, choices)];
  for (const { named, said } of swapped) yield swappedIssue(step, { named, said }, swapped);
  // A wrong key in a prompt is probably meant for the choice that it does not name.
  if (wrong.length > 0) return;
  const unnamed = choices.filter((choice) => !swapped.some(({ named }) => named === choice));
  yield* unsaidChoices(step, draft, texts, unnamed);
}

interface Choice extends NamedKey {
  /** Phrases of callers who speak. */
  phrases: readonly string[];
}

function choicesOf(args: JsonObject): Choice[] {
  const choices = isObject(args['choices']) ? args['choices'] : {};
  return Object.entries(choices).flatMap(([name, choice]): Choice[] => {
    if (!isObject(choice) || typeof choice['dtmf'] !== 'string') return [];
    const phrases = Array.isArray(choice['say']) ? choice['say'].map(String) : [];
    const words = [name.replaceAll(/[_-]/g, ' '), ...phrases].flatMap(plainWords).filter((word) => word.length > 2);
    return [{ key: choice['dtmf'], argument: childPointer('/choices', name), name, words, phrases }];
  });
}

interface SwappedChoice {
  named: Choice;
  said: string;
}

function* swappedChoices(texts: readonly SaidText[], choices: readonly Choice[]): Generator<SwappedChoice> {
  const found = new Set<Choice>();
  for (const { text } of texts) {
    for (const { named, said } of swappedKeys(saidKeys(text), choices)) {
      const choice = choices.find((each) => each === named)!;
      if (!found.has(choice)) yield { named: choice, said };
      found.add(choice);
    }
  }
}

/** The repair gives the choice the key that is said, if the choice of that key changes as well. */
function swappedIssue(step: StepDraft, { named, said }: SwappedChoice, all: readonly SwappedChoice[]): Issue {
  const message = quoting`the prompt says the key ${said} for ${named.name}, whose key is ${named.key}`;
  const pointer = `${step.argsPointer}${named.argument}/dtmf`;
  const isFree = all.some((other) => other.named.key === said);
  const issue = valueIssue('said-choice', pointer, message, `write dtmf: "${said}", or change the prompt`);
  return isFree ? { ...issue, repair: { text: said } } : issue;
}

/** Choices that no prompt names in any language, if the prompts name the key of another. */
function* unsaidChoices(
  step: StepDraft,
  draft: FlowDraft,
  texts: readonly SaidText[],
  choices: readonly Choice[],
): Generator<Issue> {
  if (!texts.some(({ pointer, isComplete }) => pointer === `${step.argsPointer}/prompt` && isComplete)) return;
  const own = keysIn(texts);
  if (choices.every(({ key }) => own.has(key))) return;
  const before = [...draft.steps.values()]
    .filter(({ compiled }) => Object.values(compiled.exits).includes(step.compiled.name))
    .flatMap((other) => saidTexts(other, promptPlacesOf(other.spec.verb), draft));
  const keys = new Set([...own, ...keysIn(before)]);
  const all = [...texts, ...before].map(({ text }) => text);
  if (!choices.some(({ key }) => keys.has(key)) || all.some(asksForAnyKey)) return;
  const words = ` ${all.flatMap((text) => plainWords(text)).join(' ')} `;
  for (const { key, name, argument, phrases } of choices) {
    const isSpoken = phrases.some((phrase) => words.includes(` ${plainWords(phrase).join(' ')} `));
    if (keys.has(key) || isSpoken) continue;
    const message = quoting`no prompt names ${name}, whose key is ${key}`;
    const hint = `add it to the prompt, such as “For …, press ${key}”`;
    yield keyIssue('unsaid-choice', step.argsPointer + argument, message, hint);
  }
}

const keysIn = (texts: readonly SaidText[]): Set<string> =>
  new Set(texts.flatMap(({ text }) => saidKeys(text)).flatMap(({ keys }) => keys));

/** Menus over a list: the text of an item contains its key, and `say_more` the key for the next page. */
function* saidOfItems(
  step: StepDraft,
  args: JsonObject,
  draft: FlowDraft,
  choices: readonly Choice[],
): Generator<Issue> {
  const named = choices.map(({ key }) => ({ key }));
  const more = keysAt(step, ['/more']);
  const isNamed = (key: string): boolean => named.some((other) => other.key === key);
  yield* wrongKeys(step, draft, { texts: saidTexts(step, ['/say_more'], draft), keys: more, isInput: isNamed });
  if (args['phrases'] === undefined && !readsKey(args['say'] ?? null)) {
    const message = 'callers hear the item, but not its key';
    const hint = 'write the key: "For ${ item } press ${ key }."';
    yield valueIssue('unsaid-key', `${step.argsPointer}/say`, message, hint);
  }
}

/** True if a template of the prompt reads `key`, or if the prompt is not a text. */
function readsKey(prompt: Json): boolean {
  return [...walk(prompt)].some(([, value]) => typeof value === 'string' && /\$\{[^}]*\bkey\b/.test(value));
}
