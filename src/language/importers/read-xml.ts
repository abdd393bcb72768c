/**
 * Parses XML to a tree with source locations, for the importers of TwiML and VoiceXML.
 *
 * Invariants
 * - bytes, depth and number of elements are limited. Only character references and the five predefined entities are
 * replaced, so a text cannot grow; a document type that declares entities is rejected;
 * - no function throws: problems are diagnostics.
 */
import { SaxesParser } from 'saxes';
import type { Diagnostic, SourceLocation } from '../../base/core/diagnostic.ts';
import { reasonOf } from '../../base/core/reason-of.ts';
import { DOCUMENT_LIMITS, errorAt } from '../../base/schema/document.ts';
import type { Account } from './fidelity.ts';
import type { SourceFile } from './imported.ts';
import { viewOf } from './source-views.ts';

export interface XmlElement {
  name: string;
  /** View of the attributes. */
  attributes: Readonly<Record<string, string>>;
  children: (XmlElement | string)[];
  at: SourceLocation;
  /** Text of the element in the source. */
  source: string;
  /** Account of the attributes. */
  account?: Account;
}

export type XmlReading = { root: XmlElement } | { diagnostics: Diagnostic[] };

export function readXml({ file, text }: SourceFile): XmlReading {
  const startOf = { file, line: 1, column: 1 };
  if (Buffer.byteLength(text) > DOCUMENT_LIMITS.bytes) {
    return refusal(startOf, 'too-big', `the file is larger than ${DOCUMENT_LIMITS.bytes} bytes`);
  }
  const parser = new SaxesParser({ xmlns: false, position: true });
  const open: { element: XmlElement; from: number }[] = [];
  let root: XmlElement | undefined;
  let failure: XmlReading | undefined;
  let at: SourceLocation = startOf;
  let from = 0;
  let count = 0;

  const fail = (code: string, message: string, hint?: string): void => {
    failure ??= refusal({ file, line: parser.line, column: Math.max(1, parser.column) }, code, message, hint);
  };
  const addText = (words: string): void => {
    if (words !== '') open.at(-1)?.element.children.push(words);
  };

  parser.on('opentagstart', ({ name }) => {
    from = parser.position - name.length - 2;
    // The parser has read the character after the name, which may end the line.
    const isLineRead = text[parser.position - 1] === '\n';
    const column = isLineRead ? from - text.lastIndexOf('\n', from) : parser.column - name.length - 1;
    at = { file, line: parser.line - (isLineRead ? 1 : 0), column: Math.max(1, column) };
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (++count > DOCUMENT_LIMITS.nodes || open.length >= DOCUMENT_LIMITS.depth) {
      return fail('too-big', 'the file has too many elements, or too many in each other');
    }
    const view = viewOf(attributes as Record<string, string>);
    const element: XmlElement = { name, attributes: view, children: [], at, source: '' };
    let places: ReadonlyMap<string, SourceLocation> | undefined;
    const placeOf = ([attribute = '']: readonly string[]): SourceLocation => {
      places ??= attributePlaces(element);
      return places.get(attribute) ?? element.at;
    };
    element.account = { view, placeOf };
    open.at(-1)?.element.children.push(element);
    root ??= element;
    open.push({ element, from });
  });
  parser.on('closetag', () => {
    const closed = open.pop();
    if (closed) closed.element.source = text.slice(closed.from, parser.position).trim();
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('doctype', (doctype) => {
    if (/<!ENTITY/i.test(doctype))
      fail('xml-entities', 'entities of its own are not taken', 'write what they stand for');
  });
  parser.on('error', (error) => fail('xml-syntax', messageOf(error)));
  try {
    for (let start = 0; start < text.length && failure === undefined; start += CHUNK) {
      parser.write(text.slice(start, start + CHUNK));
    }
    if (failure === undefined) parser.close();
  } catch (error) {
    fail('xml-syntax', messageOf(error));
  }
  if (failure) return failure;
  return root ? { root } : refusal(startOf, 'empty', 'there is no element in it');
}

/** Characters parsed at a time. After each chunk the parser stops if a limit was exceeded. */
const CHUNK = 16_384;

const refusal = (at: SourceLocation, code: string, message: string, hint?: string): XmlReading => ({
  diagnostics: [errorAt(at, code, message, hint)],
});

/** Removes the location that saxes puts in front of its message. */
const messageOf = (error: unknown): string =>
  `this is not well-formed XML: ${reasonOf(error)
    .replace(/^(\d+:\d+: )+/, '')
    .slice(0, 200)}`;

const ATTRIBUTE = /\s*([^\s=>]+)\s*=\s*(?:"[^"]*"|'[^']*')/y;

/** Locations of the attributes of an element. The start tag is read once, whatever the number of attributes. */
function attributePlaces({ name, at, source }: XmlElement): ReadonlyMap<string, SourceLocation> {
  const places = new Map<string, SourceLocation>();
  let { line } = at;
  /** Index in the source of the first character of the line, which may lie before the element. */
  let lineStart = 1 - at.column;
  let read = 0;
  ATTRIBUTE.lastIndex = name.length + 1;
  for (let found = ATTRIBUTE.exec(source); found !== null; found = ATTRIBUTE.exec(source)) {
    const attribute = found[1]!;
    const start = found.index + found[0].indexOf(attribute);
    for (let end = source.indexOf('\n', read); end >= 0 && end < start; end = source.indexOf('\n', read)) {
      line += 1;
      read = end + 1;
      lineStart = read;
    }
    places.set(attribute, { file: at.file, line, column: start - lineStart + 1 });
  }
  return places;
}

export const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child): child is XmlElement => typeof child !== 'string');

/** Text of an element and its descendants, with white space collapsed. */
export const wordsOf = (element: XmlElement): string =>
  element.children
    .map((child) => (typeof child === 'string' ? child : ` ${wordsOf(child)} `))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
