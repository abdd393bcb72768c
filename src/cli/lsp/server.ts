/**
 * The language server: open documents, and handlers for requests. Uses `checks.ts` (diagnostics), `complete.ts`,
 * `navigate.ts` and `change.ts`.
 *
 * Invariants
 * - documents that are neither flows nor tests get no answers and no diagnostics;
 * - only protocol messages are written to the output; the process ends with its client.
 */
import {
  type Connection,
  createConnection,
  DidChangeWatchedFilesNotification,
  type InitializeResult,
  type Position,
  type ReferenceParams,
  type RenameParams,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { version } from '../../base/version.ts';
import type { ConfiguredFlowNames } from '../../config.ts';
import { actionsIn, formatted } from './change.ts';
import { Checks } from './checks.ts';
import { completionAt, hoverAt } from './complete.ts';
import { diagnosticOf } from './diagnostic.ts';
import { FlowTexts, type LspFlowText } from './flow-text.ts';
import { definitionAt, referencesAt, symbolsOf } from './navigate.ts';
import { renamableAt, renameAt } from './rename.ts';

export interface ServerOptions {
  paths: readonly string[];
  names: ConfiguredFlowNames | undefined;
}

const WATCHED = '**/*.{yaml,yml,json,wav,mp3}';

const INITIALIZED: InitializeResult = {
  serverInfo: { name: 'callweave', version: version() },
  capabilities: {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    completionProvider: { triggerCharacters: ['.', ' '] },
    hoverProvider: true,
    definitionProvider: true,
    referencesProvider: true,
    renameProvider: { prepareProvider: true },
    codeActionProvider: { codeActionKinds: ['quickfix', 'source.fixAll'] },
    documentSymbolProvider: true,
    documentFormattingProvider: true,
  },
};

export function serve(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, options: ServerOptions): void {
  const connection = createConnection(input, output);
  const documents = new TextDocuments(TextDocument);
  const flows = new FlowTexts();
  const checks = new Checks({
    ...options,
    open: () => documents.all().flatMap((document) => flows.of(document) ?? []),
    report(flow, problems) {
      const diagnostics = problems.map((problem) => diagnosticOf(flow, problem));
      void connection.sendDiagnostics({ uri: flow.uri, version: flow.version, diagnostics });
    },
    failed: (error) => connection.console.error(String(error)),
  });
  let watches = false;

  connection.onInitialize(({ capabilities }) => {
    watches = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return INITIALIZED;
  });
  connection.onInitialized(() => {
    if (!watches) return;
    const watchers = [{ globPattern: WATCHED }];
    void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  });
  const filesChanged = (): void => {
    checks.filesChanged();
    for (const document of documents.all()) if (flows.of(document) === undefined) reportOnTest(document);
  };
  connection.onDidChangeWatchedFiles(filesChanged);
  documents.onDidSave(filesChanged);
  documents.onDidChangeContent(({ document }) => {
    if (flows.of(document) !== undefined) checks.soon(document.uri);
    else reportOnTest(document);
  });
  /** Reports nothing on documents that are neither flows nor tests. */
  const reportOnTest = (document: TextDocument): void => {
    const problems = checks.problemsOfTest(document.uri, document.getText());
    const diagnostics = problems.map((problem) =>
      diagnosticOf(
        { rangeOf: ({ from, to }) => ({ start: document.positionAt(from), end: document.positionAt(to) }) },
        problem,
      ),
    );
    void connection.sendDiagnostics({ uri: document.uri, version: document.version, diagnostics });
  };
  documents.onDidClose(({ document }) => {
    flows.forget(document);
    void connection.sendDiagnostics({ uri: document.uri, diagnostics: [] });
    // Other flows use the saved file again.
    filesChanged();
  });
  answer(connection, documents, flows, checks);
  documents.listen(connection);
  connection.listen();
}

interface Asked {
  textDocument: { uri: string };
}

function answer(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  flows: FlowTexts,
  checks: Checks,
): void {
  const flowOf = ({ textDocument }: Asked): LspFlowText | undefined => flows.of(documents.get(textDocument.uri));
  /** Handler for a position in a flow. Returns null for other documents. */
  const about =
    <Params extends Asked & { position: Position }, Answer>(
      make: (flow: LspFlowText, at: number, params: Params) => Answer | undefined,
    ) =>
    (params: Params): Answer | null => {
      const flow = flowOf(params);
      return flow === undefined ? null : (make(flow, flow.offsetOf(params.position), params) ?? null);
    };
  connection.onCompletion(about((flow, at) => completionAt(flow, at, checks.libraryOf(flow))));
  connection.onHover(about((flow, at) => hoverAt(flow, at, checks.libraryOf(flow))));
  connection.onDefinition(about((flow, at) => definitionAt(flow, at, checks.libraryOf(flow))));
  connection.onReferences(
    about((flow, at, { context }: ReferenceParams) => referencesAt(flow, at, context.includeDeclaration)),
  );
  connection.onPrepareRename(
    about((flow, at) => {
      const name = renamableAt(flow, at);
      return { range: flow.rangeOf(name), placeholder: name.name };
    }),
  );
  connection.onRenameRequest(
    about((flow, at, { newName: to }: RenameParams) =>
      renameAt(flow, {
        ...{ at, to, open: (uri) => documents.get(uri) },
        others: () => checks.libraryOf(flow).sources(),
      }),
    ),
  );
  connection.onCodeAction((params) => {
    const flow = flowOf(params);
    return flow === undefined ? null : actionsIn(flow, params.range, checks.problemsOf(flow));
  });
  connection.onDocumentFormatting((params) => {
    const flow = flowOf(params);
    return flow === undefined ? null : formatted(flow);
  });
  connection.onDocumentSymbol((params) => {
    const flow = flowOf(params);
    return flow === undefined ? null : symbolsOf(flow);
  });
}
