/** Tools of an AI agent: each edit of the form has the smallest change of the text, in each manner of writing. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import type { Change } from '../../../src/language/flow/text/change.ts';
import { applyEdits, type EditRefusal, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { readFlow } from '../../../src/language/flow/text/flow-reader.ts';
import { type Path, valueAt } from '../../../src/language/flow/text/flow-source.ts';
import { renameOutcome } from '../../../src/language/flow/text/rename.ts';
import { rewrite } from '../../../src/language/flow/text/rewrite.ts';
import { fieldsInside, formOf } from '../../../src/pages/studio/web/form/fields.ts';
import {
  addedTool,
  KINDS,
  mapChanges,
  nameFrom,
  ofKind,
  readArgument,
  removedTool,
  required,
  wordsIn,
} from '../../../src/pages/studio/web/form/tools.ts';
import { check } from '../../flow/check-flow.ts';
import { language } from './samples.ts';

const TOOLS: Path = ['assistant', 'tools'];

const flowWith = (assistant: string): string => `flow: a
start: talk
steps:
  talk:
    assistant:${assistant}
    exits: { book: bye, human: bye, limit: bye, error: bye } # ways on
  bye: { hangup: normal }
`;

const BLOCK = flowWith(`
      tools:
        # A table.
        book: # often
          description: "The caller has chosen a day." # said
          arguments:
            date: { type: string, format: date }
            guests: { type: integer, minimum: 1, default: 2 } # most are two
        # A person.
        human:
          description: 'The caller wants a person.'`);
const BRACES = flowWith(
  ` { tools: { book: { description: Books., arguments: { date: { type: string } } }, human: { description: A person. } } } # all`,
);

const inFlow = (path: Path): Path => ['steps', 'talk', ...path];
const book = (...path: string[]): Path => [...TOOLS, 'book', ...path];

type ChangesOf = (flow: JsonObject) => Change[] | EditRefusal;

/** Changes of a schema of an argument of the tool `book`. */
const schema =
  (argument: string, next: (now: JsonObject) => JsonObject): ChangesOf =>
  (flow) => {
    const path = inFlow(book('arguments', argument));
    const now = valueAt(flow, path) as JsonObject;
    return mapChanges(path, now, next(now));
  };
const add =
  (tool: string): ChangesOf =>
  (flow) =>
    addedTool(flow, { step: 'talk', path: [...TOOLS, tool], tool: { description: 'Why.' }, target: 'bye' }, language);
const remove =
  (tool: string): ChangesOf =>
  (flow) =>
    removedTool(flow, { step: 'talk', path: [...TOOLS, tool], isLookup: false }, language);

const TABLE: readonly (readonly [string, string, ChangesOf, ...(readonly [before: string, after: string])[]])[] = [
  [
    'adds a tool below the others, with its target',
    BLOCK,
    add('order'),
    [`'The caller wants a person.'\n`, `'The caller wants a person.'\n        order: { description: Why. }\n`],
    ['error: bye }', 'error: bye, order: bye }'],
  ],
  [
    'adds a tool in braces, with its target',
    BRACES,
    add('order'),
    ['A person. } }', 'A person. }, order: { description: Why. } }'],
    ['error: bye }', 'error: bye, order: bye }'],
  ],
  [
    'removes a tool with its comment and its target',
    BLOCK,
    remove('human'),
    [`        # A person.\n        human:\n          description: 'The caller wants a person.'\n`, ''],
    ['human: bye, ', ''],
  ],
  [
    'removes a tool in braces',
    BRACES,
    remove('book'),
    [/book: \{.*?\} \} \}, /.exec(BRACES)![0], ''],
    ['book: bye, ', ''],
  ],
  [
    'moves a tool with its comments',
    BRACES,
    () => [{ do: 'moveItem', path: inFlow([...TOOLS, 'human']), to: 0 }],
    [
      /\{ book: .*?person\. \} \}/.exec(BRACES)![0],
      '{ human: { description: A person. }, book: { description: Books., arguments: { date: { type: string } } } }',
    ],
  ],
  [
    'changes the kind of an argument',
    BRACES,
    schema('date', (now) => ofKind(now, 'number')),
    ['type: string', 'type: number'],
  ],
  [
    'keeps the range of a number, and writes its kind alone',
    BLOCK,
    schema('guests', (now) => ofKind(now, 'number')),
    ['type: integer, minimum: 1, default: 2', 'type: number, minimum: 1, default: 1'],
  ],
  [
    'makes a list of words',
    BRACES,
    schema('date', (now) => ofKind(now, 'words')),
    ['{ type: string }', '{ type: string, enum: [first, second] }'],
  ],
  ['leaves the format out', BLOCK, schema('date', (now) => ofKind(now, 'text')), [', format: date', '']],
  ['makes an argument needed', BLOCK, schema('guests', (now) => required(now, true)), [', default: 2', '']],
  [
    'lets the agent leave an argument out',
    BRACES,
    schema('date', (now) => required(now, false)),
    ['{ type: string }', '{ type: string, default: "" }'],
  ],
];

