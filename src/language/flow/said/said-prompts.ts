/**
 * Compares the keys that the prompts of a step ask for with the keys that the step accepts. The checks of verbs
 * (`verbs/NAME/said.ts`) name the places of their prompts and keys.
 */
import { quoting } from '../../../base/core/diagnostic.ts';
import { isObject } from '../../../base/core/json.ts';
import { type Issue, valueAt, valueIssue } from '../../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from '../flow-draft.ts';
import { promptTexts } from '../prompt-texts.ts';
import { defaultAt } from '../verb-facts.ts';
import { type SaidKeys, saidKeys } from './said-keys.ts';

/** Text of a prompt in one language. */
export interface SaidText {
  /** Place at which the step names the prompt. */
  pointer: string;
  locale: string;
  text: string;
  /** True if all parts of the prompt are known texts. */
  isComplete: boolean;
}

/** Texts at places below the arguments of a step (`/prompt`), in all languages of the prompts, each text once. */
export function saidTexts(step: StepDraft, places: readonly string[], draft: FlowDraft): SaidText[] {
  const found = new Map<string, SaidText>();
  for (const said of saidInLanguages(step, places, draft)) {
    const key = `${said.pointer} ${said.text}`;
    if (!found.has(key)) found.set(key, said);
  }
  return [...found.values()];
}

/** Texts at places below the arguments of a step in each language of the prompts. */
export function saidInLanguages(step: StepDraft, places: readonly string[], { flow }: FlowDraft): SaidText[] {
  const { compiled, argsPointer } = step;
  const named = Object.values(flow.prompts.entries).flatMap((entry) => Object.keys(entry));
  const locales = [...new Set([flow.locale, ...named])].filter((locale) => locale !== 'default');
  const isShort = !isObject(compiled.args);
  return places.flatMap((place) => {
    // Prompts of the flow's defaults are for several steps.
    const written = isShort ? compiled.args : isOwn(step, place) ? valueAt(compiled.args, place) : undefined;
    if (written === undefined) return [];
    return locales.map((locale) => {
      const { texts, isComplete } = promptTexts(flow, written, locale);
      return { pointer: isShort ? argsPointer : argsPointer + place, locale, text: texts.join('\n\n'), isComplete };
    });
  });
}

/** Key of a step: the argument that sets it, if there is one, and the words for it in a hint. */
export interface AcceptedKey {
  key: string;
  /** Pointer below the arguments: `/leave_key`. */
  argument?: string;
}

/** Keys at these places below the arguments, or their defaults; without `""` for none. */
export function keysAt({ spec, compiled }: StepDraft, places: readonly string[]): AcceptedKey[] {
  return places.flatMap((argument): AcceptedKey[] => {
    const key = valueAt(compiled.args, argument) ?? defaultAt(spec.verb, argument);
    return typeof key === 'string' && key !== '' ? [{ key, argument }] : [];
  });
}

interface SaidCheck {
  texts: readonly SaidText[];
  keys: readonly AcceptedKey[];
  /** True if each key that is said must be accepted; false if one of them is enough. */
  isEach?: boolean;
  /** True for keys that are not commands, such as digits of an input. */
  isInput?(key: string): boolean;
  /** Hint if there are no keys. */
  noKeys?: string;
}

/** Reports texts that ask for keys which the step does not accept. */
export function* wrongKeys(step: StepDraft, { flow }: FlowDraft, check: SaidCheck): Generator<Issue> {
  const { texts, keys, isEach = false, isInput = () => false, noKeys = 'the step has no keys' } = check;
  const accepted = [
    ...keys.map(({ key }) => key),
    ...Object.keys(flow.events).map((event) => event.slice('dtmf.'.length)),
  ];
  const reported = new Set<string>();
  for (const { text, pointer } of texts) {
    const said = saidKeys(text).flatMap((each) => each.keys);
    const wrong = [...new Set(said)].filter((key) => !isInput(key) && !accepted.includes(key));
    const isRight = wrong.length === 0 || (!isEach && said.some((key) => accepted.includes(key)));
    if (isRight || reported.has(`${pointer} ${wrong}`)) continue;
    reported.add(`${pointer} ${wrong}`);
    yield wrongKey(step, { pointer, wrong, keys, noKeys });
  }
}

