/**
 * A document of an editor that is a flow: its words, names and graph, and its places as the protocol counts them. All
 * answers of the language server are made of it. Neighbour: `flow/text/` knows what the words mean.
 *
 * Invariant: offsets are those of `text`, which has no byte order mark; the protocol's places are those of the document.
 */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Position, Range, TextEdit } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { isFlowByName, looksLikeFlow, mayHoldFlow } from '../../flow/flow-file.ts';
import { type FlowGraph, graphOf } from '../../flow/graph.ts';
import { languageOf } from '../../flow/language.ts';
import { namesSeenFrom } from '../../flow/local-flows.ts';
import type { CompletionContext } from '../../flow/text/completion.ts';
import { type Edit, isRefusal } from '../../flow/text/edits.ts';
import { openText, valueAt } from '../../flow/text/flow-source.ts';
import { GraphSource } from '../../flow/text/graph-source.ts';
import { localFlowAt, namesOfPart } from '../../flow/text/local-names.ts';
import type { FlowNames } from '../../flow/text/names.ts';
import { type Word, YamlScanner } from '../../flow/text/scan-yaml.ts';
import { DOCUMENT_LIMITS } from '../../schema/document.ts';
import { verbs } from '../../steps/index.ts';

export const language = languageOf(verbs);

const MARK = '\ufeff';

export class FlowText {
  readonly uri: string;
  readonly version: number;
  readonly file: string;
  readonly text: string;
  readonly #document: TextDocument;
  readonly #mark: number;
  readonly #graphs: GraphSource;
  #words: readonly Word[] | undefined;
  readonly #names = new Map<string | undefined, FlowNames>();

  /** `graphs` has the last sound graph of the document. */
  constructor(document: TextDocument, file: string, graphs: GraphSource) {
    const written = document.getText();
    this.uri = document.uri;
    this.version = document.version;
    this.file = file;
    this.#document = document;
    this.#mark = written.startsWith(MARK) ? MARK.length : 0;
    this.text = written.slice(this.#mark);
    this.#graphs = graphs;
  }

  /** The words of what is larger than any flow are not looked for. */
  get isTooLarge(): boolean {
    return this.text.length > DOCUMENT_LIMITS.bytes;
  }

  get words(): readonly Word[] {
    this.#words ??= this.isTooLarge ? [] : new YamlScanner(this.text).words;
    return this.#words;
  }

  /** The flow of the file. */
  get name(): string {
    return this.words.find(({ kind, path }) => kind === 'value' && path.length === 1 && path[0] === 'flow')?.text ?? '';
  }

  /** The name of the flow under `flows` that a place is in; undefined in the flow of the file. */
  localFlowAt(at: number): string | undefined {
    return localFlowAt(this.words, at);
  }

  /** Those that the flow at a place sees. */
  namesAt(at: number): FlowNames {
    return this.namesOf(this.localFlowAt(at));
  }

  namesOf(local: string | undefined): FlowNames {
    const known = this.#names.get(local) ?? namesOfPart(this.text, this.words, local);
    this.#names.set(local, known);
    return known;
  }

  #graphOf(local: string | undefined): FlowGraph | undefined {
    if (local === undefined) return this.#graphs.read(this.text).graph;
    const source = openText(this.text);
    const value = isRefusal(source) ? undefined : valueAt(source.value, ['flows', local]);
    return value === undefined ? undefined : graphOf(value, { verbs: language.verbs });
  }

  /** What completion and help need to know at a place; `flows` are the names of the flows in sight. */
  context(at: number, flows: readonly string[] = []): CompletionContext {
    const { words, defined } = this.namesAt(at);
    const named = namesSeenFrom(this.name, flows);
    return { language, graph: this.#graphOf(this.localFlowAt(at)), words, defined, flows: named };
  }

  editOf({ insert, ...range }: Edit): TextEdit {
    return { range: this.rangeOf(range), newText: insert };
  }

  offsetOf(position: Position): number {
    return Math.max(0, this.#document.offsetAt(position) - this.#mark);
  }

  rangeOf({ from, to }: { from: number; to: number }): Range {
    const placeOf = (at: number): Position => this.#document.positionAt(at + this.#mark);
    return { start: placeOf(from), end: placeOf(to) };
  }
}

/** The documents that are flows, by the rule that `check` has for the files of a folder. */
export class FlowTexts {
  readonly #graphs = new Map<string, GraphSource>();
  readonly #texts = new WeakMap<TextDocument, FlowText>();

  /** Undefined for what is not a flow. */
  of(document: TextDocument | undefined): FlowText | undefined {
    if (document === undefined) return undefined;
    const known = this.#texts.get(document);
    if (known?.version === document.version) return known;
    const file = fileOf(document.uri);
    const name = file === undefined ? '' : basename(file);
    if (file === undefined || !(isFlowByName(name) || (mayHoldFlow(name) && looksLikeFlow(document.getText())))) {
      return undefined;
    }
    const graphs = this.#graphs.get(document.uri) ?? new GraphSource({ verbs: language.verbs });
    this.#graphs.set(document.uri, graphs);
    const text = new FlowText(document, file, graphs);
    this.#texts.set(document, text);
    return text;
  }

  forget({ uri }: TextDocument): void {
    this.#graphs.delete(uri);
  }
}

/** Documents that were never saved have no folder in which their flows could be looked for. */
function fileOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
