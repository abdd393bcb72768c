/**
 * Reads which keys a prompt asks for, and what each is said to be for: “For outages press 2, for bills 1.” gives `2` with
 * the topic “outages” and `1` with “bills”. The words of the sentence decide the language. Pure.
 */
import { remembered } from '../../../base/core/remembered.ts';
import {
  AFTER_WORD,
  anyOf,
  BEFORE_WORD,
  plainWords,
  SAID_LANGUAGES,
  type SaidWords,
  spokenPart,
} from './said-words.ts';

export interface SaidKeys {
  /** One key or sequence of keys; several for “press 1 or 2”, or “1 to 5”. */
  keys: readonly string[];
  /** Words for what the key does, without common words. */
  topic: readonly string[];
  /** True if the words for what the key does are negated: “if that is not right”. */
  isNegated: boolean;
}

interface Mention {
  keys: string[];
  from: number;
  to: number;
}

interface Reader {
  words: SaidWords;
  keyOf(text: string): string;
  pressed: RegExp;
  next: RegExp;
  range: RegExp;
  continued: RegExp;
  directTopic: RegExp;
  topicStart: RegExp;
  negation: RegExp;
  trailing: RegExp;
  common: ReadonlySet<string>;
}

const MAX_RANGE = 10;
/** Words of a topic without “for” before it: “Sales: press 1.” */
const MAX_BARE_WORDS = 5;

const readers = SAID_LANGUAGES.map(readerOf);

function readerOf(words: SaidWords): Reader {
  const [zero = '', one = '', ...others] = words.numbers;
  const signs = [...words.star, ...words.hash];
  const plain = [...others, zero, ...signs];
  const punctuated = `(?=\\s*(?:[,.;:!?)"”»]|$|(?:${anyOf([...words.for, ...words.or])})${AFTER_WORD}))`;
  // The number one may also be an article: “tapez un code”.
  const key = `(?:[0-9*#]{1,8}${AFTER_WORD}|(?:${anyOf(plain)})${AFTER_WORD}|(?:${anyOf([one])})${punctuated})`;
  const quoted = `["“«']?(${key}(?:\\s+${key})*)["”»']?(?!\\s+(?:${anyOf(words.among)})${AFTER_WORD})`;
  const filler = `(?:(?:${anyOf([...words.afterPress, ...words.key])})\\s+|l')*`;
  const noun = `(?:\\s+(?:${anyOf(words.key)})${AFTER_WORD})?`;
  const aside = '(?:\\s*,[^,.;:!?0-9*#]{2,50},)?';
  const verbs = `${BEFORE_WORD}(?:${anyOf(words.press)})${aside}\\s+${filler}${quoted}${noun}`;
  const signed = `${BEFORE_WORD}(?:${anyOf(words.end)})\\s+${filler}((?:${anyOf(signs)})${AFTER_WORD}|[*#])`;
  const behind =
    words.before.length === 0 ? '' : `|${BEFORE_WORD}die\\s+${quoted}\\s+(?:${anyOf(words.before)})${AFTER_WORD}`;
  const or = `(?:\\s*,\\s*(?:(?:${anyOf(words.or)})\\s+)?|\\s+(?:${anyOf(words.or)})\\s+)`;
  const ends = `(?=\\s*(?:[,.;:!?)]|$|(?:${anyOf(words.or)})${AFTER_WORD}))`;
  const topics = `(?:${anyOf(words.for)})${AFTER_WORD}`;
  return {
    words,
    keyOf: keyReader(words),
    pressed: new RegExp(`${verbs}|${signed}${behind}`, 'giu'),
    next: new RegExp(`${or}${filler}${quoted}${ends}`, 'iuy'),
    range: new RegExp(`\\s*(?:${anyOf([...words.to, '-', '–'])})\\s*${filler}(${key})`, 'iuy'),
    continued: new RegExp(
      `[,;]\\s+(?:(?:${anyOf(words.or)})\\s+)?${filler}${quoted}(?=\\s+${topics})|\\s(?:${anyOf(words.or)})\\s+${filler}${quoted}(?=\\s+${topics})|[,;]\\s+(?:(?:${anyOf(words.or)})\\s+)?${topics}[^,.;:!?]{2,60}?[\\s,]${filler}${quoted}${ends}`,
      'giu',
    ),
    directTopic: new RegExp(`^\\s*${topics}\\s*`, 'iu'),
    topicStart: new RegExp(`(?:^|[,:;–-]|${BEFORE_WORD}(?:${anyOf(words.or)})${AFTER_WORD})\\s*${topics}`, 'giu'),
    negation: new RegExp(`${BEFORE_WORD}(?:${anyOf(words.not)})${AFTER_WORD}`, 'iu'),
    trailing: new RegExp(`(?:[\\s,:;–-]|${BEFORE_WORD}(?:${anyOf(words.or)})${AFTER_WORD})+$`, 'iu'),
    common: new Set([...words.common, ...words.for, ...words.or].flatMap(plainWords)),
  };
}

/** Converts the words of a sequence of keys to the keys. */
function keyReader({ numbers, star, hash }: SaidWords): (text: string) => string {
  const keys = new Map([
    ...numbers.map((word, index): [string, string] => [word, String(index)]),
    ...star.map((word): [string, string] => [word, '*']),
    ...hash.map((word): [string, string] => [word, '#']),
  ]);
  return (text) =>
    text
      .toLowerCase()
      .split(/\s+/)
      .map((word) => keys.get(word) ?? word)
      .join('');
}

