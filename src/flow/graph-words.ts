/**
 * Texts of a step's card in a graph: a summary of the step in a line or two, and short facts next to it. Incomplete
 * arguments give shorter texts, never an error.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';

/** Maximum length of a text on a card. */
const MAX_WORDS = 160;
const MAX_NESTING = 4;

export type WordsOf = (prompt: Json | undefined) => string;

/** Looks up the words of prompts in the flow's table, in the step's locale or else the flow's. */
export function promptWords(root: JsonObject): { in(locale: string): WordsOf } {
  const table = isObject(root['prompts']) ? root['prompts'] : {};
  const defaults = isObject(root['defaults']) ? root['defaults'] : {};
  const usual = typeof defaults['locale'] === 'string' ? defaults['locale'] : 'en-US';
  return {
    in(locale) {
      const locales = [locale || usual, (locale || usual).split('-')[0]!, usual, usual.split('-')[0]!];
      return (prompt) => firstWords(prompt, table, locales, 0).slice(0, MAX_WORDS);
    },
  };
}

function firstWords(prompt: Json | undefined, table: JsonObject, locales: readonly string[], depth: number): string {
  if (prompt === undefined || prompt === null || depth > MAX_NESTING) return '';
  if (typeof prompt === 'string') {
    if (!Object.hasOwn(table, prompt)) return prompt;
    const entry = table[prompt];
    return typeof entry === 'string' ? entry : firstWords(entry, {}, locales, depth + 1) || prompt;
  }
  if (Array.isArray(prompt)) {
    for (const piece of prompt.slice(0, 5)) {
      const words = firstWords(piece, table, locales, depth + 1);
      if (words !== '') return words;
    }
    return '';
  }
  if (!isObject(prompt)) return String(prompt);
  for (const key of ['text', 'audio', 'ssml', 'prompt']) {
    if (typeof prompt[key] === 'string') return firstWords(prompt[key], {}, locales, depth + 1);
  }
  const spoken = locales.find((locale) => Object.hasOwn(prompt, locale));
  const [first] = Object.values(prompt);
  return firstWords(spoken === undefined ? first : prompt[spoken], {}, locales, depth + 1);
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Verbs with one main argument. */
const MAIN_ARGUMENT: Readonly<Record<string, readonly string[]>> = {
  notify: ['event'],
  assistant: ['agent'],
  message: ['text'],
  subflow: ['flow'],
  for_each: ['flow', 'list'],
  continue: ['flow'],
  hangup: ['cause'],
  reject: ['reason', 'status'],
  return: ['outcome'],
  queue: ['name'],
  check_queue: ['name'],
  serve: ['queue'],
  conference: ['name'],
  join_room: ['room_id'],
  pause: ['duration'],
  log: ['message'],
  send_digits: ['digits'],
  recording: ['action'],
  stream: ['action'],
  transcribe: ['action'],
  do_not_call: ['number'],
  webhook: ['url'],
  pay: ['description'],
  todo: ['what'],
  bridge: ['to'],
  transfer: ['to'],
  wait_for: ['events'],
};

/** `raw` contains the arguments as written, `args` their long form. */
export function aboutOf(verb: string, raw: Json, args: JsonObject, words: WordsOf): string {
  const method = METHODS.find((name) => args[name] !== undefined);
  if (verb === 'request' && method !== undefined) return `${method.toUpperCase()} ${flatWords(args[method])}`.trim();
  if (verb === 'play') return words(args['prompt'] ?? raw);
  if (verb === 'set') return Object.keys(args).join(', ');
  if (verb === 'schedule') return typeof raw === 'string' ? raw : flatWords(args['timezone']);
  if (verb === 'repeat') return args['times'] === undefined ? '' : `${flatWords(args['times'])} times`;
  if (verb === 'split')
    return Object.entries(isObject(args['arms']) ? args['arms'] : {})
      .map((arm) => arm.map(flatWords).join(' '))
      .join(', ');
  if (verb === 'parallel') return Object.keys(isObject(args['branches']) ? args['branches'] : {}).join(' + ');
  const main = Object.hasOwn(MAIN_ARGUMENT, verb) ? MAIN_ARGUMENT[verb]! : [];
  const named = main.map((key) => flatWords(args[key])).find((text) => text !== '');
  return named ?? (main.length > 0 && typeof raw === 'string' ? raw : words(args['prompt']));
}

/** Short text for any value. */
function flatWords(value: Json | undefined, depth = 0): string {
  if (value === undefined || value === null || depth > MAX_NESTING) return '';
  if (Array.isArray(value))
    return value
      .slice(0, 6)
      .map((item) => flatWords(item, depth + 1))
      .filter(Boolean)
      .join(', ')
      .slice(0, MAX_WORDS);
  if (isObject(value)) return flatWords(Object.values(value)[0], depth + 1);
  return String(value).slice(0, MAX_WORDS);
}

/** Keys of a choice, or of an argument that accepts keys: `1`, or `1 2`. */
export function keysOf(written: Json | undefined): string {
  const keys = isObject(written) ? written['dtmf'] : written;
  return (Array.isArray(keys) ? keys : [keys])
    .filter((key) => typeof key === 'string' || typeof key === 'number')
    .join(' ')
    .slice(0, 12);
}

const DEFAULT_ATTEMPTS = 3;

export function badgesOf(verb: string, args: JsonObject, step: JsonObject): string[] {
  const badges: string[] = [];
  const say = (text: string | undefined): void => {
    if (text !== undefined) badges.push(text.slice(0, 24));
  };
  if (verb === 'menu' || verb === 'collect') say(counted(args['attempts'] ?? DEFAULT_ATTEMPTS, 'try', 'tries'));
  if (verb === 'collect') say(digitsBadge(args['digits']));
  if (isObject(args['retry']) && args['retry']['times'] !== undefined)
    say(`retry ${flatWords(args['retry']['times'])}×`);
  if (typeof args['timeout'] === 'string') say(args['timeout']);
  if (typeof args['ring_timeout'] === 'string') say(`rings ${args['ring_timeout']}`);
  if (typeof args['max_length'] === 'string') say(`≤ ${args['max_length']}`);
  if (hearsSpeech(verb, args)) say('speech');
  if (isObject(args['confirm']) || args['confirm'] === true) say('confirmed');
  if (verb === 'parallel' && args['until'] !== undefined) say(`until ${flatWords(args['until'])}`);
  if (step['max_visits'] !== undefined && step['max_visits'] !== null)
    say(`≤ ${counted(step['max_visits'], 'visit', 'visits')}`);
  return badges;
}

const counted = (count: Json, one: string, many: string): string => `${flatWords(count)} ${count === 1 ? one : many}`;

function digitsBadge(digits: Json | undefined): string | undefined {
  if (typeof digits === 'number') return counted(digits, 'digit', 'digits');
  if (!isObject(digits)) return undefined;
  if (digits['length'] !== undefined) return counted(digits['length'], 'digit', 'digits');
  if (digits['max'] !== undefined) return `${flatWords(digits['min'] ?? 1)}–${flatWords(digits['max'])} digits`;
  return undefined;
}

function hearsSpeech(verb: string, args: JsonObject): boolean {
  if (verb !== 'menu' && verb !== 'collect') return false;
  const choices = isObject(args['choices']) ? Object.values(args['choices']) : [];
  return (
    args['speech'] !== undefined ||
    args['phrases'] !== undefined ||
    choices.some((choice) => isObject(choice) && choice['say'] !== undefined)
  );
}
