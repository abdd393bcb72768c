/**
 * Parses SSML 1.1 to a tree, with problems and their locations. `speech/ssml/` converts the tree to audio; `flow/` and
 * `calls/` only validate.
 *
 * Invariants
 * - size, depth and number of elements are limited, and only character references and the five predefined entities are
 * replaced, so a document cannot grow;
 * - a document cannot refer to a file or URL: `audio` and `lexicon` are rejected;
 * S3 no function throws.
 */
import { SaxesParser } from 'saxes';
import { breakMs, offsetMs, pitchOf, rateOf, volumeOf } from './ssml-values.ts';

export interface SsmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly (SsmlElement | string)[];
  location: SsmlLocation;
}

export interface SsmlLocation {
  /** 1-based, within the document. */
  line: number;
  column: number;
}

export interface SsmlProblem extends SsmlLocation {
  message: string;
}

export type SsmlReading = { root: SsmlElement; problems?: undefined } | { root?: undefined; problems: SsmlProblem[] };

export const MAX_SSML_LENGTH = 20_000;
const MAX_DEPTH = 20;
const MAX_ELEMENTS = 500;
const MAX_PROBLEMS = 20;
/** Silence also uses memory. */
const MAX_PAUSES_MS = 120_000;

const EMPHASIS = ['strong', 'moderate', 'none', 'reduced'];
const SILENCES = ['leading', 'tailing', 'sentenceboundary'];
const LANGUAGE = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$/;
const GENDERS = ['male', 'female', 'neutral'];

type SsmlRule = (attributes: Readonly<Record<string, string>>) => string | undefined;

const fits =
  (name: string, isRight: (value: string) => boolean, wanted: string): SsmlRule =>
  (attributes) => {
    const value = attributes[name];
    return value === undefined || isRight(value) ? undefined : `${name}="${value.slice(0, 40)}" is not ${wanted}`;
  };
const needs =
  (name: string): SsmlRule =>
  (attributes) =>
    (attributes[name] ?? '') === '' ? `${name} is missing` : undefined;
const oneOf = (words: readonly string[]) => (value: string) => words.includes(value.toLowerCase());

const LANGUAGE_RULE = fits('xml:lang', (value) => LANGUAGE.test(value), 'a language such as en-US');

/** Supported elements, and the checks of their attributes. Other attributes are ignored. */
const ELEMENTS: Readonly<Record<string, readonly SsmlRule[]>> = {
  speak: [LANGUAGE_RULE],
  p: [LANGUAGE_RULE],
  s: [LANGUAGE_RULE],
  w: [],
  token: [],
  // Both are spoken as their text: no engine supports phonemes.
  phoneme: [],
  lang: [needs('xml:lang'), LANGUAGE_RULE],
  voice: [LANGUAGE_RULE, fits('gender', oneOf(GENDERS), `one of ${GENDERS.join(', ')}`)],
  break: [
    ({ time, strength }) =>
      breakMs({ time, strength }) === undefined
        ? `${time === undefined ? `strength="${strength}"` : `time="${time.slice(0, 40)}"`} is not a pause: write time="500ms" or strength="medium"`
        : undefined,
  ],
  prosody: [
    fits('rate', (value) => rateOf(value) !== undefined, 'a rate: slow, medium, fast, 80%, +10%'),
    fits('pitch', (value) => pitchOf(value, 'female') !== undefined, 'a pitch: low, medium, high, +10%, -2st, 180Hz'),
    fits('volume', (value) => volumeOf(value) !== undefined, 'a volume: soft, medium, loud, +6dB, 50%'),
  ],
  'say-as': [needs('interpret-as')],
  sub: [needs('alias')],
  emphasis: [fits('level', oneOf(EMPHASIS), `one of ${EMPHASIS.join(', ')}`)],
  mark: [],
  meta: [],
  metadata: [],
  desc: [],
  'mstts:express-as': [needs('style')],
  'mstts:silence': [
    needs('value'),
    fits('type', (value) => oneOf(SILENCES)(silenceKind(value)), `one of ${SILENCES.join(', ')}`),
    fits('value', (value) => offsetMs(value) !== undefined, 'a duration: 200ms, 1s'),
  ],
};

