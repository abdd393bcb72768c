/** Writes values in the style of the text around them: JSON or YAML, its quotes, spaces, indentation and line ends. */
import { isObject, type Json } from '../../../base/core/json.ts';

export interface YamlStyle {
  isJson: boolean;
  newline: string;
  /** One level of indentation. */
  indent: string;
  /** Spaces inside the braces of a map in one line. */
  padding: string;
  colon: string;
  comma: string;
  quote: Quote;
}

export type Quote = 'plain' | 'single' | 'double';

export function mannerOf(text: string): YamlStyle {
  const isJson = /^\ufeff?\s*\{/.test(text) && /^\ufeff?\s*\{\s*"/.test(text);
  const isTight = isJson && /":\S/.test(text) && !/":\s/.test(text);
  const indented = /^([ \t]+)\S/m.exec(text.replaceAll(/^[ \t]*#.*$/gm, ''))?.[1];
  return {
    isJson,
    newline: /\r?\n/.exec(text)?.[0] ?? '\n',
    indent: indented ?? '  ',
    padding: isTight || /[:,-] \{[^\s{}]/.test(text) ? '' : ' ',
    colon: isTight ? ':' : ': ',
    comma: isTight ? ',' : ', ',
    quote: isJson ? 'double' : 'plain',
  };
}

/** Words that some YAML parsers read as another type; `src/base/schema` refuses them without quotes. */
const NOT_PLAIN = /^(?:true|false|null|yes|no|on|off|y|n|~|\.inf|\.nan|nan|inf)$/i;
const PLAIN_NAME = /^(?:[\p{L}_$][\p{L}\p{M}\p{N}_.$/@-]*|(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$/u;
const PLAIN_TEXT = /^[A-Za-z](?:[\p{L}\p{N} _.'!?()/;+*=$€-]|,(?= ))*[\p{L}\p{N}_.'!?)]$/u;

/** `inFlow`: inside braces or brackets, where a comma ends a value. */
export function writeText(value: string, quote: Quote, inFlow: boolean): string {
  const isPlain =
    quote === 'plain' &&
    !NOT_PLAIN.test(value) &&
    (PLAIN_NAME.test(value) || (PLAIN_TEXT.test(value) && !(inFlow && value.includes(','))));
  if (isPlain) return value;
  if (quote === 'single' && /^[^\n\r\t\p{Cc}]*$/u.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return JSON.stringify(value);
}

export function writeKey(key: string, { quote }: YamlStyle): string {
  return /^\d+$/.test(key) && quote === 'plain' ? `"${key}"` : writeText(key, quote, true);
}

/** Writes a value in one line, with braces and brackets. */
export function writeInline(value: Json, manner: YamlStyle): string {
  if (typeof value === 'string') return writeText(value, manner.quote, true);
  if (Array.isArray(value)) return `[${value.map((item) => writeInline(item, manner)).join(manner.comma)}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => writePair(key, member, manner));
  if (members.length === 0) return '{}';
  return `{${manner.padding}${members.join(manner.comma)}${manner.padding}}`;
}

export const writePair = (key: string, value: Json, manner: YamlStyle): string =>
  `${writeKey(key, manner)}${manner.colon}${writeInline(value, manner)}`;

/** Writes a pair over several lines; `indent` is that of its key, whose line has already begun. */
export function writeBlockPair(key: string, value: Json, indent: string, manner: YamlStyle): string {
  if (!isObject(value) || Object.keys(value).length === 0)
    return `${writeKey(key, manner)}: ${writeAtLineEnd(value, manner)}`;
  const inner = indent + manner.indent;
  const lines = Object.entries(value).map(([name, member]) => {
    const isShort = !isObject(member) || Object.values(member).every((part) => typeof part !== 'object');
    return `${inner}${isShort ? `${writeKey(name, manner)}: ${writeAtLineEnd(member, manner)}` : writeBlockPair(name, member, inner, manner)}`;
  });
  return [`${writeKey(key, manner)}:`, ...lines].join(manner.newline);
}

/** Text at the end of a line may contain commas. */
export const writeAtLineEnd = (value: Json, manner: YamlStyle): string =>
  typeof value === 'string' ? writeText(value, manner.quote, false) : writeInline(value, manner);
