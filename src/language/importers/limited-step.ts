/**
 * Fits a step to the limits of the flow language: long texts are spoken in parts, long names are shortened, and the
 * words of SSML that cannot be spoken are spoken without their tags. Each change gives a note.
 */
import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, isAtOrBelow } from '../../base/schema/document.ts';
import { promptPlacesOf } from '../flow/verb-facts.ts';
import { ssmlProblems } from '../ssml/read-ssml.ts';

const MAX_TEXT = 4000;
const MAX_NAME = 100;
const HASH_LENGTH = 8;
/** Arguments that name a queue or a conference. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  queue: ['name'],
  conference: ['name'],
  serve: ['queue'],
  check_queue: ['queue'],
};
/** Prompts of which each item belongs to one attempt. */
const BY_ATTEMPT = /\/no_(input|match)$/;

export interface LimitedStep {
  step: JsonObject;
  notes: string[];
}

export function limitedStep(step: JsonObject): LimitedStep {
  const notes = new Set<string>();
  const limited = Object.entries(step).map(([verb, args]): [string, Json] => {
    const named = NAMES[verb]?.reduce((made, key) => withShortName(made, key, notes), args) ?? args;
    const texts = verb === 'message' && isObject(named) ? withShortText(named, notes) : named;
    const places = promptPlacesOf(verb);
    return [verb, places.length === 0 ? texts : spoken(texts, '', places, notes)];
  });
  return { step: Object.fromEntries(limited), notes: [...notes] };
}

function withShortName(args: Json, key: string, notes: Set<string>): Json {
  if (!isObject(args)) return args;
  const name = args[key];
  if (typeof name !== 'string' || [...name].length <= MAX_NAME || name.includes('${')) return args;
  notes.add(`the name is shortened to ${MAX_NAME} characters`);
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return { ...args, [key]: `${[...name].slice(0, MAX_NAME - HASH_LENGTH - 1).join('')}-${hash}` };
}

function withShortText(args: JsonObject, notes: Set<string>): JsonObject {
  const { text } = args;
  if (typeof text !== 'string' || text.length <= MAX_TEXT) return args;
  notes.add(`the text is cut after ${MAX_TEXT} characters`);
  return { ...args, text: partsOf(text)[0]!.trimEnd() };
}

/** Prompts at and below these places, in parts that can be spoken. */
function spoken(value: Json, pointer: string, places: readonly string[], notes: Set<string>): Json {
  if (isAtOrBelow(pointer, places)) {
    if (typeof value === 'string') return oneOrAll(spokenText({}, value, notes));
    if (isObject(value) && typeof value['ssml'] === 'string') return oneOrAll(spokenSsml(value, value['ssml'], notes));
    if (isObject(value) && typeof value['text'] === 'string') {
      const { text, ...more } = value;
      return oneOrAll(spokenText(more, text, notes));
    }
  }
  if (Array.isArray(value)) {
    const items = value.map((item, index) => spoken(item, childPointer(pointer, index), places, notes));
    return BY_ATTEMPT.test(pointer) ? items : items.flat();
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, spoken(item, childPointer(pointer, key), places, notes)]),
  );
}

const oneOrAll = (parts: readonly Json[]): Json => (parts.length === 1 ? parts[0]! : [...parts]);

function spokenText(more: JsonObject, text: string, notes: Set<string>): Json[] {
  const isBare = Object.keys(more).length === 0;
  if (text.length <= MAX_TEXT) return [isBare ? text : { text, ...more }];
  notes.add(`the text is spoken in parts of at most ${MAX_TEXT} characters`);
  return partsOf(text).map((part) => (isBare && /\s/.test(part.trim()) ? part.trim() : { text: part.trim(), ...more }));
}

function spokenSsml(value: JsonObject, ssml: string, notes: Set<string>): Json[] {
  const [problem] = ssml.includes('${') ? [] : ssmlProblems(ssml.trim());
  if (problem === undefined && ssml.length <= MAX_TEXT) return [value];
  const why = problem === undefined ? `has more than ${MAX_TEXT} characters` : `cannot be spoken: ${problem.message}`;
  notes.add(`the words of the SSML are spoken without its tags, because it ${why}`);
  const words = wordsOf(ssml);
  const { ssml: _, ...more } = value;
  if (words === '') return [{ silence: '100ms' }];
  // A single word alone would be the key of a prompt.
  return spokenText(more, words, notes).map((part) => (part === words && !/\s/.test(words) ? { text: words } : part));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text without tags, also without one that is not closed. */
const wordsOf = (ssml: string): string =>
  ssml
    .replaceAll(/<!--.*?(?:-->|$)|<[^<>]*(?:>|(?=<))/gs, ' ')
    .replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!)
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Templates stay whole. */
const PIECES = /\$\{(?:[^{}]|\{[^{}]*\})*\}|\s+|(?:(?!\$\{)\S){1,200}|\S/gu;

/** Parts of a text of at most `MAX_TEXT` characters: between sentences if possible, else between words. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let sentenceEnd = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    if (part.length + piece.length > MAX_TEXT) {
      const end = sentenceEnd > 0 ? sentenceEnd : part.length;
      parts.push(part.slice(0, end));
      part = part.slice(end);
      sentenceEnd = 0;
    }
    part += piece;
    if (/[.!?。！？।]$/u.test(piece)) sentenceEnd = part.length;
  }
  return [...parts, part].filter((each) => each.trim() !== '');
}
