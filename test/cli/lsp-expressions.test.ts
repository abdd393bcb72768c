/** Completion and hover of `callweave lsp` inside expressions: fields by their types, and functions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CompletionRequest, HoverRequest } from 'vscode-languageserver/node';
import { folderOf } from './command.ts';
import { EditorClient } from './editor-client.ts';

const FLOW = `flow: orders
start: ask
input:
  shop: { type: string, default: Paris }
vars:
  order:
    type: object
    description: The order that the caller asks about.
    required: [number]
    properties:
      number: { type: string, description: Number on the receipt. }
      items: { type: array, items: { type: object, required: [title], properties: { title: { type: string } } } }
    default: { number: "0" }
  count: { type: integer, default: 0 }
prompts:
  ask: Which order?
  found: Found.
  order: This prompt has the name of a variable.
steps:
  ask:
    collect: { prompt: ask, digits: { length: 4 }, no_input: ask, no_match: ask }
    set: { count: "\${ $number(result.digits) }" }
    exits: { collected: look, exhausted: say }
  look:
    request:
      get: "https://shop.example/orders?number=\${ steps.ask.digits }"
      returns: { type: object, required: [state], properties: { state: { type: string, description: State of the parcel. }, weight: { type: number } } }
    exits: { ok: check, failed: say }
  check:
    branch:
      - { when: "vars.count > 1", next: say }
      - { else: each }
  each:
    menu: { each: "\${ vars.order.items }", prompt: ask, say: "Press \${ key } for \${ item.title }", no_input: ask, no_match: ask }
    exits: { chosen: say, exhausted: say }
  say: { play: "It is \${ vars.order.number } \${ HERE }", next: end }
  end: { hangup: {} }
defaults:
  exits: { error: end, hangup: $end }
`;

const folder = folderOf({});
const editor = new EditorClient(folder.path);

beforeAll(async () => void (await editor.begin()));
afterAll(async () => {
  await editor.end();
  folder[Symbol.dispose]();
});

let opened = 0;
/** Opens the flow with `written` in place of `HERE` or of `instead`; `|` is the cursor. */
async function cursorIn(written: string, instead = 'HERE'): Promise<Parameters<EditorClient['at']>> {
  opened += 1;
  const name = `orders-${opened}.flow.yaml`;
  const plain = written.replace('|', '');
  expect(FLOW).toContain(instead);
  const before = FLOW.slice(FLOW.indexOf(instead) - 12, FLOW.indexOf(instead));
  await editor.open(name, FLOW.replace(instead, plain).replace('flow: orders', `flow: orders-${opened}`));
  return [name, before + plain, before.length + written.indexOf('|')];
}

async function proposed(written: string, instead?: string): Promise<{ label: string; detail?: string }[]> {
  const found = await editor.connection.sendRequest(
    CompletionRequest.type,
    editor.at(...(await cursorIn(written, instead))),
  );
  return Array.isArray(found) ? found : (found?.items ?? []);
}

async function shown(written: string, instead?: string): Promise<string | undefined> {
  const found = await editor.connection.sendRequest(
    HoverRequest.type,
    editor.at(...(await cursorIn(written, instead))),
  );
  return found === null ? undefined : (found.contents as { value: string }).value;
}

describe('completion in an expression', () => {
  test.each<[string, string[], string?]>([
    ['vars.|', ['order', 'count']],
    ['vars.order.|', ['number', 'items']],
    ['vars.order.items.|', ['title']],
    ['vars.order.items[0].|', ['title']],
    ['input.|', ['shop']],
    ['steps.look.body.|', ['state', 'weight']],
    ['call.|', ['id', 'from', 'to', 'direction', 'locale', 'voice', 'started', 'headers', 'event']],
    ['$uppercase(vars.order.|)', ['number', 'items']],
    ["'x' & vars.order.|", ['number', 'items']],
    ['$number(result.|', ['digits'], '$number(result.digits'],
    ['vars.order.|', ['number', 'items'], 'vars.count > 1'],
    ['${ item.| }', ['title'], '${ item.title }'],
  ])('proposes the fields after %s', async (written, labels, instead) => {
    const found = await proposed(written, instead);
    expect(found.map(({ label }) => label)).toEqual(expect.arrayContaining(labels));
    expect(found.map(({ label }) => label)).not.toContain('found');
  });

  test('states the type of a field and its description', async () => {
    const found = await proposed('vars.order.|');
    expect(found).toEqual([
      expect.objectContaining({
        label: 'number',
        detail: 'a text',
        documentation: { kind: 'markdown', value: 'Number on the receipt.' },
      }),
      expect.objectContaining({ label: 'items', detail: 'a list; may be missing' }),
    ]);
  });

  test('proposes the names of the scope, and functions with their arguments', async () => {
    const found = await proposed('|');
    const labels = found.map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(['vars', 'input', 'steps', 'call', '$number']));
    expect(labels).not.toContain('found');
    const functions = await proposed('$sub|');
    expect(functions).toContainEqual(
      expect.objectContaining({
        label: '$substring',
        detail: '(a text?, a number, a number?) → a text; may be missing',
      }),
    );
  });

  test.each(["'vars.|'", "'see |vars.'", 'vars.count /* vars.| */', '$sum([1]).|'])(
    'proposes nothing in %s',
    async (written) => {
      expect(await proposed(written)).toEqual([]);
    },
  );

  test('proposes fields although the brace that closes the expression is missing', async () => {
    const found = await proposed('"Hello ${ vars.order.|"', '"It is ${ vars.order.number } ${ HERE }"');
    expect(found.map(({ label }) => label)).toEqual(['number', 'items']);
  });
});

describe('hover in an expression', () => {
  test.each<[string, string, string?]>([
    ['vars.or|der', '**vars.order**\n\na map\n\nThe order that the caller asks about.'],
    ['vars.order.num|ber', '**vars.order.number**\n\na text\n\nNumber on the receipt.'],
    ['steps.look.body.sta|te', '**steps.look.body.state**'],
    ['call.direc|tion', '**call.direction**\n\n"inbound" or "outbound"'],
    ['$upper|case(vars.order.number)', '**$uppercase**\n\n(a text?) → a text; may be missing'],
    ['vars.cou|nt > 1', '**vars.count**\n\na number', 'vars.count > 1'],
  ])('explains %s by its type', async (written, start, instead) => {
    expect((await shown(written, instead))?.slice(0, start.length)).toBe(start);
  });

  test('does not explain the verb around an expression', async () => {
    expect(await shown('vars.count |+ 1')).toBeUndefined();
  });
});
