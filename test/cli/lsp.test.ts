/** `callweave lsp` as editors use it: one process, driven over its standard streams. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CodeAction,
  CodeActionRequest,
  CompletionRequest,
  DefinitionRequest,
  type Diagnostic,
  DidCloseTextDocumentNotification,
  DidSaveTextDocumentNotification,
  DocumentFormattingRequest,
  type DocumentSymbol,
  DocumentSymbolRequest,
  HoverRequest,
  type Location,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { createProgram } from '../../src/cli/program.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import { folderOf, ROOT, writeFiles } from './command.ts';
import { EditorClient } from './editor-client.ts';

const SURVEY = `flow: survey
start: ask
vars:
  score: { type: integer, default: 0 }
prompts:
  rate: Rate us from one to five.
  again: Press a digit.
  thanks: Thank you. # said at the end
steps:
  ask:
    collect: { prompt: rate, digits: { max: 1 }, no_input: again, no_match: again }
    set: { score: "\${ $number(steps.ask.digits) }" }
    exits: { collected: note, exhausted: bye }
  bye: { play: thanks, next: leave } # the end
  note: { log: "\${ vars.score }", next: bye }
  leave: { hangup: {} }
defaults:
  exits: { error: leave, hangup: $end }
`;
const CALLER = `flow: caller
start: ask
steps:
  ask: { subflow: { flow: giver }, exits: { done: leave, error: leave, hangup: $end } }
  leave: { hangup: {} }
`;
const GIVER = 'flow: giver\nstart: end\nsteps:\n  end: { return: done }\n';

const folder = folderOf({ 'caller.flow.yaml': CALLER, 'giver.flow.yaml': GIVER });
const editor = new EditorClient(folder.path);

beforeAll(async () => {
  const { capabilities, serverInfo } = await editor.begin();
  expect(serverInfo?.name).toBe('callweave');
  expect(capabilities).toMatchObject({ hoverProvider: true, renameProvider: { prepareProvider: true } });
});

afterAll(async () => {
  const status = await editor.end();
  folder[Symbol.dispose]();
  expect(status).toBe(0);
});

let opened = 0;
/** Opens a document with its own flow, so that versions start at 1 and no name is taken. */
async function open(text: string): Promise<string> {
  opened += 1;
  const name = `made-${opened}.flow.yaml`;
  await editor.open(name, text.replace('flow: survey', `flow: survey-${opened}`));
  return name;
}

const codesOf = (found: readonly { code?: string | number }[]) => found.map(({ code }) => code);

async function optionsAt(name: string, mark: string, into = mark.length) {
  const found = await editor.connection.sendRequest(CompletionRequest.type, editor.at(name, mark, into));
  return Array.isArray(found) ? found : (found?.items ?? []);
}

const labelsAt = async (...at: Parameters<typeof optionsAt>): Promise<string[]> =>
  (await optionsAt(...at)).map(({ label }) => label);

