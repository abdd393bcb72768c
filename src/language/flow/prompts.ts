/**
 * Resolves the prompt of a step to audio items: a key of the flow's table or of its prompts directory, a text, or an
 * inline prompt object, in the step's locale. `audio-library` of `speech/` renders the items.
 *
 * Invariants
 *  - No file outside the flow's prompts directory and the configured directories is ever returned, whatever a template
 *    renders into the prompt.
 *  - Nothing throws: a prompt that cannot be found is `missing`.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { parseDuration } from '../../base/core/duration.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { type SpokenBy, spokenBy } from '../../base/core/voice.ts';
import type { CompiledFlow, PromptTable } from './compiled-flow.ts';
import { leadsInside } from './path-containment.ts';
import { withoutBrackets } from './placeholders.ts';
import { languageOf } from './voice-settings.ts';

/** `otherwise`: the first prompt that is missing in the language of the step, and the locale that is used instead. */
export type ResolvedPrompt = { items: AudioItem[]; otherwise?: PromptOtherwise } | { missing: string };

export interface PromptOtherwise {
  key: string;
  locale: string;
}

/** `voice` is the default if a prompt names none. */
type FlowPrompts = Pick<CompiledFlow, 'prompts' | 'locale' | 'voice' | 'file'>;

interface Resolution {
  flow: FlowPrompts;
  items: AudioItem[];
  otherwise?: PromptOtherwise;
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/;
export const SOUND_FILES: readonly string[] = ['.wav', '.ulaw'];
const MAX_ITEMS = 100;
const MAX_TEXT_LENGTH = 4000;
const MAX_TEXT_FILE_BYTES = 100_000;
const MAX_NESTING = 5;
const DEFAULT_TONE_MS = 200;
/** Must equal the limit in `media/speech/tone.ts`. */
const MAX_GENERATED_MS = 60_000;

const DEFINITION_KEYS = ['text', 'ssml', 'audio', 'silence', 'tone'];

/** Normalises an entry of the prompt table to locale (or `default`) → definition. A string in the table is a text. */
export function byLocale(entry: Json): Record<string, Json> {
  const definition = (value: Json): Json => (typeof value === 'string' ? { text: value } : value);
  if (!isObject(entry) || DEFINITION_KEYS.some((key) => Object.hasOwn(entry, key)))
    return { default: definition(entry) };
  return mapValues(entry, definition);
}

/** `written` is already rendered. */
export function resolvePrompt(flow: FlowPrompts, written: Json, locale: string): ResolvedPrompt {
  const items: AudioItem[] = [];
  const resolution: Resolution = { flow, items };
  const missing = appendPrompt(resolution, written, locale, 0);
  if (missing !== undefined) return { missing };
  if (items.length > MAX_ITEMS) return { missing: `a prompt of more than ${MAX_ITEMS} pieces` };
  // A sound without a key is named after its file.
  for (const item of items) if (item.type === 'file') item.name ??= basename(item.file);
  const { otherwise } = resolution;
  return { items, ...(otherwise && { otherwise }) };
}

/** True if a prompt string is spoken as text; otherwise it is a key. */
export const isText = (word: string): boolean => /\s/.test(word);

/**
 * Locales in which a key is looked up, best first: this one, its language in any region that `known` names, `default`,
 * which has no locale, and the locale of the flow.
 */
export function localesOf(flow: Pick<CompiledFlow, 'locale'>, locale: string, known: Iterable<string> = []): string[] {
  const near = (wanted: string) => [
    ...[wanted, languageOf(wanted)],
    ...[...known].filter((candidate) => languageOf(candidate) === languageOf(wanted)),
  ];
  return [...new Set([...near(locale), 'default', ...near(flow.locale)])];
}

/** Appends audio items to `items`; returns the name of a missing prompt. */
function appendPrompt(resolution: Resolution, written: Json, locale: string, depth: number): string | undefined {
  if (depth > MAX_NESTING || resolution.items.length > MAX_ITEMS) return 'a prompt that is nested too deeply';
  if (Array.isArray(written)) {
    for (const piece of written) {
      const missing = appendPrompt(resolution, piece, locale, depth + 1);
      if (missing !== undefined) return missing;
    }
    return undefined;
  }
  if (isObject(written)) return appendPiece(resolution, written, locale);
  if (typeof written === 'number') return appendSpeech(resolution, String(written), locale, {});
  if (typeof written !== 'string') return 'a prompt';
  if (isText(written)) return appendSpeech(resolution, written, locale, {});
  return appendByKey(resolution, written, locale, depth);
}

/** Cache of found sound files, by locale and key: a lookup at each play costs more than the step itself. */
const foundSounds = new WeakMap<PromptTable, Map<string, string>>();

function appendByKey(resolution: Resolution, key: string, locale: string, depth: number): string | undefined {
  const { flow, items } = resolution;
  const known = foundSounds.get(flow.prompts)?.get(`${locale} ${key}`);
  if (known !== undefined) {
    items.push({ type: 'file', file: known, name: key });
    return undefined;
  }
  const entry = Object.hasOwn(flow.prompts.entries, key) ? flow.prompts.entries[key]! : undefined;
  for (const candidate of localesOf(flow, locale, Object.keys(entry ?? {}))) {
    const spoken = candidate === 'default' ? locale : candidate;
    const isOther = languageOf(spoken) !== languageOf(locale);
    const definition = entry !== undefined && Object.hasOwn(entry, candidate) ? entry[candidate] : undefined;
    if (definition !== undefined) {
      const first = items.length;
      if (isOther) resolution.otherwise ??= { key, locale: spoken };
      const missing = appendPrompt(resolution, definition, spoken, depth + 1);
      for (const item of items.slice(first)) item.name ??= key;
      return missing;
    }
    const found = inDirectory(flow.prompts, key, candidate);
    if (found === undefined) continue;
    if (isOther) resolution.otherwise ??= { key, locale: spoken };
    if (found.text !== undefined) return appendSpeech(resolution, found.text, spoken, {}, key);
    items.push({ type: 'file', file: found.file, name: key });
    if (isOther) return undefined;
    const sounds = foundSounds.get(flow.prompts) ?? new Map<string, string>();
    foundSounds.set(flow.prompts, sounds.set(`${locale} ${key}`, found.file));
    return undefined;
  }
  return key;
}

/**
 * Finds `key.wav`, `key.ulaw` or `key.txt` in the sub-directory of the locale or, for `default`, in the directory
 * itself.
 */
function inDirectory(prompts: PromptTable, key: string, locale: string): { file: string; text?: string } | undefined {
  if (prompts.directory === undefined || !KEY.test(key) || key.includes('..')) return undefined;
  const directory = locale === 'default' ? prompts.directory : resolve(prompts.directory, locale);
  for (const extension of [...SOUND_FILES, '.txt']) {
    const file = existing(resolve(directory, key + extension), prompts);
    if (file === undefined) continue;
    if (extension !== '.txt') return { file };
    const text = readText(file);
    if (text !== undefined) return { file, text };
  }
  return undefined;
}

function appendPiece(resolution: Resolution, written: JsonObject, locale: string): string | undefined {
  const { flow, items } = resolution;
  const { text } = written;
  const language = typeof written['language'] === 'string' ? written['language'] : locale;
  if (typeof written['audio'] === 'string') return appendSound(resolution, written['audio'], written, locale, language);
  if (typeof text === 'string' || typeof text === 'number')
    return appendSpeech(resolution, String(text), language, written);
  if (typeof written['ssml'] === 'string') {
    const ssml = written['ssml'].trim();
    if (ssml.length > MAX_TEXT_LENGTH) return 'a text that is not too long to speak';
    items.push({ type: 'ssml', ssml, language, ...voiceOf(written, flow) });
    return undefined;
  }
  if (written['silence'] !== undefined) {
    const durationMs = parseDuration(String(written['silence'])) ?? 0;
    if (durationMs > MAX_GENERATED_MS) return 'a silence of a minute at most';
    items.push({ type: 'silence', durationMs });
    return undefined;
  }
  if (typeof written['tone'] === 'number') {
    const durationMs = parseDuration(String(written['duration'] ?? '')) ?? DEFAULT_TONE_MS;
    if (durationMs > MAX_GENERATED_MS) return 'a tone of a minute at most';
    items.push({ type: 'tone', frequencyHz: written['tone'], durationMs });
    return undefined;
  }
  return 'a prompt without text, ssml, audio, silence or tone';
}

/** Appends a sound. Its `text` is spoken instead if the sound is not available. */
function appendSound(
  resolution: Resolution,
  audio: string,
  written: JsonObject,
  locale: string,
  language: string,
): string | undefined {
  const spoken: AudioItem[] = [];
  if (written['text'] !== undefined) {
    const missing = appendSpeech({ ...resolution, items: spoken }, String(written['text']), language, written);
    if (missing !== undefined) return missing;
  }
  const [otherwise] = spoken;
  const file = isUrl(audio) ? undefined : audioFile(resolution.flow, audio, locale);
  const item: AudioItem | undefined = isUrl(audio)
    ? { type: 'remote', url: audio, name: nameOfUrl(audio), ...(otherwise && { otherwise }) }
    : file === undefined
      ? otherwise
      : { type: 'file', file };
  if (item === undefined) return audio;
  resolution.items.push(item);
  return undefined;
}

/** True for a sound that is fetched when a call plays it. */
const isUrl = (audio: string): boolean => /^https?:\/\//i.test(audio);

/** Last segment of the URL's path. */
const nameOfUrl = (url: string): string => basename(URL.parse(url)?.pathname ?? '') || 'sound';

/** Looks in the locale's directory, then in the prompts directory, then in the flow's directory. */
function audioFile(flow: FlowPrompts, name: string, locale: string): string | undefined {
  const { prompts } = flow;
  if (name.includes('\0')) return undefined;
  if (isAbsolute(name)) return existing(name, prompts);
  if (prompts.directory === undefined) return undefined;
  for (const candidate of [
    resolve(prompts.directory, locale, name),
    resolve(prompts.directory, name),
    resolve(dirname(flow.file), name),
  ]) {
    const file = existing(candidate, prompts);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Returns the file if it exists and lies inside an allowed directory after resolving symbolic links. */
function existing(path: string, prompts: PromptTable): string | undefined {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    const roots = [...(prompts.directory === undefined ? [] : [prompts.directory]), ...(prompts.roots ?? [])];
    return roots.some((root) => leadsInside(path, root)) ? path : undefined;
  } catch {
    return undefined;
  }
}

function readText(file: string): string | undefined {
  try {
    if (statSync(file).size > MAX_TEXT_FILE_BYTES) return undefined;
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

const voiceOf = ({ voice }: JsonObject, flow: FlowPrompts): SpokenBy => {
  const own = [voice].flat().filter((name) => typeof name === 'string');
  return spokenBy(own.length > 0 ? own : flow.voice);
};

function appendSpeech(
  { flow, items }: Resolution,
  text: string,
  language: string,
  how: JsonObject,
  name?: string,
): string | undefined {
  const said = withoutBrackets(text.trim());
  if (said === '') return undefined;
  if (said.length > MAX_TEXT_LENGTH) return 'a text that is not too long to speak';
  items.push({
    type: 'speech',
    text: said,
    language,
    ...voiceOf(how, flow),
    ...(typeof how['rate'] === 'number' ? { rate: how['rate'] } : {}),
    ...(typeof how['pitch'] === 'number' ? { pitch: how['pitch'] } : {}),
    ...(name === undefined ? {} : { name }),
  });
  return undefined;
}
