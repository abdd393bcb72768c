/**
 * Renames steps, local flows, variables, inputs and prompts, in the flow, in the flows that call it, and in tests, which
 * are next to it or below its folder. `language/flow/text/rename.ts` and `rename-names.ts` find the places.
 *
 * Invariant: an open test is edited in its current text; an unreadable or invalid test is not changed.
 */
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LSPErrorCodes, ResponseError, type TextEdit, type WorkspaceEdit } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { isTestFile } from '../../language/flow/flow-file.ts';
import { filesInFolder, readText } from '../../language/flow/flow-folder.ts';
import { localName } from '../../language/flow/local-flows.ts';
import { type Edit, type Edits, isRefusal } from '../../language/flow/text/edits.ts';
import { localFlowsIn, placesOfFlow } from '../../language/flow/text/local-names.ts';
import { type Name, nameAt } from '../../language/flow/text/names.ts';
import { renameStep, renameStepInTest } from '../../language/flow/text/rename.ts';
import {
  type RenamedKind,
  renameInputInCaller,
  renameName,
  renameNameInTest,
} from '../../language/flow/text/rename-names.ts';
import { type YamlPath, YamlScanner } from '../../language/flow/text/scan-yaml.ts';
import { type LspFlowText, language } from './flow-text.ts';

/** Returns an open document by its URI. */
export type OpenDocuments = (uri: string) => TextDocument | undefined;

const FLOW_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

export const refuse = (message: string, hint?: string): never => {
  throw new ResponseError(LSPErrorCodes.RequestFailed, hint === undefined ? message : `${message}: ${hint}`);
};

/** Step, local flow, variable, input or prompt at a position, with the range of its name. */
export function renamableAt(flow: LspFlowText, at: number): Name {
  const name = nameAt(flow.namesAt(at), at);
  const isOfFile = name?.kind !== 'flow' || localFlowsIn(flow.words).some((local) => local.name === name.name);
  return name !== undefined && isOfFile && name.name !== '$end'
    ? name
    : refuse(
        'Only steps, variables, inputs, prompts and flows of this file can be renamed',
        'place the cursor on the name of one',
      );
}

/** Flows beside a flow, which may call it. */
export type OtherFlows = () => readonly { file: string; text: string }[];

export interface RenameRequested {
  at: number;
  to: string;
  open: OpenDocuments;
  others: OtherFlows;
}

export function renameAt(flow: LspFlowText, requested: RenameRequested): WorkspaceEdit {
  const { kind, name } = renamableAt(flow, requested.at);
  const { at, to, open } = requested;
  if (kind === 'flow') return renameLocalFlow(flow, name, to, open);
  return kind === 'step' ? renameStepOf(flow, at, name, to, open) : renameNameOf(flow, kind, name, requested);
}

/** Renames a variable, an input or a prompt. A local flow may use a prompt of the file. */
function renameNameOf(
  flow: LspFlowText,
  kind: RenamedKind,
  from: string,
  { at, to, open, others }: RenameRequested,
): WorkspaceEdit {
  const local = flow.localFlowAt(at);
  const isOwn = (path: YamlPath): boolean => local !== undefined && path[0] === 'flows' && path[1] === local;
  const isDefinedHere =
    local !== undefined &&
    (kind !== 'prompt' ||
      flow.words.some(({ path }) => isOwn(path) && path.length === 4 && path[2] === 'prompts' && path[3] === from));
  const within = isDefinedHere ? ['flows', local] : [];
  const edits = renameName(flow.text, kind, { from, to, within }, language.verbs);
  if (isRefusal(edits)) return refuse(edits.refused, edits.hint);
  const called = isDefinedHere ? localName(flow.name, local) : flow.name;
  const inTests = changesOfTests(flow, open, (text, file) =>
    renameNameInTest(text, kind, (isDefinedHere ? undefined : namedByPath(text, file, flow)) ?? called, { from, to }),
  );
  const changes: Record<string, TextEdit[]> = { ...inTests };
  const own = edits.map((edit) => flow.editOf(edit));
  if (kind === 'input') {
    // Flows of the same file call a local flow by its plain name.
    const inFile = renameInputInCaller(flow.text, [isDefinedHere ? local : called], { from, to }, language.verbs);
    if (!isRefusal(inFile)) own.push(...inFile.map((edit) => flow.editOf(edit)));
    for (const { file } of others()) {
      const uri = pathToFileURL(file).href;
      const document = file === flow.file ? undefined : (open(uri) ?? documentOf(uri, file));
      if (document === undefined) continue;
      const made = renameInputInCaller(document.getText(), [called], { from, to }, language.verbs);
      if (!isRefusal(made) && made.length > 0) changes[uri] = textEdits(document, made);
    }
  }
  return { changes: { ...changes, [flow.uri]: own } };
}