describe('diagnostics', () => {
  test('are those of check, at the word, with the hint; and go when the mistake does', async () => {
    const name = await open(SURVEY.replace('next: leave', 'next: leav'));
    const [found, ...others] = await editor.reportOn(name);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ source: 'callweave', code: 'unknown-target', severity: 1 });
    expect(found!.message).toContain('did you mean leave?');
    expect(editor.wordsAt(name, found!.range)).toBe('leav');
    expect(await editor.reportOn(name, await editor.replace(name, 'leav ', 'leave '))).toEqual([]);
  });

  test('includes those of the properties file, at the beginning of the flow', async () => {
    writeFiles(folder.path, {
      [`made-${opened + 1}.properties.yaml`]: '\nnobody leaves: { never: { visited: laeve } }\n',
    });
    const name = await open(SURVEY);
    const found = await editor.reportOn(name);
    expect(found).toMatchObject([{ code: 'unknown-target', range: { start: { line: 0, character: 0 } } }]);
    expect(found[0]!.message).toContain('.properties.yaml:2: there is no step `laeve`');
  });

  test('are offered as repairs, one by one and all at once', async () => {
    const name = await open(SURVEY.replace('next: leave', 'next: leav').replace('exhausted: bye', 'exhausted: bey'));
    const diagnostics = await editor.reportOn(name);
    const range = diagnostics.find(({ message }) => String(message).includes('`leav`'))!.range;
    const textDocument = { uri: editor.uriOf(name) };
    const actions = (await editor.connection.sendRequest(CodeActionRequest.type, {
      textDocument,
      range,
      context: { diagnostics },
    })) as CodeAction[];
    expect(actions.map(({ title, kind }) => [title, kind])).toEqual([
      ['Write leave', 'quickfix'],
      ['Apply all obvious fixes', 'source.fixAll'],
    ]);
    const repaired = editor.withEdits(name, actions[1]!.edit!.changes![textDocument.uri]!);
    expect(repaired).toBe(SURVEY.replace('flow: survey', `flow: survey-${opened}`));
  });

  test('are reported once for broken YAML, while completion still uses the last valid text', async () => {
    const name = await open(SURVEY);
    await editor.reportOn(name);
    const version = await editor.replace(name, 'next: leave }', 'next: ');
    expect(codesOf(await editor.reportOn(name, version))).toEqual(['yaml-syntax']);
    expect(await labelsAt(name, 'play: thanks, next: ')).toEqual(['ask', 'bye', 'note', 'leave', '$end']);
  });

  test('are a single one at once for a huge document, without further answers', async () => {
    const name = await open(`${SURVEY}# ${'x'.repeat(1_500_000)}\n`);
    expect(codesOf(await editor.reportOn(name))).toEqual(['too-big']);
    expect(await labelsAt(name, 'play: ')).toEqual([]);
  });

  test('are sent for the newest text last, and never in reverse order', async () => {
    const name = await open(SURVEY.replace('next: leave', 'next: x0'));
    const sent = [];
    for (let count = 0; count < 50; count += 1) sent.push(editor.replace(name, `x${count} `, `x${count + 1} `));
    const [found] = await editor.reportOn(name, (await Promise.all(sent)).at(-1));
    expect(editor.wordsAt(name, found!.range)).toBe('x50');
    const versions = editor.reportsOn(name).map(({ version }) => version!);
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    expect(versions.length).toBeLessThan(51);
  });

  test('are updated for a flow that calls another when that is edited or saved', async () => {
    await editor.open('caller.flow.yaml', CALLER);
    expect(await editor.reportOn('caller.flow.yaml')).toEqual([]);
    await editor.open('giver.flow.yaml', GIVER);
    await editor.reportOn('giver.flow.yaml');
    await editor.replace('giver.flow.yaml', 'return: done', 'return: other');
    const isWrong = (found: readonly Diagnostic[]) => codesOf(found).includes('unrouted-outcome');
    const changed = await editor.reportWith('caller.flow.yaml', 0, isWrong);
    const textDocument = { uri: editor.uriOf('giver.flow.yaml') };
    await editor.connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument });
    await editor.reportWith('caller.flow.yaml', changed, (found) => found.length === 0);
  });

  test('are for flows and tests alone', async () => {
    await editor.open('package.json', '{ "name": "x", "steps": 1 }');
    await editor.open('other.yaml', 'test: x\nsteps: []\n');
    expect(await editor.reportOn('package.json')).toEqual([]);
    expect(await editor.reportOn('other.yaml')).toEqual([]);
    const at = editor.at('other.yaml', 'steps');
    expect(await editor.connection.sendRequest(HoverRequest.type, at)).toBeNull();
  });
});

