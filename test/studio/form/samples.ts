/** A step for each verb, and a value for each of its keys, from the schemas. */
import { isObject, type Json, type JsonObject } from '../../../src/base/core/json.ts';
import { readSchema } from '../../../src/base/schema/schema-files.ts';
import { longForm, stepSchema, verbSchemas } from '../../../src/base/schema/schema-forms.ts';
import { languageOf } from '../../../src/language/flow/language.ts';
import { verbs } from '../../../src/verbs/steps.ts';

export const language = languageOf(verbs);

const definitions = readSchema('components')['$defs'] as JsonObject;
const ofFlow = readSchema('flow')['$defs'] as JsonObject;

/** Values for keys whose pattern or meaning differs from that of the same key elsewhere. */
const SPECIAL: Readonly<Record<string, Json>> = {
  'assistant.keys': false,
  'call.allow': ['+33'],
  'call.at': '2026-12-25T10:00:00Z',
  'for_each.list': ['one', 'two'],
  'menu.each': ['one', 'two'],
  'join_room.mute_key': '*6',
  'join_room.hand_key': '*7',
  'join_room.leave_key': '*8',
  'send_digits.digits': '12',
  'stream.url': 'wss://shop.example/sound',
};

/** Keys that exclude this one. */
const PROMPTS = ['prompt'];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const ASKED = ['digits', 'speech'];
const RIVALS: Readonly<Record<string, readonly string[]>> = {
  ...{
    'call.in': ['at'],
    'reject.status': ['reason'],
    'pay.tokenize': ['amount', 'currency'],
    'request.form': ['body'],
  },
  ...Object.fromEntries(['text', 'ssml', 'audio', 'silence', 'tone'].map((key) => [`play.${key}`, PROMPTS])),
  ...Object.fromEntries(METHODS.map((key) => [`request.${key}`, METHODS])),
  ...Object.fromEntries(['date', 'time', 'amount', 'code'].map((key) => [`collect.${key}`, ASKED])),
};

/** A key that must be there, too. */
const BESIDE: Readonly<Record<string, string>> = { 'menu.phrases': 'each', 'menu.say_page': 'each' };

/** Values for patterns, by the definition or the key that has one. */
const WORDS: Readonly<Record<string, Json>> = {
  duration: '6s',
  digit: '5',
  terminator: '#',
  keys: '42',
  voiceName: 'male',
  locale: 'fr',
  stepName: 'bye',
  newOutcome: 'sold',
  timezone: 'Europe/Paris',
  timeOfDay: '09:00',
  days: 'mon-fri',
  date: '2026-12-25',
  party: 'sip:ann@example.com',
  line: '+33123456789',
  url: 'https://shop.example/orders',
  promptWord: 'Good morning to you.',
  ssml: '<speak>Hello.</speak>',
  currency: 'EUR',
  accept: '5',
  retry: '5',
  send_digits: '12',
  pattern: '^[0-9]+$',
  flow: 'other',
  status: 486,
  earliest: '09:00',
  latest: '10:00',
  basic: { username: 'ann', password: 'secret' },
};

export function sampleOf(schema: JsonObject, name: string): Json {
  const { $ref: ref, type, minimum, maximum, items, properties, required, propertyNames } = schema;
  if (typeof ref === 'string') {
    const found = ref.split('/').at(-1)!;
    return WORDS[found] ?? sampleOf((definitions[found] ?? ofFlow[found]) as JsonObject, found);
  }
  if (schema['const'] !== undefined) return schema['const'] as Json;
  if (Array.isArray(schema['enum'])) return (schema['enum'] as Json[]).find((word) => word !== schema['default'])!;
  if (WORDS[name] !== undefined && type !== 'object') return WORDS[name]!;
  if (Array.isArray(schema['anyOf'])) return sampleOf(schema['anyOf'][0] as JsonObject, name);
  switch ([type].flat()[0]) {
    case 'boolean':
      return schema['default'] !== true;
    case 'integer':
    case 'number':
      return Math.min(Math.max(Number(minimum ?? 2), 2), Number(maximum ?? 2));
    case 'array':
      return [sampleOf((items ?? { type: 'string' }) as JsonObject, name)];
    case 'object': {
      const known = (properties ?? {}) as JsonObject;
      const needed = Array.isArray(required) ? required.map(String) : Object.keys(known).slice(0, 1);
      if (needed.length > 0) {
        return Object.fromEntries(needed.map((key) => [key, sampleOf(known[key] as JsonObject, key)]));
      }
      const inner = schema['additionalProperties'];
      const key = isObject(propertyNames) && String(propertyNames['pattern']).includes('a-z]+(-') ? 'a-code' : 'sample';
      return { [key]: isObject(inner) ? sampleOf(inner, 'inner') : 'value' };
    }
    default:
      return 'sample';
  }
}

export interface Argument {
  verb: string;
  key: string;
  /** Path below the step. */
  path: string[];
  sample: Json;
  /** The step without the key. */
  step: JsonObject;
}

const branches = (schema: JsonObject): JsonObject[] => [schema, ...((schema['anyOf'] ?? []) as JsonObject[])];

/** Every key that the schema of a verb has, and the common keys of steps. */
export function argumentsOf(verb: string): Argument[] {
  const schema = verbSchemas.get(verb)!;
  const keys = branches(schema).flatMap(({ properties }) => Object.entries((properties ?? {}) as JsonObject));
  return keys.map(([key, property]): Argument => {
    const place = `${verb}.${key}`;
    const gone = [key, ...(RIVALS[place] ?? [])];
    const base = exampleOf(verb, BESIDE[place] ?? key);
    const args = Object.entries(base[verb] as JsonObject).filter(([name]) => !gone.includes(name));
    const sample = SPECIAL[place] ?? sampleOf(property as JsonObject, key);
    return { verb, key, path: [verb, key], sample, step: { ...base, [verb]: Object.fromEntries(args) } };
  });
}

export const commonArguments = (): Argument[] =>
  Object.entries(stepSchema['properties'] as JsonObject)
    .filter(([key]) => key !== 'exits' && key !== 'next')
    .map(([key, property]) => ({
      verb: 'hangup',
      key,
      path: [key],
      sample: key === 'set' ? { sample: 1 } : sampleOf(property as JsonObject, key),
      step: { hangup: { cause: 'busy' } },
    }));

/** An example of the schema with its arguments in long form: the first with the key, or else the first. */
export function exampleOf(verb: string, key?: string): JsonObject {
  const examples = (verbSchemas.get(verb)!['examples'] as JsonObject[]).map(
    (example): JsonObject => ({ ...example, [verb]: longForm(verb, example[verb]!) }),
  );
  return examples.find((example) => key !== undefined && Object.hasOwn(Object(example[verb]), key)) ?? examples[0]!;
}

/** A flow with this step first, and with every step that it names. */
export function flowOf(step: JsonObject): JsonObject {
  const named = [...JSON.stringify(step).matchAll(/"(?:next|do|else)":"([^"]+)"/g)].map(([, name]) => name!);
  const targets = new Set([...named, ...Object.values(Object(step['exits']) as Record<string, string>), 'bye']);
  for (const known of ['first', '$end']) targets.delete(known);
  const others = [...targets].map((name): [string, Json] => [name, { hangup: 'normal' }]);
  return {
    flow: 'a',
    defaults: { exits: { error: 'bye' } },
    start: 'first',
    steps: { first: step, ...Object.fromEntries(others) },
  };
}
