/** Explains errors of the YAML parser to authors. */
import type { YAMLError } from 'yaml';

const YAML_HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BLOCK_AS_IMPLICIT_KEY: 'check the indentation, or quote a text that holds ": "',
  BAD_SCALAR_START: 'write the value in quotes',
  BLOCK_IN_FLOW: 'inside { … } a text that holds ": " or ends with ":" needs quotes',
  UNEXPECTED_TOKEN: 'a comma may be missing before it, or quotes around a text',
  MISSING_CHAR: 'a bracket or a quote is not closed, or a comma is missing',
  BAD_INDENT: 'compare the indentation of this line with the lines before',
  MULTILINE_IMPLICIT_KEY: 'a quote or a bracket may not be closed',
};

interface Explanation {
  code: string;
  message: string;
  offset: number;
  hint?: string | undefined;
}

/** Converts an error of the parser to a message for authors. */
export function explainParseError(text: string, { code, message, pos: [offset] }: YAMLError): Explanation {
  if (code === 'BAD_ALIAS') {
    return { code: 'yaml-alias', message: 'a * starts an alias', offset, hint: 'write "*" in quotes' };
  }
  if (code === 'TAG_RESOLVE_FAILED') {
    const problem = 'a ! starts a tag, which means nothing here';
    return { code: 'yaml-tag', message: problem, offset, hint: 'quote the value' };
  }
  const swallowed = /Flow (map|sequence)/.test(message) ? swallowingComment(text, offset) : undefined;
  if (swallowed !== undefined) {
    const problem = 'the # starts a comment, which swallows the rest of the line';
    return { code: 'yaml-comment', message: problem, offset: swallowed, hint: 'write "#" in quotes' };
  }
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = text.indexOf('\n', offset);
  const holdsExpression = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd).includes('${');
  const quoteAll =
    'put the whole value that holds ${ … } in quotes, and use single quotes inside: "${ vars.x = \'a\' }"';
  return { code: 'yaml-syntax', message, offset, hint: holdsExpression ? quoteAll : YAML_HINTS[code] };
}

/** The ` #` in the lines just before `offset` that turned a closing bracket into a comment. */
function swallowingComment(text: string, offset: number): number | undefined {
  let end = offset;
  for (let back = 0; back < 5 && end > 0; back += 1) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const found = /[ \t](#[^\n]*[\]}])/.exec(text.slice(start, end));
    if (found) return start + found.index + 1;
    end = start - 1;
  }
  return undefined;
}