describe('completion', () => {
  test('verbs, keys, outcomes, steps, prompts and flows, by where the cursor is', async () => {
    const name = await open(SURVEY);
    expect(await labelsAt(name, 'exits: { collected: ')).toEqual(['ask', 'bye', 'note', 'leave', '$end']);
    expect(await labelsAt(name, 'exits: { ')).toContain('hangup');
    expect(await labelsAt(name, 'bye: { play: ')).toEqual(['rate', 'again', 'thanks']);
    await editor.replace(name, '  leave: { hangup: {} }', '  leave: { p }\n  sub: { subflow:  }');
    expect(await labelsAt(name, 'leave: { p')).toContain('play');
    expect(await labelsAt(name, 'subflow: ')).toEqual(expect.arrayContaining(['giver', 'caller']));
    await editor.replace(name, 'digits: { max: 1 }', 'digits: { max: 1,  }');
    expect(await labelsAt(name, 'max: 1, ')).toContain('min');
  });

  test('variables, steps and what they found, in expressions', async () => {
    const name = await open(SURVEY);
    await editor.replace(name, 'play: thanks', `play: "\${ vars. } \${ steps. } \${ steps.ask.di }"`);
    expect(await labelsAt(name, 'play: "${ vars.')).toEqual(['score']);
    expect(await labelsAt(name, '} ${ steps.')).toEqual(['ask', 'bye', 'note', 'leave']);
    expect(await labelsAt(name, 'steps.ask.di }', 12)).toContain('digits');
  });

  test('is written with its colon, unless it is there', async () => {
    const name = await open(SURVEY);
    const written = async (mark: string) =>
      (await optionsAt(name, mark)).find(({ label }) => label === 'play')?.textEdit?.newText;
    expect(await written('bye: { pl')).toBe('play');
    await editor.replace(name, 'play: thanks', 'pl');
    expect(await written('bye: { pl')).toBe('play: ');
  });
});

describe('names', () => {
  test('links steps to their definition and to all uses', async () => {
    const name = await open(SURVEY);
    const at = editor.at(name, 'exhausted: bye', 12);
    const found = (await editor.connection.sendRequest(DefinitionRequest.type, at)) as Location;
    expect(found.range.start).toEqual(editor.at(name, '  bye:', 2).position);
    const context = { includeDeclaration: true };
    const uses = await editor.connection.sendRequest(ReferencesRequest.type, { ...at, context });
    expect(uses?.map(({ range }) => editor.wordsAt(name, range))).toEqual(['bye', 'bye', 'bye']);
  });

  test('links flows to their files', async () => {
    const name = await open(CALLER.replace('flow: caller', 'flow: second'));
    const at = editor.at(name, '{ flow: giver', 10);
    const found = (await editor.connection.sendRequest(DefinitionRequest.type, at)) as Location;
    expect(found).toMatchObject({ uri: editor.uriOf('giver.flow.yaml'), range: { start: { line: 0 } } });
  });

  test.each(['\n', '\r\n'])(
    'renames a step everywhere: targets, expressions, the step (lines end with %j)',
    async (end) => {
      const name = await open(SURVEY.replaceAll('\n', end));
      const at = editor.at(name, '  ask:', 3);
      expect(await editor.connection.sendRequest(PrepareRenameRequest.type, at)).toMatchObject({ placeholder: 'ask' });
      const answer = await editor.connection.sendRequest(RenameRequest.type, { ...at, newName: 'rating' });
      const renamed = editor.withEdits(name, answer!.changes![editor.uriOf(name)]!);
      expect(renamed).toBe(
        editor
          .textOf(name)
          .replace('start: ask', 'start: rating')
          .replace('  ask:', '  rating:')
          .replace('steps.ask.', 'steps.rating.'),
      );
    },
  );

  test.each([
    ['a name that is taken', '  ask:', 'bye', /There is a step bye already/],
    ['a name that is none', '  ask:', 'a b', /not a name for a step/],
    ['a word of no name', '    collect:', 'gone', /Only steps, variables/],
    ['a variable to a name that is none', '  score:', 'a b', /not a name for a variable/],
  ])('refuses to rename %s', async (_, mark, newName, why) => {
    const name = await open(SURVEY);
    const at = editor.at(name, mark, 3);
    await expect(editor.connection.sendRequest(RenameRequest.type, { ...at, newName })).rejects.toThrow(why);
  });
});

