/**
 * The parts of `@codemirror/language` that CodeMirror's commands use, implemented for YAML: indentation of a new line,
 * surrounding nodes, matching brackets. The bundler replaces the original package, which contains parsers for all
 * languages, with this module (`bundle-aliases.ts`).
 */
import { type ChangeSpec, EditorState, Facet, type Text } from '@codemirror/state';
import { readFlow } from '../../../../language/flow/text/flow-reader.ts';
import { isMap, isSeq, type YamlNode } from '../../../../language/flow/text/yaml/nodes.ts';

export const indentUnit = Facet.define<string, string>({ combine: () => '  ' });
export const getIndentUnit = (state: EditorState): number => state.facet(indentUnit).length;
export const indentString = (_: EditorState, columns: number): string => ' '.repeat(columns);

interface IndentOptions {
  /** Position at which a line break is about to be inserted. */
  simulateBreak?: number;
}

export class IndentContext {
  readonly state: EditorState;
  readonly options: IndentOptions;
  readonly unit: number;

  constructor(state: EditorState, options: IndentOptions = {}) {
    this.state = state;
    this.options = options;
    this.unit = getIndentUnit(state);
  }

  lineIndent(at: number): number {
    return indentOf(this.state.doc.lineAt(at).text);
  }
}

const indentOf = (line: string): number => /^ */.exec(line)![0].length;
/** A key without a value, an open bracket, or the header of a block scalar. */
const OPENS = /(?:^|[\s"'}\]\w-]):[ \t]*(?:&\S+[ \t]*)?(?:[|>][-+\d]*[ \t]*)?(?:#.*)?$|[[{][ \t]*(?:#.*)?$/;
/** Dashes of a list, which a map can follow. */
const ITEM = /^ *(?:- +)+(?=\S)/;

/**
 * Indentation of a new line. Null for existing lines: indentation is part of YAML's syntax, so they are never
 * re-indented.
 */
export function getIndentation({ state, options, unit }: IndentContext, at: number): number | null {
  if (options.simulateBreak === undefined) return null;
  const line = state.doc.lineAt(at);
  const before = line.text.slice(0, at - line.from);
  const column = ITEM.exec(before)?.[0].length ?? indentOf(before);
  return OPENS.test(before)
    ? column + unit
    : /^ *- *\S/.test(before) && !/:(?:\s|$)/.test(before)
      ? indentOf(before)
      : column;
}

/** Indents a closing bracket at the start of a line like the line of its opening bracket. */
export const indentBrackets = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || !transaction.isUserEvent('input.type')) return transaction;
  // Composed characters, and edits outside of the text, are not typed brackets.
  if (transaction.isUserEvent('input.type.compose')) return transaction;
  const { newDoc, newSelection } = transaction;
  const { head } = newSelection.main;
  const line = newDoc.lineAt(head);
  if (!/^ *[\]}]$/.test(line.text) || head !== line.to) return transaction;
  const opening = partnerOf(newDoc, head - 1);
  if (opening === undefined) return transaction;
  const indent = indentOf(newDoc.lineAt(opening).text);
  const change: ChangeSpec = { from: line.from, to: line.to - 1, insert: ' '.repeat(indent) };
  return indent === indentOf(line.text) ? transaction : [transaction, { changes: change, sequential: true }];
});

const OPENING = '([{';
const CLOSING = ')]}';
/** Maximum distance that is searched for a matching bracket, in characters. */
const FARTHEST = 20_000;

/** Position of the bracket that matches the one at a position. */
function partnerOf(document: Text, at: number): number | undefined {
  const bracket = document.sliceString(at, at + 1);
  const by = OPENING.includes(bracket) ? 1 : -1;
  const from = by === 1 ? at : Math.max(0, at - FARTHEST);
  const text = document.sliceString(from, by === 1 ? at + FARTHEST : at + 1);
  const own = by === 1 ? OPENING : CLOSING;
  const open: number[] = [];
  for (let index = at - from; index >= 0 && index < text.length; index += by) {
    const char = text[index]!;
    const kind = Math.max(OPENING.indexOf(char), CLOSING.indexOf(char));
    if (kind < 0) continue;
    if (own.includes(char)) open.push(kind);
    else if (open.pop() !== kind) return undefined;
    if (open.length === 0) return from + index;
  }
  return undefined;
}

export interface BracketMatch {
  start: { from: number; to: number };
  end?: { from: number; to: number };
  matched: boolean;
}

/** Matches the bracket after a position (`direction` 1) or before it (-1). */
export function matchBrackets(state: EditorState, at: number, direction: 1 | -1): BracketMatch | null {
  const from = direction === 1 ? at : at - 1;
  const char = from < 0 ? '' : state.sliceDoc(from, from + 1);
  if (char === '' || !(direction === 1 ? OPENING : CLOSING).includes(char)) return null;
  const partner = partnerOf(state.doc, from);
  const start = { from, to: from + 1 };
  return partner === undefined
    ? { start, matched: false }
    : { start, end: { from: partner, to: partner + 1 }, matched: true };
}

/** A value of the text, with its parents. */
interface SyntaxNode {
  from: number;
  to: number;
  name: string;
  parent: SyntaxNode | null;
  type: { prop(): undefined };
  childBefore(): null;
  childAfter(): null;
}

interface SyntaxStack {
  node: SyntaxNode;
  next: SyntaxStack | null;
}

/** Bracket properties; unused, because `partnerOf` finds matches. */
export const NodeProp = { closedBy: undefined, openedBy: undefined };

export function syntaxTree({ doc }: EditorState) {
  return {
    resolveInner(at: number): SyntaxNode {
      return around(doc, at);
    },
    resolveStack(at: number): SyntaxStack {
      const stackOf = (node: SyntaxNode): SyntaxStack => ({ node, next: node.parent && stackOf(node.parent) });
      return stackOf(around(doc, at));
    },
  };
}

function around(document: Text, at: number): SyntaxNode {
  const text = document.toString();
  let node = nodeOf('text', 0, text.length, null);
  const enter = (inner: YamlNode | null): void => {
    if (inner === null || inner.range[0] > at || inner.range[1] < at) return;
    node = nodeOf(inner.kind, ...inner.range, node);
    if (isSeq(inner)) inner.items.forEach(enter);
    if (!isMap(inner)) return;
    for (const { key, value } of inner.items) {
      const to = value === null ? key.range[1] : value.range[1];
      if (key.range[0] > at || to < at) continue;
      node = nodeOf('pair', key.range[0], to, node);
      enter(key);
      if (value !== null) enter(value);
    }
  };
  enter(readFlow(text).contents);
  return node;
}

const nodeOf = (name: string, from: number, to: number, parent: SyntaxNode | null): SyntaxNode => ({
  from,
  to,
  name,
  parent,
  type: { prop: () => undefined },
  childBefore: () => null,
  childAfter: () => null,
});