/** If one argument sets the only key, the finding is at the argument, which the repair changes to what is said. */
function wrongKey(
  step: StepDraft,
  found: { pointer: string; wrong: readonly string[]; keys: readonly AcceptedKey[]; noKeys: string },
): Issue {
  const { pointer, wrong, keys, noKeys } = found;
  const message = `callers are asked to press ${quoting`${wrong}`}, which is none of the keys`;
  const [only, ...others] = keys;
  const [said] = wrong;
  const argument = others.length === 0 && wrong.length === 1 ? only?.argument : undefined;
  const isWritten = argument !== undefined && isOwn(step, argument);
  const name = argument?.split('/').at(-1);
  const is = keys.length === 1 ? 'the key is' : 'the keys are';
  const own = keys.length === 0 ? noKeys : `${is} ${keys.map(({ key }) => key).join(', ')}`;
  const hint = name === undefined ? own : `${own}: change the prompt, or write ${name}: "${said}"`;
  const issue = valueIssue('said-digit', isWritten ? step.argsPointer + argument : pointer, message, hint);
  return isWritten ? { ...issue, repair: { text: said! } } : issue;
}

/** True if the step itself contains the argument, which otherwise has its default. */
export const isOwn = ({ source, spec }: StepDraft, argument: string): boolean =>
  isObject(source[spec.verb] ?? null) && valueAt(source[spec.verb]!, argument) !== undefined;

/** A key of a step with the words that name it. */
export interface NamedKey extends AcceptedKey {
  name: string;
  words: readonly string[];
}

/** A key that the prompt gives to another choice. */
export interface Swapped {
  named: NamedKey;
  /** Key that the prompt names for it. */
  said: string;
}

/**
 * Choices that a text names with the key of another one, and with theirs nowhere. “For questions about your order press
 * 2” is right if “For the state of your order press 1” names the choice of 1.
 */
export function swappedKeys(said: readonly SaidKeys[], choices: readonly NamedKey[]): Swapped[] {
  const single = said.filter(({ keys, isNegated }) => keys.length === 1 && !isNegated);
  const isNamed = (named: NamedKey, { topic }: SaidKeys): boolean =>
    topic.some((word) => named.words.some((other) => areRelated(word, other)));
  const confirmed = new Set(
    choices.filter((choice) => single.some((each) => each.keys[0] === choice.key && isNamed(choice, each))),
  );
  return single.flatMap((each): Swapped[] => {
    const [key = ''] = each.keys;
    const own = choices.find((choice) => choice.key === key);
    if (own === undefined || isNamed(own, each)) return [];
    const [named, ...more] = choices.filter((choice) => choice !== own && isNamed(choice, each));
    return named === undefined || more.length > 0 || confirmed.has(named) ? [] : [{ named, said: key }];
  });
}

const MIN_STEM = 4;
const ENDING = /(?:ies|es|s|en|e|n|i|o|a|y|as|os)$/;
const SUFFIX =
  /^(?:d|t|ed|ing|ings|er|ers|ment|ments|ation|ations|ion|ions|al|ly|led|ling|ler|lation|ung|ungen|lich|cion|ciones|mento|mentos|zione|zioni|eur|ance|r|ir|are|ere|ire|ar)$/;

/** True for words of the same stem: bill, bills, billing. */
function areRelated(one: string, other: string): boolean {
  const [short, long] = [stemOf(one), stemOf(other)].toSorted((a, b) => a.length - b.length) as [string, string];
  if (short === long) return true;
  return short.length >= MIN_STEM && long.startsWith(short) && SUFFIX.test(long.slice(short.length));
}

const stemOf = (word: string): string => {
  const stem = word.replace(ENDING, '');
  return stem.length >= MIN_STEM ? stem : word;
};
