/** Checks that the prompts of a menu name its choices with their keys. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue, walk } from '../../base/schema/document.ts';
import { type FlowDraft, type StepDraft, stepsBefore } from '../../language/flow/flow-draft.ts';
import { asksForAnyKey, saidKeys } from '../../language/flow/said/said-keys.ts';
import {
  keysAt,
  type NamedKey,
  type SaidText,
  saidInLanguages,
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
  yield* unsaidChoices(step, draft, unnamed);
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

/** Reports choices that no prompt names in a language in which the prompts name the key of another. */
function* unsaidChoices(step: StepDraft, draft: FlowDraft, choices: readonly Choice[]): Generator<Issue> {
  const own = saidInLanguages(step, PROMPTS, draft);
  const prompt = own.filter(({ pointer, isComplete }) => pointer === `${step.argsPointer}/prompt` && isComplete);
  const before = stepsBefore(step, draft).flatMap((other) =>
    saidInLanguages(other, promptPlacesOf(other.spec.verb), draft),
  );
  const unsaid = prompt.map(({ locale }) => ({
    locale,
    choices: unsaidIn(
      own.filter((said) => said.locale === locale),
      before.filter((said) => said.locale === locale),
      choices,
    ),
  }));
  // A question for the language names each choice in its own language.
  const asksForLanguage = [...walk(step.compiled.args)].some(([at]) => at.endsWith('/language'));
  for (const choice of choices) {
    const locales = unsaid.filter((each) => each.choices.includes(choice)).map(({ locale }) => locale);
    if (locales.length === 0 || (asksForLanguage && locales.length < unsaid.length)) continue;
    const where = locales.length === unsaid.length ? 'no prompt' : `no prompt in ${locales.join(', ')}`;
    const message = `${where} names ${quoting`${choice.name}, whose key is ${choice.key}`}`;
    const hint = `add it to the prompt, such as “For …, press ${choice.key}”`;
    yield keyIssue('unsaid-choice', step.argsPointer + choice.argument, message, hint);
  }
}

/** Choices that the texts of one language leave out, if these name the key of another choice. */
function unsaidIn(own: readonly SaidText[], before: readonly SaidText[], choices: readonly Choice[]): Choice[] {
  const named = keysIn(own);
  if (choices.every(({ key }) => named.has(key))) return [];
  const texts = [...own, ...before];
  const keys = keysIn(texts);
  if (!choices.some(({ key }) => keys.has(key)) || texts.some(({ text }) => asksForAnyKey(text))) return [];
  const words = ` ${texts.flatMap(({ text }) => plainWords(text)).join(' ')} `;
  const isSpoken = ({ phrases }: Choice): boolean =>
    phrases.some((phrase) => words.includes(` ${plainWords(phrase).join(' ')} `));
  return choices.filter((choice) => !keys.has(choice.key) && !isSpoken(choice));
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
