/** The sections `numbers`, `rooms` and `prompts`: what callers reach, and what they hear first. */
import { normalizeNumber } from '../calls/numbers.ts';
import { defined, type Json, type JsonObject, mapValues } from '../core/json.ts';
import type { Voice } from '../core/leg.ts';
import { childPointer } from '../schema/document.ts';
import { checkArguments } from '../schema/validate.ts';
import { type ConfigContext, camelCased, type WrittenSecret } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';
import { checkProject, type ProjectConfig } from './project-config.ts';

export interface NumberConfig {
  readonly number: string;
  /** The first project, or the one made at the first start, when absent. */
  readonly projectId?: string;
  readonly flow?: string;
  readonly input?: JsonObject;
  readonly webhook?: string;
  readonly greeting?: Json;
  readonly greetingHeard?: 'before_accept' | 'after_connect';
  readonly outboundGreeting?: Json;
  readonly autoAccept?: boolean;
  /** Several entries share the number, each with its own. */
  readonly pin?: string;
}

export interface RoomConfig {
  readonly roomId: string;
  readonly name: string;
  readonly pin?: string;
  /** The first project, or the one made at the first start, when absent. */
  readonly projectId?: string;
}

export interface PromptConfig {
  readonly file?: string;
  readonly text?: string;
  readonly voice?: Voice;
  readonly language?: string;
}

/** By name, then by language, or `default`. */
export type PromptsConfig = Readonly<Record<string, Readonly<Record<string, PromptConfig>>>>;

type NumberEntry = ConfigFile['numbers'][number];

const MIN_PIN_LENGTH = 6;

export function readNumbers(
  entries: readonly NumberEntry[],
  projects: readonly ProjectConfig[],
  prompts: PromptsConfig,
  context: ConfigContext,
): NumberConfig[] {
  const numbers = entries.map((entry, index) => readNumber(entry, `/numbers/${index}`, projects, prompts, context));
  const names = numbers.map(({ number }) => normalizeNumber(number));
  const shared = new Set(names.filter((_, index) => entries[index]!.pin !== undefined));
  context.refuseDuplicates(
    names.map((name, index) => (shared.has(name) ? `entry ${index}` : name)),
    (index) => `/numbers/${index}/number`,
    'number',
  );
  context.refuseDuplicates(
    numbers.map(({ pin }, index) => (pin ? `${names[index]} ${pin}` : `entry ${index}`)),
    (index) => `/numbers/${index}/pin`,
    'pin of the number',
  );
  for (const [index, name] of names.entries()) {
    if (!shared.has(name) || entries[index]!.pin !== undefined) continue;
    const message = 'another entry shares this number by a pin, and this one has none';
    context.report('wrong-keys', message, `/numbers/${index}/number`, 'give each of them a pin of its own');
  }
  return numbers;
}

/** Keys that make sense beside another one only. */
const NEEDED: readonly [key: keyof NumberEntry, needs: keyof NumberEntry, message: string][] = [
  ['input', 'flow', 'input is for a flow, and there is none'],
  ['pin_allow_short', 'pin', 'pin_allow_short is for a pin, and there is none'],
  ['greeting_heard', 'greeting', 'greeting_heard is for a greeting, and there is none'],
];

function readNumber(
  entry: NumberEntry,
  pointer: string,
  projects: readonly ProjectConfig[],
  prompts: PromptsConfig,
  context: ConfigContext,
): NumberConfig {
  const { number, project, greeting, outbound_greeting: outbound, pin, pin_allow_short: allowsShort, ...rest } = entry;
  checkProject(project, pointer, projects, context);
  for (const key of ['greeting', 'auto_accept'] as const) {
    if (entry.flow === undefined || entry[key] === undefined) continue;
    const message = `${key} is for numbers without a flow: what callers hear is the flow's business`;
    context.report('wrong-keys', message, childPointer(pointer, key));
  }
  for (const [key, needs, message] of NEEDED) {
    if (entry[key] === undefined || entry[needs] !== undefined) continue;
    context.report('wrong-keys', message, childPointer(pointer, key));
  }
  const prompt = (written: Json | undefined, key: string): Json | undefined =>
    written === undefined ? undefined : readGreeting(written, childPointer(pointer, key), prompts, context);
  return defined<NumberConfig>({
    ...camelCased(rest),
    number: number.trim(),
    projectId: project,
    greeting: prompt(greeting, 'greeting'),
    outboundGreeting: prompt(outbound, 'outbound_greeting'),
    pin: pin === undefined ? undefined : readPin(pin, childPointer(pointer, 'pin'), allowsShort === true, context),
  });
}

/** Callers enter it, so it is digits, wherever it is written. */
function readPin(written: WrittenSecret, pointer: string, allowsShort: boolean, context: ConfigContext): string {
  const pin = context.secret(written, pointer);
  if (pin === '') return pin;
  if (!/^[0-9]{4,12}$/.test(pin)) {
    const message = `the pin of a number has ${allowsShort ? 4 : MIN_PIN_LENGTH} to 12 digits`;
    context.report('wrong-value', message, pointer, 'such as "471108", in quotes');
  } else if (pin.length < MIN_PIN_LENGTH && !allowsShort) {
    const hint = 'make it longer, or write pin_allow_short: true beside it';
    const message = `the pin of a number has ${MIN_PIN_LENGTH} to 12 digits: a shorter one is soon guessed`;
    context.report('weak-pin', message, pointer, hint);
  }
  return pin;
}

/** A name of `prompts`, a text, or a prompt as flows write it. */
function readGreeting(written: Json, pointer: string, prompts: PromptsConfig, context: ConfigContext): Json {
  if (typeof written === 'string') {
    const named = Object.hasOwn(prompts, written) ? Object.values(prompts[written]!)[0] : undefined;
    if (!named) return { text: written };
    const { file, text = '', voice, language } = named;
    return file === undefined ? defined<JsonObject>({ text, voice, language }) : { audio: file };
  }
  const wrong = checkArguments({ verb: 'play' }, { prompt: written });
  if (wrong !== undefined) context.report('wrong-value', wrong, pointer);
  return written;
}

export function readRooms(
  rooms: ConfigFile['rooms'],
  projects: readonly ProjectConfig[],
  context: ConfigContext,
): RoomConfig[] {
  context.refuseDuplicates(
    rooms.map(({ project = '', room_id: id }) => `${project} ${id}`),
    (index) => `/rooms/${index}/room_id`,
    'room',
  );
  return rooms.map(({ project, room_id: roomId, name = roomId, pin }, index) => {
    checkProject(project, `/rooms/${index}`, projects, context);
    const secret = context.optionalSecret(pin, `/rooms/${index}/pin`);
    return defined<RoomConfig>({ roomId, name, pin: secret, projectId: project });
  });
}

export function readPrompts(prompts: ConfigFile['prompts'], context: ConfigContext): PromptsConfig {
  return mapValues(prompts, (prompt, name): Record<string, PromptConfig> => {
    const pointer = childPointer('/prompts', name);
    if (typeof prompt === 'string') return { default: { text: prompt } };
    const { languages, ...only } = prompt;
    if (!languages) return { default: readPrompt(only, pointer, context) };
    return mapValues(languages, (each, language) => {
      const at = childPointer(childPointer(pointer, 'languages'), language);
      return { ...readPrompt(each, at, context), language };
    });
  });
}

function readPrompt(prompt: PromptConfig, pointer: string, context: ConfigContext): PromptConfig {
  const { file } = prompt;
  return file === undefined ? prompt : { ...prompt, file: context.existingFile(file, childPointer(pointer, 'file')) };
}
