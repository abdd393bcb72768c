/** Simulated editor for the language server: a real process, driven by the protocol over its standard streams. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type TextEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ROOT } from './command.ts';

export class EditorClient {
  readonly process: ChildProcess;
  readonly connection: ProtocolConnection;
  readonly #reports: PublishDiagnosticsParams[] = [];
  readonly #documents = new Map<string, TextDocument>();
  readonly #reported = new EventEmitter();
  readonly #folder: string;

  constructor(folder: string, args: readonly string[] = []) {
    this.#folder = folder;
    this.process = spawn(process.execPath, [join(ROOT, 'bin/callweave.js'), 'lsp', ...args], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const reader = new StreamMessageReader(this.process.stdout!);
    this.connection = createProtocolConnection(reader, new StreamMessageWriter(this.process.stdin!));
    this.connection.onNotification(PublishDiagnosticsNotification.type, (report) => {
      this.#reports.push(report);
      this.#reported.emit('report');
    });
    this.connection.listen();
  }

  async begin(): Promise<InitializeResult> {
    const answer = await this.connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: pathToFileURL(this.#folder).href,
      capabilities: {},
    });
    await this.connection.sendNotification(InitializedNotification.type, {});
    return answer;
  }

  /** The exit status. */
  async end(): Promise<number | null> {
    const ended = once(this.process, 'exit');
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
    const [status] = (await ended) as [number | null];
    this.connection.dispose();
    return status;
  }

  uriOf(name: string): string {
    return pathToFileURL(join(this.#folder, name)).href;
  }

  textOf(name: string): string {
    return this.#documents.get(name)!.getText();
  }

  async open(name: string, text: string): Promise<void> {
    const uri = this.uriOf(name);
    this.#documents.set(name, TextDocument.create(uri, 'yaml', 1, text));
    const textDocument = { uri, languageId: 'yaml', version: 1, text };
    await this.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  }

  /** In place of the first occurrence of `old`, as an edit of a part. Returns the version. */
  async replace(name: string, old: string, by: string): Promise<number> {
    const document = this.#documents.get(name)!;
    const from = document.getText().indexOf(old);
    if (from < 0) throw new Error(`there is no ${old} in ${name}`);
    const range = { start: document.positionAt(from), end: document.positionAt(from + old.length) };
    const version = document.version + 1;
    const contentChanges = [{ range, text: by }];
    TextDocument.update(document, contentChanges, version);
    const textDocument = { uri: document.uri, version };
    await this.connection.sendNotification(DidChangeTextDocumentNotification.type, { textDocument, contentChanges });
    return version;
  }

  /** Position of `mark` in the text, plus `into` characters. */
  at(name: string, mark: string, into = 0) {
    const document = this.#documents.get(name)!;
    const offset = document.getText().indexOf(mark);
    if (offset < 0) throw new Error(`there is no ${mark} in ${name}`);
    return { textDocument: { uri: document.uri }, position: document.positionAt(offset + into) };
  }

  /** The text after edits, which are not made. */
  withEdits(name: string, edits: readonly TextEdit[]): string {
    return TextDocument.applyEdits(this.#documents.get(name)!, [...edits]);
  }

  wordsAt(name: string, range: Diagnostic['range']): string {
    return this.#documents.get(name)!.getText(range);
  }

  reportsOn(name: string): PublishDiagnosticsParams[] {
    const uri = this.uriOf(name);
    return this.#reports.filter((report) => report.uri === uri);
  }

  /** The report on a version of a document, which may have come already. */
  async reportOn(name: string, version = 1): Promise<Diagnostic[]> {
    for (;;) {
      const found = this.reportsOn(name).findLast((report) => report.version === version);
      if (found !== undefined) return found.diagnostics;
      await once(this.#reported, 'report');
    }
  }

  /** Waits for a report that is wanted, behind `count` others. Returns how many there were then. */
  async reportWith(name: string, count: number, isWanted: (found: Diagnostic[]) => boolean): Promise<number> {
    for (;;) {
      const index = this.reportsOn(name).findIndex(({ diagnostics }, at) => at >= count && isWanted(diagnostics));
      if (index >= 0) return index + 1;
      await once(this.#reported, 'report');
    }
  }
}