describe('an open test', () => {
  const TEST = 'test: it is kept\nflow: giver\nscript: []\nexpect: { path: [end] }\n';

  test.each([
    [
      'a step that its flow lacks',
      'path: [end]',
      'path: [ned]',
      'the flow `giver` has no step `ned`\ndid you mean end?',
      'ned',
    ],
    ['a flow that does not exist', 'flow: giver', 'flow: givr', 'there is no flow `givr`\ndid you mean giver?', 'givr'],
    ['a key that tests lack', 'script:', 'scrpt:', 'unknown key `scrpt`\ndid you mean script?', 'scrpt'],
    [
      'a mock of no step',
      'script: []',
      'mocks: { ende: ok }',
      'the flow `giver` has no step `ende`\ndid you mean end?',
      'ende',
    ],
  ])('has a diagnostic of %s', async (_, from, to, message, word) => {
    opened += 1;
    const name = `giver-${opened}.test.yaml`;
    await editor.open(name, TEST.replace(from, to));
    const found = await editor.reportOn(name);
    expect(found.map((each) => each.message)).toEqual([message]);
    expect(editor.wordsAt(name, found[0]!.range)).toBe(word);
  });

  test('has no diagnostics if it is sound, also of a flow that it names by its file', async () => {
    await editor.open('sound.test.yaml', TEST);
    expect(await editor.reportOn('sound.test.yaml')).toEqual([]);
    await editor.open('sound-file.test.yaml', TEST.replace('flow: giver', 'flow: giver.flow.yaml'));
    expect(await editor.reportOn('sound-file.test.yaml')).toEqual([]);
  });
});

describe('renaming a name of a flow', () => {
  test.each([
    ['variable', 'vars.score }', 5, 'mark', ['mark: { type', 'set: { mark:', 'vars.mark }']],
    ['prompt', 'no_input: again', 12, 'retry', ['retry: Press', 'no_input: retry, no_match: retry']],
  ])('changes all places of a %s', async (_, mark, into, newName, places) => {
    const name = await open(SURVEY);
    const answer = await editor.connection.sendRequest(RenameRequest.type, { ...editor.at(name, mark, into), newName });
    const renamed = editor.withEdits(name, answer!.changes![editor.uriOf(name)]!);
    for (const place of places) expect(renamed).toContain(place);
  });

  test('changes an input in the flows that call it, as they stand in the editor', async () => {
    const called =
      'flow: called-by-name\nstart: end\ninput: { who: { type: string, default: x } }\nsteps:\n  end: { return: done }\n';
    writeFiles(folder.path, {
      'called-by-name.flow.yaml': called,
      'calls-it.flow.yaml': CALLER.replace('flow: caller', 'flow: calls-it').replace(
        '{ flow: giver }',
        '{ flow: called-by-name, input: { who: me } }',
      ),
    });
    await editor.open('called-by-name.flow.yaml', called);
    const textDocument = { uri: editor.uriOf('called-by-name.flow.yaml') };
    await editor.connection.sendNotification(DidSaveTextDocumentNotification.type, { textDocument });
    const at = editor.at('called-by-name.flow.yaml', 'input: { who', 9);
    const { changes } = (await editor.connection.sendRequest(RenameRequest.type, { ...at, newName: 'person' }))!;
    expect(changes![editor.uriOf('calls-it.flow.yaml')]).toMatchObject([{ newText: 'person' }]);
    expect(editor.withEdits('called-by-name.flow.yaml', changes![editor.uriOf('called-by-name.flow.yaml')]!)).toContain(
      'input: { person: {',
    );
  });
});