/** Keys that a text asks for, in its order. */
export const saidKeys = remembered((text): readonly SaidKeys[] => {
  const sentences = [...sentencesOf(spokenPart(text))];
  return readers.flatMap((reader) => sentences.flatMap((sentence) => inSentence(sentence, reader)));
});

function* sentencesOf(text: string): Generator<string> {
  for (const sentence of text.split(/[.!?]+(?=\s|$)|\n\s*\n/))
    if (sentence.trim() !== '') yield sentence.replaceAll(/\s+/g, ' ');
}

function inSentence(sentence: string, reader: Reader): SaidKeys[] {
  const pressed = [...sentence.matchAll(reader.pressed)].map((match) => mentionOf(match, sentence, reader));
  if (pressed.length === 0) return [];
  const first = pressed[0]!;
  const continued = [...sentence.slice(first.to).matchAll(reader.continued)]
    .map((match) => mentionOf(match, sentence, reader, first.to))
    .filter(({ from, to }) => !pressed.some((other) => from < other.to && other.from < to));
  const mentions = [...pressed, ...continued].toSorted((one, other) => one.from - other.from);
  const parts = mentions.map((mention, index) => ({
    mention,
    before: sentence.slice(mentions[index - 1]?.to ?? 0, mention.from),
    after: sentence.slice(mention.to, mentions[index + 1]?.from ?? sentence.length),
  }));
  const isKeyFirst = parts.every(({ after }) => reader.directTopic.test(after));
  return parts.map(({ mention, before, after }) => {
    const said = topicText(before, after, isKeyFirst, reader);
    return { keys: mention.keys, topic: topicWords(said, reader), isNegated: reader.negation.test(said) };
  });
}

function mentionOf(match: RegExpMatchArray, sentence: string, reader: Reader, offset = 0): Mention {
  const { keyOf, next, range } = reader;
  const found = match.slice(1).find((group) => group !== undefined)!;
  const keys = [keyOf(found)];
  const isAtEnd = match[0].trimEnd().length;
  let to = offset + match.index! + isAtEnd;
  // The topic of a continued mention comes before its key and belongs to the text before.
  const from = offset + match.index! + Math.max(0, match[0].lastIndexOf(found));
  const begin = match[0].search(/[^\s,;]/);
  for (;;) {
    range.lastIndex = to;
    const last = range.exec(sentence);
    if (last) {
      keys.push(...keysBetween(keys.at(-1)!, keyOf(last[1]!)));
      to = range.lastIndex;
      continue;
    }
    next.lastIndex = to;
    const other = next.exec(sentence);
    if (!other) break;
    keys.push(keyOf(other[1]!));
    to = next.lastIndex;
  }
  return { keys, from: offset === 0 ? match.index! + begin : from, to };
}

function keysBetween(first: string, last: string): string[] {
  const [from, to] = [Number(first), Number(last)];
  if (!(to > from && to - from <= MAX_RANGE)) return [last];
  return Array.from({ length: to - from }, (_, index) => String(from + 1 + index));
}

/** Text about the key: after it (“press 1 for sales”) if all keys of the sentence have it there, else before it. */
function topicText(before: string, after: string, isKeyFirst: boolean, reader: Reader): string {
  const direct = reader.directTopic.exec(after);
  const isAlone = before.replace(reader.trailing, '').trim() === '';
  if (direct && (isKeyFirst || (isAlone && /[,;:]/.test(after)))) {
    const [clause = ''] = after.slice(direct[0].length).split(/[,;:]/);
    return clause.replace(reader.trailing, '');
  }
  const clause = before.replace(reader.trailing, '');
  const starts = [...clause.matchAll(reader.topicStart)];
  const start = starts.at(-1);
  if (start) return clause.slice(start.index + start[0].length);
  const bare = clause.split(',').at(-1)!.trim();
  return bare.split(' ').length <= MAX_BARE_WORDS ? bare : '';
}

const topicWords = (text: string, { common }: Reader): string[] =>
  plainWords(text).filter((word) => word.length > 2 && !common.has(word));

/** True if a text asks for any key: “press a key”. */
export const asksForAnyKey = remembered((text) => anyKey.test(spokenPart(text)));

const anyKey = new RegExp(
  `${BEFORE_WORD}(?:${SAID_LANGUAGES.map((words) => `(?:${anyOf(words.press)})\\s+(?:${anyOf(words.anyKey)})`).join('|')})${AFTER_WORD}`,
  'iu',
);

/** True for a key that says yes, false for one that asks again; undefined if the words show neither or both. */
export function isAffirmed({ topic, isNegated }: SaidKeys): boolean | undefined {
  const yes = topic.some((word) => affirmations.has(word));
  const again = topic.some((word) => retries.has(word));
  return yes === again ? undefined : yes !== isNegated;
}

const affirmations = new Set(SAID_LANGUAGES.flatMap(({ yes }) => yes.flatMap(plainWords)));
const retries = new Set(SAID_LANGUAGES.flatMap(({ again }) => again.flatMap(plainWords)));