/** Renames a step with its routes, expressions that read its result, properties and tests. */
function renameStepOf(flow: LspFlowText, at: number, from: string, to: string, open: OpenDocuments): WorkspaceEdit {
  const local = flow.localFlowAt(at);
  const edits = renameStep(flow.text, { from, to }, language.verbs, local === undefined ? [] : ['flows', local]);
  if (isRefusal(edits)) return refuse(edits.refused, edits.hint);
  const tested = local === undefined ? flow.name : localName(flow.name, local);
  const inTests = changesOfTests(flow, open, (text, file) => {
    const named = local === undefined ? namedByPath(text, file, flow) : undefined;
    return renameStepInTest(text, named ?? tested, { from, to }, language.verbs);
  });
  return { changes: { ...inTests, [flow.uri]: edits.map((edit) => flow.editOf(edit)) } };
}

function renameLocalFlow(flow: LspFlowText, from: string, to: string, open: OpenDocuments): WorkspaceEdit {
  if (!FLOW_NAME.test(to))
    return refuse(`"${to}" is not a valid flow name`, 'use letters, digits, _, - and ., at most 64');
  if (localFlowsIn(flow.words).some(({ name }) => name === to)) return refuse(`The flow ${to} already exists`);
  const edits = placesOfFlow(flow.text, language.verbs, flow.words, from).map(
    (place): Edit => ({ ...place, insert: to }),
  );
  const full = localName(flow.name, from);
  const inTests = changesOfTests(flow, open, (text) =>
    new YamlScanner(text).words.flatMap((word): Edit[] => {
      if (word.text !== full && !word.text.startsWith(`${full}/`)) return [];
      const start = word.from + text.slice(word.from, word.to).indexOf(full) + full.length - from.length;
      return [{ from: start, to: start + from.length, insert: to }];
    }),
  );
  return { changes: { ...inTests, [flow.uri]: edits.map((edit) => flow.editOf(edit)) } };
}

/** Name of the flow in a test that refers to it by file. */
function namedByPath(text: string, file: string, flow: LspFlowText): string | undefined {
  const written = /^flow:[ \t]*["']?([^"'\s#]+\.(?:ya?ml|json))["']?[ \t]*(?:#.*)?\r?$/m.exec(text)?.[1];
  return written !== undefined && resolve(dirname(file), written) === flow.file ? written : undefined;
}

function changesOfTests(
  { file }: LspFlowText,
  open: OpenDocuments,
  editsOf: (text: string, file: string) => Edits,
): Record<string, TextEdit[]> {
  const changes: Record<string, TextEdit[]> = {};
  for (const test of testsBeside(file)) {
    const uri = pathToFileURL(test).href;
    const document = open(uri) ?? documentOf(uri, test);
    if (document === undefined) continue;
    const edits = editsOf(document.getText(), test);
    if (isRefusal(edits) || edits.length === 0) continue;
    changes[uri] = textEdits(document, edits);
  }
  return changes;
}

const textEdits = (document: TextDocument, edits: readonly Edit[]): TextEdit[] =>
  edits.map(({ from, to, insert }) => ({
    range: { start: document.positionAt(from), end: document.positionAt(to) },
    newText: insert,
  }));

function testsBeside(file: string): string[] {
  try {
    return filesInFolder(dirname(file), isTestFile);
  } catch {
    return [];
  }
}

function documentOf(uri: string, file: string): TextDocument | undefined {
  const { text } = readText(file);
  return text === undefined ? undefined : TextDocument.create(uri, 'yaml', 0, text);
}
