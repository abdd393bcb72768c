/**
 * Translates conditions of the Split Based On widget to JSONata. They ignore case and surrounding white space.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { quotedText } from './jsonata-text.ts';
import { liquidExpression, type ResolveName } from './liquid.ts';
import { passOver } from './source-views.ts';

type Condition = { expression: string } | { problem: string };

const HAS_TEMPLATE = /\{[{%]/;
/** Digits have neither case nor white space, so they need no normalisation. */
const plain = (expression: string): string =>
  /^steps\.\w+\.digits$/.test(expression) ? expression : `$lowercase($trim($string(${expression})))`;

export function caseOf(condition: JsonObject, input: string, names: ResolveName): Condition {
  const { type, value, arguments: own } = condition;
  // A name for readers.
  passOver(condition, ['friendly_name']);
  const text = String(value ?? '');
  const tested = testedOf(own, input, names);
  if ('problem' in tested) return tested;
  const left = plain(tested.expression);
  const given = HAS_TEMPLATE.test(text)
    ? liquidExpression(text, names)
    : { expression: quotedText(text.trim().toLowerCase()) };
  if ('problem' in given) return given;
  const right = HAS_TEMPLATE.test(text) ? plain(given.expression) : given.expression;
  const oneOf = text.split(',').map((one) => quotedText(one.trim().toLowerCase()));
  const template = HAS_TEMPLATE.test(text) ? given.expression : undefined;
  const made = CONDITIONS[String(type)]?.({ left, right, oneOf, text, value: tested.expression, given: template });
  return made === undefined
    ? { problem: `the condition ${String(type).slice(0, 40)} has no counterpart` }
    : { expression: made };
}

/** Value that a condition tests: its own argument, or else the input of the widget. */
function testedOf(own: Json | undefined, input: string, names: ResolveName): Condition {
  const [written] = Array.isArray(own) ? own : [];
  return typeof written === 'string' && written !== '' ? liquidExpression(written, names) : { expression: input };
}

interface Sides {
  left: string;
  right: string;
  oneOf: readonly string[];
  /** The argument, as text. */
  text: string;
  /** The tested value, without normalisation. */
  value: string;
  /** The argument as an expression, if it is a template. */
  given?: string | undefined;
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Compares numbers. A value that is not a number is neither less nor greater. */
const compare =
  (sign: string) =>
  ({ value, text, given }: Sides): string | undefined => {
    if (isNumber(text)) return `(${isNumeric(value)} and ${numberIn(value)} ${sign} ${Number(text)})`;
    if (given === undefined) return undefined;
    return `(${isNumeric(value)} and ${isNumeric(given)} and ${numberIn(value)} ${sign} ${numberIn(given)})`;
  };

const isNumeric = (expression: string): string => `$match($string(${expression}), /^\\s*-?\\d+(\\.\\d+)?\\s*$/)`;
const numberIn = (expression: string): string => `$number($trim($string(${expression})))`;

/** Uses UTC, because the source does not contain the time zone of its account. */
const clock =
  (sign: string) =>
  ({ text }: Sides): string | undefined =>
    /^\d{2}:\d{2}$/.test(text.trim()) ? `$now('[H01]:[m01]') ${sign} ${quotedText(text.trim())}` : undefined;

const CONDITIONS: Readonly<Record<string, (sides: Sides) => string | undefined>> = {
  equal_to: ({ left, right }) => `${left} = ${right}`,
  not_equal_to: ({ left, right }) => `$not(${left} = ${right})`,
  matches_any_of: ({ left, oneOf }) => `${left} in [${oneOf.join(', ')}]`,
  does_not_match_any_of: ({ left, oneOf }) => `$not(${left} in [${oneOf.join(', ')}])`,
  is_blank: ({ left }) => `${left} = ''`,
  is_not_blank: ({ left }) => `$not(${left} = '')`,
  contains: ({ left, right }) => `$contains(${left}, ${right})`,
  does_not_contain: ({ left, right }) => `$not($contains(${left}, ${right}))`,
  starts_with: ({ left, right, text }) =>
    HAS_TEMPLATE.test(text) ? undefined : `$substring(${left}, 0, ${text.trim().length}) = ${right}`,
  less_than: compare('<'),
  greater_than: compare('>'),
  is_before_time: clock('<'),
  is_after_time: clock('>'),
  regex: ({ value, text }) => regexOf(text, value),
};

/** Pattern as a JSONata literal. `check` rejects patterns that could backtrack too long. */
function regexOf(text: string, value: string): string | undefined {
  if (text === '' || HAS_TEMPLATE.test(text)) return undefined;
  try {
    new RegExp(text);
  } catch {
    return undefined;
  }
  return `$count($match($string(${value}), /${text.replaceAll(/(?<!\\)\//g, '\\/')}/)) > 0`;
}
