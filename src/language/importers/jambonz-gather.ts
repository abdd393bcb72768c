/** Verb `gather` of jambonz: digits and speech input. Used by `jambonz.ts`. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { lost, worked } from './fidelity.ts';
import { textOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import type { JambonzContext } from './jambonz-context.ts';
import { innerVerb, type JsonVerb, listAt, numberAt, objectAt, wordsAt } from './json-verbs.ts';
import { countAt, rangeAt, timeAt } from './source-numbers.ts';
import { passOver, whole } from './source-views.ts';
import { missingSound } from './spoken.ts';
import { nameOfPrompt, promptOf } from './verb-list.ts';
import type { Unit, Unwritten } from './verb-unit.ts';

const MAX_DIGITS = 100;
const MAX_PIECES = 20;

export function gatherUnit(list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const { prompts, within } = questionOf(list, verb);
  const written = listAt(fields, 'input');
  const takesSpeech = written.includes('speech');
  const takesKeys = written.length === 0 || written.includes('digits');
  lost(node, fields, 'partialResultHook', 'no event tells of words while they are said');
  const collect = defined<JsonObject>({
    prompt: promptOf(prompts),
    digits: takesKeys ? digitsOf(fields, node) : undefined,
    speech: takesSpeech ? speechOf(list, fields) : undefined,
    attempts: 1,
    ...timesOf(fields, node),
    recognizer_timeout: takesSpeech ? timeAt(node, fields, 'speechTimeout') : undefined,
    barge_in: isInterrupted(fields, takesKeys, takesSpeech, node) || prompts.length === 0 ? undefined : false,
  });
  // Both begin with the question.
  if (fields['listenDuringPrompt'] === false) worked(node, 'words are heard from the beginning of the question on');
  const make = (next: string, own: string): JsonObject => {
    const there = list.after(fields, node, { digits: `steps.${own}.digits`, speech: `steps.${own}.speech` })(next);
    return { collect, exits: { collected: there, exhausted: there } };
  };
  return list.unit(`ask_${nameOfPrompt(prompts)}`, node, make, within);
}

/** Prompts nested in the verb. */
function questionOf(list: JambonzContext, verb: JsonVerb): { prompts: Json[]; within: Unwritten<JsonVerb>[] } {
  const within: Unwritten<JsonVerb>[] = [];
  const prompts = ['say', 'play'].flatMap((name) => {
    if (!isObject(verb.fields[name])) return [];
    const inner = innerVerb(verb, name);
    const node = list.nodeOf(inner);
    passOver(inner.fields, ['id', 'verb']);
    const pieces = list.piecesOf(inner, node);
    const isForever = wordsAt(inner.fields, 'loop') === 'forever';
    if (isForever) worked(node, `it is said ${MAX_PIECES} times, not until the caller answers`);
    const times = isForever ? MAX_PIECES : countAt(node, inner.fields, 'loop', { most: MAX_PIECES, otherwise: 1 });
    if (pieces !== undefined) return Array<readonly Json[]>(times).fill(pieces).flat();
    const url = listAt(inner.fields, 'url')[0];
    within.push({
      element: inner,
      node,
      what: url === undefined ? 'it has no text or sound to play' : missingSound(url),
    });
    return [];
  });
  return { prompts, within };
}

function digitsOf(fields: JsonObject, node: ImportedNode): JsonObject {
  const length = countAt(node, fields, 'numDigits', { most: MAX_DIGITS });
  const lengths =
    length === undefined ? rangeAt(node, fields, { min: 'minDigits', max: 'maxDigits', most: MAX_DIGITS }) : { length };
  const key = wordsAt(fields, 'finishOnKey') ?? '';
  return defined<JsonObject>({
    ...lengths,
    terminator: key === '#' ? undefined : key.slice(0, 1),
  });
}

function speechOf(list: JambonzContext, fields: JsonObject): JsonObject {
  const written = objectAt(fields, 'recognizer')['hints'];
  const hints = (Array.isArray(written) ? written : [])
    .map((hint) => (isObject(hint) ? whole(hint)['phrase'] : hint))
    .filter((hint) => typeof hint === 'string' && hint.trim() !== '')
    .map((hint) => textOf(String(hint).trim()));
  return defined<JsonObject>({ hints: hints.length > 0 ? hints : undefined, language: list.languageOf(fields) });
}

/** In jambonz a `timeout` of 0 waits without limit. */
function timesOf(fields: JsonObject, node: ImportedNode): JsonObject {
  const isEndless = numberAt(fields, 'timeout') === 0;
  if (isEndless) worked(node, 'the caller has ten minutes, not all the time in the world');
  const timeout = isEndless ? '600s' : timeAt(node, fields, 'timeout', { otherwise: '15s' });
  return {
    start_timeout: timeout,
    inter_digit_timeout: timeAt(node, fields, 'interDigitTimeout', { otherwise: timeout }),
  };
}

/** Barge-in. jambonz has separate options for digits and speech; here one option covers both. */
function isInterrupted(fields: JsonObject, takesKeys: boolean, takesSpeech: boolean, node: ImportedNode): boolean {
  const byKeys = takesKeys && fields['dtmfBargein'] === true;
  const bySpeech = takesSpeech && fields['bargein'] === true;
  if (takesKeys && takesSpeech && byKeys !== bySpeech) worked(node, 'keys and words both stop the question');
  if ((numberAt(fields, 'minBargeinWordCount') ?? 1) > 1 && bySpeech) worked(node, 'the first word stops the question');
  return byKeys || bySpeech;
}
