/** Parts of JSONata and of templates, as texts. Neighbours: `liquid.ts` and the importers with expressions of their own. */
import { textOf } from './flow-writer.ts';

export type TemplatePart = { text: string } | { expression: string };

/** A text as a literal; JSONata knows the escapes of JSON only. */
export const quotedText = (text: string): string =>
  /^[^'\\\p{Cc}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text);

/** The parts as one text with `${ … }` in it. */
export const textOfTemplate = (parts: readonly TemplatePart[]): string =>
  parts.map((part) => ('text' in part ? textOf(part.text) : `\${ ${part.expression} }`)).join('');

/** A path below something: names that are not plain words are quoted, numbers are places in a list. */
export function pathBelow(start: string, path: readonly string[]): string {
  return path.reduce((above, name) => {
    if (/^\d+$/.test(name)) return `${above}[${name}]`;
    return `${above}.${/^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.includes(name) ? name : `\`${name.replaceAll('`', '')}\``}`;
  }, start);
}

const KEYWORDS = ['and', 'or', 'in', 'true', 'false', 'null', 'function'];