describe('the tests of a flow', () => {
  const flow = `flow: tested
start: ask
properties: { nobody is thanked for nothing: { never: { visited: bye, before: ask.collected } } }
steps:
  ask: { collect: { prompt: Your number, digits: { max: 1 } }, exits: { collected: bye, exhausted: bye, error: bye } }
  bye: { hangup: normal }
`;
  const written = `test: it
flow: tested
mocks: { ask: { status: 200 } }
expect: { path: [ask, bye], outcomes: { ask: collected }, messages: [{ step: ask }] }
`;
  const files = {
    'tested/tested.flow.yaml': flow,
    'tested/by-name.test.yaml': written,
    'tested/below/by-file.test.yaml': written.replace('flow: tested', 'flow: "../tested.flow.yaml"'),
    'tested/of-another.test.yaml': written.replace('flow: tested', 'flow: another'),
    'tested/broken.test.yaml': 'flow: tested\nexpect: { path: [ask',
  };

  async function rename(name: string, mark: string, newName: string) {
    const answer = await editor.connection.sendRequest(RenameRequest.type, { ...editor.at(name, mark, 3), newName });
    return answer!.changes!;
  }

  test('are renamed with a step, saved or as they stand in the editor, and so are properties', async () => {
    writeFiles(folder.path, files);
    await editor.open('tested/tested.flow.yaml', flow);
    const typed = written.replace('test: it', '# typed\ntest: it');
    await editor.open('tested/by-name.test.yaml', typed);
    const changes = await rename('tested/tested.flow.yaml', '  ask:', 'find');
    const uris = ['tested/tested.flow.yaml', 'tested/by-name.test.yaml', 'tested/below/by-file.test.yaml'].map((name) =>
      editor.uriOf(name),
    );
    expect(Object.keys(changes).sort()).toEqual(uris.sort());
    expect(editor.withEdits('tested/tested.flow.yaml', changes[editor.uriOf('tested/tested.flow.yaml')]!)).toBe(
      flow.replace('start: ask', 'start: find').replace('  ask:', '  find:').replace('ask.collected', 'find.collected'),
    );
    const inTest = (text: string) => text.replaceAll(/\bask\b/g, 'find');
    const of = 'tested/by-name.test.yaml';
    expect(editor.withEdits(of, changes[editor.uriOf(of)]!)).toBe(inTest(typed));
    const byFile = 'tested/below/by-file.test.yaml';
    const document = TextDocument.create('', 'yaml', 1, files[byFile]);
    expect(TextDocument.applyEdits(document, changes[editor.uriOf(byFile)]!)).toBe(inTest(files[byFile]));
  });
});

