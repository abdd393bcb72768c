/** Completion inside expressions: the text around an expression is compiled once while the expression is written. */
import { expect, it, vi } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { expressionOptions } from '../../src/cli/lsp/expressions.ts';
import { FlowTexts } from '../../src/cli/lsp/flow-text.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { verbs } from '../../src/verbs/steps.ts';

const flow = (expression: string, more = ''): string => `flow: orders
vars: { order: { type: object, properties: { number: { type: string } }, default: {} }${more} }
start: say
steps:
  say: { log: "It is \${ ${expression} }", next: $end }
`;

const texts = new FlowTexts();
const library = new FlowLibrary(verbs);
let version = 0;

/** Labels proposed after `expression` in this version of the document. */
function proposedAfter(expression: string, more?: string): string[] {
  const text = flow(expression, more);
  version += 1;
  const document = TextDocument.create('file:///flows/orders.flow.yaml', 'yaml', version, text);
  const found = expressionOptions(texts.of(document)!, text.indexOf(expression) + expression.length, library);
  return (found?.options ?? []).map(({ label }) => label);
}

it('compiles the text once for each character of the same expression', () => {
  const check = vi.spyOn(library, 'check');
  expect(proposedAfter('vars.')).toEqual(['order']);
  expect(proposedAfter('vars.order.')).toEqual(['number']);
  expect(proposedAfter('vars.order.number & vars.')).toEqual(['order']);
  expect(check).toHaveBeenCalledTimes(1);
  expect(proposedAfter('vars.', ', count: { type: integer, default: 0 }')).toEqual(['order', 'count']);
  expect(check).toHaveBeenCalledTimes(2);
});

it('compiles the text again after a change of another flow', () => {
  const check = vi.spyOn(library, 'check');
  proposedAfter('vars.');
  check.mockClear();
  library.take('/flows/other.flow.yaml', 'flow: other\nstart: bye\nsteps:\n  bye: { hangup: normal }\n');
  check.mockClear();
  proposedAfter('vars.order.');
  expect(check).toHaveBeenCalledTimes(1);
});
