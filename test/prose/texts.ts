/** The prose of a file: comments, messages, test titles and labels of sources, pages in Markdown, descriptions of schemas. */
import type { Kind } from './rules.ts';
import { type Literal, scanSource } from './scan-source.ts';

export interface Text {
  kind: Kind;
  line: number;
  text: string;
}

export function textsOf(file: string, content: string): Text[] {
  if (/\.tsx?$/.test(file)) return textsOfSource(file, content);
  if (file.endsWith('.md')) return textsOfPage(content);
  return textsOfSchema(content);
}

const TITLE = /\b(describe|it|test)(?:\.\w+(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*$/;
const TITLE_OF_CASES = /\b(describe|it|test)\.(?:each|for)\b[^;]{0,200}\)\(\s*$/;
/** After a long table of cases only its end is near: a title is followed by a function. */
const AFTER_TABLE = /\)\(\s*$/;
const BEFORE_FUNCTION = /^,\s*(?:async\s*)?(?:\(|\w+ =>)/;
const LABEL =
  /\b(?:title|label|aria-label|placeholder|hint|alt|heading|summary|text|confirm|description)\s*[=:]\s*\{?\s*$/;
/** Selectors, code and queries are not sentences. */
const NOT_PROSE = /^[.\-#@]|[{};]\s*$|=>|\b(?:SELECT|INSERT|UPDATE)\b|\bredis\.call\b/;
const MAX_MESSAGE_LENGTH = 600;
const BROWSER = /^src\/pages\/(?:studio|room-page|phone-page)\/web\//;

function textsOfSource(file: string, content: string): Text[] {
  const isJsx = file.endsWith('x');
  const { comments, literals } = scanSource(content, isJsx);
  const texts: Text[] = comments.map(({ line, text }) => ({ kind: 'comment', line, text }));
  for (const literal of literals) {
    const before = content.slice(Math.max(0, literal.at - 240), literal.at);
    const kind = kindOfLiteral(file, literal, before, content.slice(literal.end, literal.end + 40));
    if (kind) texts.push({ kind, line: literal.line, text: literal.text });
  }
  return isJsx ? [...texts, ...textsOfMarkup(content)] : texts;
}

function kindOfLiteral(file: string, { text }: Literal, before: string, after: string): Kind | undefined {
  if (file.startsWith('test/')) {
    const called = (TITLE.exec(before) ?? TITLE_OF_CASES.exec(before))?.[1];
    if (called === undefined) return AFTER_TABLE.test(before) && BEFORE_FUNCTION.test(after) ? 'test' : undefined;
    return called === 'describe' ? 'describe' : 'test';
  }
  const isSentence = / [a-z]{2,}/.test(text) && text.split(' ').length >= 3 && !NOT_PROSE.test(text);
  if (file.endsWith('x')) return isSentence || LABEL.test(before) ? 'ui' : undefined;
  if (!isSentence || text.length >= MAX_MESSAGE_LENGTH || !file.startsWith('src/')) return undefined;
  return BROWSER.test(file) ? 'ui' : 'message';
}

/** Text between tags, as it stands on one or several lines; expressions that look like it are left out. */
function textsOfMarkup(content: string): Text[] {
  const texts: Text[] = [];
  for (const match of content.matchAll(/>([^<>{}=;]*[A-Za-z]{2,}[^<>{}=;]*)</g)) {
    const text = match[1]!.trim().replace(/\s+/g, ' ');
    if (!/[a-z]{2,}/.test(text) || /&&|\|\||\w\.\w|[()]$|^\d|\?\?|^[,)|&]/.test(text)) continue;
    if (/\b(?:const|return|string|number|void|Promise)\b/.test(text)) continue;
    const at = match.index + match[0].search(/[^>\s]/);
    texts.push({ kind: 'ui', line: content.slice(0, at).split('\n').length, text });
  }
  return texts;
}

function textsOfPage(content: string): Text[] {
  const texts: Text[] = [];
  let inCode = false;
  let paragraph: Text | undefined;
  for (const [index, written] of content.split('\n').entries()) {
    const line = index + 1;
    const isFence = /^\s*```/.test(written);
    if (isFence) inCode = !inCode;
    if (isFence || inCode || /^\s*(?:$|!\[|<)/.test(written)) paragraph = undefined;
    else if (/^\s*\|/.test(written)) {
      const cells = written.split('|').filter((cell) => /[a-z]{3,} [a-z]/i.test(cell));
      for (const cell of cells) texts.push({ kind: 'doc', line, text: cell.trim() });
      paragraph = undefined;
    } else if (paragraph && !/^#|^\s*(?:[*\-+]|\d+\.)\s/.test(written)) paragraph.text += ` ${written.trim()}`;
    else {
      paragraph = { kind: 'doc', line, text: written.replace(/^#+\s*|^\s*(?:[*\-+]|\d+\.)\s+/, '').trim() };
      texts.push(paragraph);
      if (written.startsWith('#')) paragraph = undefined;
    }
  }
  return texts;
}

const DESCRIPTION = /"(?:description|title|text|summary|otherwise)"\s*:\s*"((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)"/;

function textsOfSchema(content: string): Text[] {
  return content.split('\n').flatMap((written, index): Text[] => {
    const text = DESCRIPTION.exec(written)?.[1];
    return text === undefined ? [] : [{ kind: 'schema', line: index + 1, text: text.replaceAll('\\"', '"') }];
  });
}
