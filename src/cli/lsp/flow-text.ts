/**
 * A flow document in the editor: its words, names, graph, and conversion of positions. All answers of the language
 * server are based on it. `language/flow/text/` interprets the words.
 *
 * Invariant: offsets refer to `text`, which has no byte order mark; positions of the protocol refer to the document.
 */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Position, Range, TextEdit } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { DOCUMENT_LIMITS } from '../../base/schema/document.ts';
import { isFlowByName, looksLikeFlow, mayHoldFlow } from '../../language/flow/flow-file.ts';
import { type FlowGraph, graphOf } from '../../language/flow/graph.ts';
import { languageOf } from '../../language/flow/language.ts';
import { namesSeenFrom } from '../../language/flow/local-flows.ts';
import type { CompletionContext } from '../../language/flow/text/completion.ts';
import { type Edit, isRefusal } from '../../language/flow/text/edits.ts';
import { openText, valueAt } from '../../language/flow/text/flow-source.ts';
import { GraphSource } from '../../language/flow/text/graph-source.ts';
import { localFlowAt, namesOfPart } from '../../language/flow/text/local-names.ts';
import type { NamesInFlow } from '../../language/flow/text/names.ts';
import { type Word, YamlScanner } from '../../language/flow/text/scan-yaml.ts';
import { verbs } from '../../verbs/steps.ts';

export const language = languageOf(verbs);

const MARK = '\ufeff';

export class LspFlowText {
  readonly uri: string;
  readonly version: number;
  readonly file: string;
  readonly text: string;
  readonly #document: TextDocument;
  readonly #mark: number;
  readonly #graphs: GraphSource;
  #words: readonly Word[] | undefined;
  readonly #names = new Map<string | undefined, NamesInFlow>();

  /** `graphs` holds the last valid graph of the document. */
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

  /** True for documents above the size limit of flows, which are not parsed. */
  get isTooLarge(): boolean {
    return this.text.length > DOCUMENT_LIMITS.bytes;
  }

  get words(): readonly Word[] {
    this.#words ??= this.isTooLarge ? [] : new YamlScanner(this.text).words;
    return this.#words;
  }

  /** Name of the main flow. */
  get name(): string {
    return this.words.find(({ kind, path }) => kind === 'value' && path.length === 1 && path[0] === 'flow')?.text ?? '';
  }

  /** Name of the flow under `flows` at a position. Undefined in the main flow. */
  localFlowAt(at: number): string | undefined {
    return localFlowAt(this.words, at);
  }

  /** Names visible to the flow at a position. */
  namesAt(at: number): NamesInFlow {
    return this.namesOf(this.localFlowAt(at));
  }

  namesOf(local: string | undefined): NamesInFlow {
    const known = this.#names.get(local) ?? namesOfPart(this.text, language.verbs, this.words, local);
    this.#names.set(local, known);
    return known;
  }

  #graphOf(local: string | undefined): FlowGraph | undefined {
    if (local === undefined) return this.#graphs.read(this.text).graph;
    const source = openText(this.text);
    const value = isRefusal(source) ? undefined : valueAt(source.value, ['flows', local]);
    return value === undefined ? undefined : graphOf(value, { verbs: language.verbs });
  }

  /** Context for completion and hover. `flows`: names of callable flows. */
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

/** Documents that are flows, by the same rule as for files in `check`. */
export class FlowTexts {
  readonly #graphs = new Map<string, GraphSource>();
  readonly #texts = new WeakMap<TextDocument, LspFlowText>();

  /** Undefined for documents that are not flows. */
  of(document: TextDocument | undefined): LspFlowText | undefined {
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
    const text = new LspFlowText(document, file, graphs);
    this.#texts.set(document, text);
    return text;
  }

  forget({ uri }: TextDocument): void {
    this.#graphs.delete(uri);
  }
}

/** Unsaved documents have no folder in which other flows could be found. */
export function fileOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
