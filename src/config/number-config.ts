/** Reads the sections `numbers`, `rooms` and `prompts`: the destinations of callers, and their greetings. */
import { defined, type Json, type JsonObject, mapValues } from '../base/core/json.ts';
import { childPointer } from '../base/schema/document.ts';
import { checkArguments } from '../base/schema/validate.ts';
import type { Room } from '../service/calls/conferences/room-phones.ts';
import { normalizeNumber, type ProvisionedNumber } from '../service/calls/numbers/numbers.ts';
import type { NamedPrompt, NamedPrompts } from '../service/calls/prompts/prompts.ts';
import { type ConfigContext, camelCased, type WrittenSecret } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

/** Without a project, the object belongs to the first project, or to the one created at the first start. */
type Unassigned<Owned extends { projectId: string }> = Omit<Owned, 'projectId'> & Partial<Pick<Owned, 'projectId'>>;
export type NumberConfig = Readonly<Unassigned<ProvisionedNumber>>;
export type RoomConfig = Readonly<Unassigned<Room>>;

type NumberEntry = ConfigFile['numbers'][number];

const MIN_PIN_LENGTH = 6;

export function readNumbers(
  entries: readonly NumberEntry[],
  prompts: NamedPrompts,
  context: ConfigContext,
): NumberConfig[] {
  const numbers = entries.map((entry, index) => readNumber(entry, `/numbers/${index}`, prompts, context));
  const names = numbers.map(({ number }) => normalizeNumber(number));
  const shared = new Set(names.filter((_, index) => entries[index]!.pin !== undefined));
  const unshared = names.map((name, index) => (shared.has(name) ? `entry ${index}` : name));
  context.refuseDuplicates('/numbers/*/number', unshared, 'number');
  const pins = numbers.map(({ pin }, index) => (pin ? `${names[index]} ${pin}` : `entry ${index}`));
  context.refuseDuplicates('/numbers/*/pin', pins, 'pin of the number');
  for (const [index, name] of names.entries()) {
    if (!shared.has(name) || entries[index]!.pin !== undefined) continue;
    const message = 'another entry with this number has a `pin`: this entry needs one, too';
    context.report('wrong-keys', message, `/numbers/${index}/number`, 'set a different pin in each entry');
  }
  return numbers;
}

/** Keys that require another key. */
const NEEDED: readonly [key: keyof NumberEntry, needs: keyof NumberEntry, message: string][] = [
  ['input', 'flow', '`input` requires `flow`'],
  ['pin_allow_short', 'pin', '`pin_allow_short` requires `pin`'],
  ['greeting_heard', 'greeting', '`greeting_heard` requires `greeting`'],
];

function readNumber(entry: NumberEntry, pointer: string, prompts: NamedPrompts, context: ConfigContext): NumberConfig {
  const { number, project, greeting, outbound_greeting: outbound, pin, pin_allow_short: allowsShort, ...rest } = entry;
  context.checkProject(project, pointer);
  for (const key of ['greeting', 'auto_accept'] as const) {
    if (entry.flow === undefined || entry[key] === undefined) continue;
    const message = `${key} requires a number without a flow`;
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

/** A PIN consists of digits, because callers enter it on a keypad; it may be written as a secret. */
function readPin(written: WrittenSecret, pointer: string, allowsShort: boolean, context: ConfigContext): string {
  const pin = context.secret(written, pointer);
  if (pin === '') return pin;
  if (!/^[0-9]{4,12}$/.test(pin)) {
    const message = `\`pin\` must have ${allowsShort ? 4 : MIN_PIN_LENGTH} to 12 digits`;
    context.report('wrong-value', message, pointer, 'such as "471108", in quotes');
  } else if (pin.length < MIN_PIN_LENGTH && !allowsShort) {
    const hint = 'use a longer one, or add pin_allow_short: true';
    const message = `\`pin\` must have ${MIN_PIN_LENGTH} to 12 digits: shorter ones are easy to guess`;
    context.report('weak-pin', message, pointer, hint);
  }
  return pin;
}

/** A name of `prompts`, a text, or a prompt in the form of flows. */
function readGreeting(written: Json, pointer: string, prompts: NamedPrompts, context: ConfigContext): Json {
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

export function readRooms(rooms: ConfigFile['rooms'], context: ConfigContext): RoomConfig[] {
  const ids = rooms.map(({ project = '', room_id: id }) => `${project} ${id}`);
  context.refuseDuplicates('/rooms/*/room_id', ids, 'room');
  return rooms.map(({ project, room_id: roomId, name = roomId, pin }, index) => {
    context.checkProject(project, `/rooms/${index}`);
    const secret = context.optionalSecret(pin, `/rooms/${index}/pin`);
    return defined<RoomConfig>({ roomId, name, pin: secret, projectId: project });
  });
}

export function readPrompts(prompts: ConfigFile['prompts'], context: ConfigContext): NamedPrompts {
  return mapValues(prompts, (prompt, name): Record<string, NamedPrompt> => {
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

function readPrompt(prompt: NamedPrompt, pointer: string, context: ConfigContext): NamedPrompt {
  const { file } = prompt;
  return file === undefined ? prompt : { ...prompt, file: context.existingFile(file, childPointer(pointer, 'file')) };
}