describe('the smallest change of the text', () => {
  it.each(TABLE.map((row) => [row[0], row] as const))(
    'changes only what the edit names: %s',
    (_, [, text, changesOf, ...changes]) => {
      for (const end of ['\n', '\r\n']) {
        const ended = (each: string): string => each.replaceAll('\n', end);
        const from = ended(text);
        const made = changesOf(readFlow(from).value as JsonObject);
        if (isRefusal(made)) throw new Error(made.refused);
        const edits = rewrite(from, made);
        if (isRefusal(edits)) throw new Error(edits.refused);
        const changed = applyEdits(from, edits);
        expect(changed).toBe(ended(changes.reduce((all, [before, after]) => all.replace(before, () => after), text)));
        expect(applyEdits(changed, inverseOf(from, edits))).toBe(from);
      }
    },
  );

  it('renames a tool with its target', () => {
    const edits = renameOutcome(BLOCK, 'talk', { from: 'book', to: 'reserve' }, language.verbs);
    if (isRefusal(edits)) throw new Error(edits.refused);
    expect(applyEdits(BLOCK, edits)).toBe(
      BLOCK.replace('book: # often', 'reserve: # often').replace('book: bye', 'reserve: bye'),
    );
  });
});

describe('an argument', () => {
  it.each<[Json, ReturnType<typeof readArgument>]>([
    [{ type: 'string' }, { kind: 'text', words: [], otherwise: undefined }],
    [
      { type: 'integer', minimum: 1, maximum: 12 },
      { kind: 'whole', words: [], otherwise: undefined },
    ],
    [
      { type: 'boolean', default: false },
      { kind: 'yes-no', words: [], otherwise: false },
    ],
    [
      { enum: ['pain', 'other'], default: 'other' },
      { kind: 'words', words: ['pain', 'other'], otherwise: 'other' },
    ],
    [
      { type: 'string', format: 'date', description: 'The day' },
      { kind: 'date', words: [], otherwise: undefined },
    ],
    [{ type: 'string', pattern: '^a' }, undefined],
    [{ type: 'string', format: 'email' }, undefined],
    [{ type: ['string', 'null'] }, undefined],
    [{ enum: [1, 2] }, undefined],
    [{ type: 'array', items: {} }, undefined],
    ['text', undefined],
  ])('is read, or left to YAML: %j', (written, read) => {
    expect(readArgument(written)).toEqual(read);
  });

  it('is read again after each change of its kind and its need', () => {
    for (const from of KINDS) {
      for (const to of KINDS) {
        for (const isRequired of [true, false]) {
          const made = ofKind(required(ofKind({ type: 'string' }, from), isRequired), to);
          const read = readArgument(made);
          expect([read?.kind, read?.otherwise === undefined]).toEqual([to, isRequired]);
          const flow = BRACES.replace('{ type: string }', JSON.stringify(made));
          expect(check(flow).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
        }
      }
    }
  });

  it('has a name and words from what is typed', () => {
    expect([nameFrom(' Book a table '), wordsIn('small, large , small,')]).toEqual([
      'book_a_table',
      ['small', 'large'],
    ]);
  });
});

it('has an editor for each key of a tool and of a lookup', () => {
  const { essentials, more } = formOf(language, 'assistant');
  const editorsOf = (name: string): string[] => {
    const field = [...essentials, ...more].find(({ path }) => path.join('.') === `assistant.${name}`)!;
    expect(field.editor).toBe('tools');
    const inner = fieldsInside(field, [...field.path, 'sample'], language);
    expect(inner.map(({ path }) => path.at(-1))).toEqual(Object.keys(field.key.values!.properties!));
    return inner.flatMap(({ path, editor, inner: parts = [] }) => [
      `${path.at(-1)}: ${editor}`,
      ...parts.map((part) => `${part.path.slice(-2).join('.')}: ${part.editor}`),
    ]);
  };
  expect(editorsOf('tools')).toEqual(['description: long', 'arguments: yaml']);
  expect(editorsOf('lookups')).toEqual([
    'description: long',
    'arguments: yaml',
    'request: group',
    'request.get: method',
    'request.headers: rows',
    'request.auth: group',
    'request.body: rows',
    'request.timeout: duration',
    'returns: rows',
  ]);
});