describe('the flows of one file', () => {
  const flow = `flow: house
prompts: { hello: Hello. }
start: ask
steps:
  ask: { subflow: greet, exits: { done: bye, error: bye } }
  bye: { log: "\${ $string(steps.ask) }", exits: { done: $end } }
flows:
  greet:
    vars: { name: { type: string, default: x } }
    start: ask
    steps:
      ask: { play: hello, exits: { done: more, error: $end } }
      more: { subflow: other, when: "$exists(steps.ask) and vars.name = 'x'", exits: { done: $end, error: $end } }
  other:
    start: last
    steps:
      last: { log: bye, exits: { done: $end } }
`;
  const written = 'test: it\nflow: house/greet\nexpect: { path: [ask, more, house/other/last], visits: { ask: 1 } }\n';
  const name = 'house/house.flow.yaml';
  beforeAll(async () => {
    writeFiles(folder.path, { [name]: flow, 'house/greet.test.yaml': written });
    await editor.open(name, flow);
    expect(await editor.reportOn(name)).toEqual([]);
  });

  async function definition(mark: string, into: number): Promise<string> {
    const at = editor.at(name, mark, into);
    const found = (await editor.connection.sendRequest(DefinitionRequest.type, at)) as Location;
    const { line } = found.range.start;
    return flow.split('\n')[line]!.trim();
  }

  test.each([
    ['a local flow', 'subflow: other', 10, 'other:'],
    ['a step of a local flow', 'done: more', 7, 'more: { subflow: other, when: '],
    ['a step of its expressions', '$exists(steps.ask', 15, 'ask: { play: hello'],
    ['a prompt of the file', 'play: hello', 7, 'prompts: { hello'],
    ['a step of the file', 'start: ask\nsteps', 8, 'ask: { subflow: greet'],
  ])('%s leads to its definition', async (_, mark, into, line) => {
    expect(await definition(mark, into)).toContain(line);
  });

  test('completes their steps and their names', async () => {
    expect(await labelsAt(name, 'done: more', 6)).toEqual(['ask', 'more', '$end']);
    expect(await labelsAt(name, 'subflow: other', 9)).toEqual(expect.arrayContaining(['greet', 'other', 'house']));
    expect(await labelsAt(name, 'exits: { done: more', 9)).toEqual(['done']);
    expect(await labelsAt(name, '    start: last', 4)).toEqual(expect.arrayContaining(['start', 'vars']));
  });

  test('keeps equal step names of other flows when one is renamed', async () => {
    const inFile = { ...editor.at(name, 'steps:\n  ask', 10), newName: 'first' };
    const first = await editor.connection.sendRequest(RenameRequest.type, inFile);
    expect(Object.keys(first!.changes!)).toEqual([editor.uriOf(name)]);
    expect(editor.withEdits(name, first!.changes![editor.uriOf(name)]!)).toBe(
      flow
        .replace('start: ask\nsteps', 'start: first\nsteps')
        .replace('  ask: { subflow', '  first: { subflow')
        .replace('$string(steps.ask)', '$string(steps.first)'),
    );
    const inLocal = { ...editor.at(name, '      ask: { play', 7), newName: 'first' };
    const { changes } = (await editor.connection.sendRequest(RenameRequest.type, inLocal))!;
    expect(editor.withEdits(name, changes![editor.uriOf(name)]!)).toBe(
      flow
        .replace('    start: ask\n', '    start: first\n')
        .replace('      ask: { play', '      first: { play')
        .replace('$exists(steps.ask)', '$exists(steps.first)'),
    );
    const test = TextDocument.create('', 'yaml', 1, written);
    expect(TextDocument.applyEdits(test, changes![editor.uriOf('house/greet.test.yaml')]!)).toBe(
      written.replaceAll(/\bask\b/g, 'first'),
    );
  });

  test('renames flows in their tests, too', async () => {
    const at = { ...editor.at(name, 'subflow: greet', 10), newName: 'welcome' };
    const { changes } = (await editor.connection.sendRequest(RenameRequest.type, at))!;
    expect(editor.withEdits(name, changes![editor.uriOf(name)]!)).toBe(flow.replaceAll('greet', 'welcome'));
    const test = TextDocument.create('', 'yaml', 1, written);
    expect(TextDocument.applyEdits(test, changes![editor.uriOf('house/greet.test.yaml')]!)).toBe(
      written.replace('house/greet', 'house/welcome'),
    );
    await expect(editor.connection.sendRequest(RenameRequest.type, { ...at, newName: 'other' })).rejects.toThrow(
      /The flow other already exists/,
    );
  });
});