const REFUSED: Readonly<Record<string, string>> = {
  audio: 'audio files are not part of a text here: write { audio: … } as a part of the prompt',
  lexicon: 'pronunciation files are not taken: write <sub alias="…">',
};

/** `Leading-exact` and `Leading` are treated equally. */
export const silenceKind = (type: string | undefined): string => (type ?? '').toLowerCase().replace(/-exact$/, '');

/** Problems of a document. Empty if it is valid. */
export const ssmlProblems = (source: string): SsmlProblem[] => readSsml(source).problems ?? [];

export function readSsml(source: string): SsmlReading {
  if (source.length > MAX_SSML_LENGTH) {
    const message = `${source.length} characters are more than ${MAX_SSML_LENGTH}`;
    return { problems: [{ message, line: 1, column: 1 }] };
  }
  const problems: SsmlProblem[] = [];
  const parser = new SaxesParser({ xmlns: false, position: true });
  const open: { element: SsmlElement; children: (SsmlElement | string)[] }[] = [];
  let root: SsmlElement | undefined;
  let location: SsmlLocation = { line: 1, column: 1 };
  let count = 0;
  let pausesMs = 0;

  const complain = (message: string, at: SsmlLocation): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ message, ...at });
  };

  const enter = (name: string, attributes: Readonly<Record<string, string>>): void => {
    count++;
    const children: (SsmlElement | string)[] = [];
    const element: SsmlElement = { name, attributes, children, location };
    if (count === MAX_ELEMENTS + 1) complain(`more than ${MAX_ELEMENTS} elements`, location);
    if (open.length === MAX_DEPTH) complain(`elements stand in more than ${MAX_DEPTH} others`, location);
    for (const message of problemsOf(element, open.length === 0)) complain(message, location);
    if (name === 'break') pausesMs += breakMs(attributes) ?? 0;
    if (name === 'mstts:silence') pausesMs += offsetMs(attributes['value'] ?? '') ?? 0;
    if (open.length <= MAX_DEPTH && count <= MAX_ELEMENTS) open.at(-1)?.children.push(element);
    root ??= element;
    open.push({ element, children });
  };

  const text = (words: string): void => void open.at(-1)?.children.push(words);

  parser.on('opentagstart', ({ name }) => {
    // The parser's position is after the character that follows the name.
    location = { line: parser.line, column: Math.max(1, parser.column - name.length - 1) };
  });
  parser.on('opentag', (tag) => enter(tag.name, tag.attributes));
  parser.on('closetag', () => void open.pop());
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('doctype', () => complain('a document type is not taken', { line: parser.line, column: 1 }));
  parser.on('error', (error) => {
    complain(reasonOf(error), { line: parser.line, column: parser.column + 1 });
  });
  try {
    parser.write(source).close();
  } catch (error) {
    complain(reasonOf(error), { line: 1, column: 1 });
  }
  if (pausesMs > MAX_PAUSES_MS)
    complain(`pauses of more than ${MAX_PAUSES_MS / 1000} s together`, { line: 1, column: 1 });
  if (!root && problems.length === 0) complain('there is no <speak> element', { line: 1, column: 1 });
  return root && problems.length === 0 ? { root } : { problems };
}

function* problemsOf({ name, attributes }: SsmlElement, isRoot: boolean): Generator<string> {
  if (isRoot !== (name === 'speak')) {
    yield isRoot ? `the outermost element is <speak>, not <${name.slice(0, 40)}>` : '<speak> stands outermost only';
    return;
  }
  const refusal = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (refusal !== undefined) {
    yield `<${name}> is refused: ${refusal}`;
    return;
  }
  if (!Object.hasOwn(ELEMENTS, name)) {
    yield `there is no element <${name.slice(0, 40)}>`;
    return;
  }
  for (const rule of ELEMENTS[name]!) {
    const complaint = rule(attributes);
    if (complaint !== undefined) yield `<${name}>: ${complaint}`;
  }
}

/** Removes the location that saxes puts in front of its message. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^(\d+:\d+: )+/, '').slice(0, 200);

/** Escapes a text for a document or an attribute. */
export function escapeSsml(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
