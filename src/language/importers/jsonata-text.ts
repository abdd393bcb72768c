/**
 * Builds the text of JSONata expressions and templates. Used by `liquid.ts` and by importers with their own
 * expressions.
 */
import { textOf } from './flow-writer.ts';

export type TemplatePart = { text: string } | { expression: string };

/** Text as a literal. JSONata only supports the escapes of JSON. */
export const quotedText = (text: string): string =>
  /^[^'\\\p{Cc}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text);

/**
 * Expression for `${NAME}`, which a tool such as Terraform fills in when it deploys a flow: `env.NAME`. Undefined for
 * other texts.
 */
export const deployedName = (written: string): string | undefined => {
  const name = /^\$\{([A-Za-z_]\w*)\}$/.exec(written)?.[1];
  return name === undefined ? undefined : `env.${name}`;
};

/** Joins parts to one text with `${ … }`. */
export const textOfTemplate = (parts: readonly TemplatePart[]): string =>
  parts.map((part) => ('text' in part ? textOf(part.text) : `\${ ${part.expression} }`)).join('');

/** Path below an expression. Names that are not identifiers are quoted; numbers are list indexes. */
export function pathBelow(start: string, path: readonly string[]): string {
  return path.reduce((above, name) => {
    if (/^\d+$/.test(name)) return `${above}[${name}]`;
    return `${above}.${/^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.includes(name) ? name : `\`${name.replaceAll('`', '')}\``}`;
  }, start);
}

const KEYWORDS = ['and', 'or', 'in', 'true', 'false', 'null', 'function'];