test('explains verbs, keys and outcomes in hover texts', async () => {
  const name = await open(SURVEY);
  const helpAt = async (mark: string): Promise<string> => {
    const help = await editor.connection.sendRequest(HoverRequest.type, editor.at(name, mark, 1));
    return (help!.contents as { value: string }).value;
  };
  expect(await helpAt('collect:')).toMatch(
    /^\*\*collect\*\*[\s\S]*Outcomes:[\s\S]*`exhausted[\s\S]*Keys:[\s\S]*`prompt`/,
  );
  expect(await helpAt('max: 1')).toMatch(/^\*\*max\*\*\n\n\S/);
  expect(await helpAt('collected: note')).toMatch(/^\*\*collected\*\*\n\n\S/);
});

test('lists sections, and steps with their verbs, in the outline', async () => {
  const name = await open(SURVEY);
  const textDocument = { uri: editor.uriOf(name) };
  const found = (await editor.connection.sendRequest(DocumentSymbolRequest.type, { textDocument })) as DocumentSymbol[];
  expect(found.map((each) => [each.name, each.children!.map((child) => [child.name, child.detail])])).toEqual([
    ['vars', [['score', undefined]]],
    [
      'prompts',
      [
        ['rate', undefined],
        ['again', undefined],
        ['thanks', undefined],
      ],
    ],
    [
      'steps',
      [
        ['ask', 'collect'],
        ['bye', 'play'],
        ['note', 'log'],
        ['leave', 'hangup'],
      ],
    ],
  ]);
  const step = found.at(-1)!.children![0]!;
  expect(editor.wordsAt(name, step.range)).toMatch(/^ask:[\s\S]*exhausted: bye$/);
});

describe('formatting', () => {
  async function formatted(text: string): Promise<string | null> {
    const name = await open(text);
    const textDocument = { uri: editor.uriOf(name) };
    const options = { tabSize: 4, insertSpaces: true };
    const edits = await editor.connection.sendRequest(DocumentFormattingRequest.type, { textDocument, options });
    return edits && editor.withEdits(name, edits).replace(`survey-${opened}`, 'survey');
  }

  test.each(['\n', '\r\n'])(
    'puts blanks and empty lines in order, and nothing else (lines end with %j)',
    async (end) => {
      const untidy = SURVEY.replace('vars:\n', '\n  \n\nvars:  \n').replace('the end\n', 'the end \t\n');
      expect(await formatted(`${untidy}\n \n`.replaceAll('\n', end))).toBe(
        SURVEY.replace('vars:\n', '\nvars:\n').replaceAll('\n', end),
      );
      expect(await formatted(SURVEY.trimEnd())).toBe(SURVEY);
    },
  );

  test.each([
    ['|', '    one  \n\n\n    two  \n'],
    ['|+', '    one\n\n\n'],
    ['>', '    one\n\n\n    two\n'],
    ['"one', '\n\n\n    two"\n'],
  ])('leaves a text over several lines as it is: %s', async (first, rest) => {
    const text = SURVEY.replace('  thanks: Thank you. # said at the end\n', `  thanks: ${first}\n${rest}`);
    expect(text).not.toBe(SURVEY);
    expect(await formatted(text)).toBe(text);
    const [head, prompts] = SURVEY.split('prompts:\n');
    const last = `${head}${prompts!.slice(prompts!.indexOf('steps:'))}prompts:\n  thanks: ${first}\n${rest}`;
    expect(await formatted(last)).toBe(last);
  });

  test('is refused for what cannot be read', async () => {
    expect(await formatted(`${SURVEY}  : [ \n`)).toBeNull();
  });
});

test('refuses an unknown method, and answers the next request', async () => {
  await expect(editor.connection.sendRequest('callweave/unknown', {})).rejects.toThrow(/Unhandled method/);
  const name = await open(SURVEY);
  expect(await labelsAt(name, 'start: ')).toEqual(['ask', 'bye', 'note', 'leave']);
});

test('starts this command from the extension for Visual Studio Code', () => {
  const extension = join(ROOT, 'editors/vscode');
  const { main, contributes } = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
  const { default: command } = contributes.configuration.properties['callweave.command'];
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(command.slice(0, 2)).toEqual(['npx', Object.keys(bin)[0]]);
  const program = createProgram(processTerminal);
  expect(program.commands.map((each) => each.name())).toContain(command[2]);
  expect(() => new Script(readFileSync(join(extension, main), 'utf8'))).not.toThrow();
});

test('ends the process when its editor is gone', async () => {
  const other = new EditorClient(folder.path, ['--stdio']);
  await other.begin();
  const ended = once(other.process, 'exit');
  other.process.stdin!.destroy();
  const [status] = await ended;
  expect(status).toBe(1);
  other.connection.dispose();
});
