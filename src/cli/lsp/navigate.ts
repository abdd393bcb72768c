/** Navigation: definitions, references, and the outline of a document. Uses `language/flow/text/names.ts`. */
import { pathToFileURL } from 'node:url';
import { type DocumentSymbol, type Location, SymbolKind } from 'vscode-languageserver/node';
import type { FlowLibrary } from '../../language/flow/flow-library.ts';
import { mainFlowOf, plainName } from '../../language/flow/local-flows.ts';
import { verbAt } from '../../language/flow/text/completion.ts';
import { localFlowsIn, placesOfFlow } from '../../language/flow/text/local-names.ts';
import { definitionOf, type Name, type NameKind, nameAt, rangeOfStep, usesOf } from '../../language/flow/text/names.ts';
import { type Word, YamlScanner } from '../../language/flow/text/scan-yaml.ts';
import { lineStarts } from '../../language/flow/text/text-edits.ts';
import { type LspFlowText, language } from './flow-text.ts';

/** Definition of a step, prompt, variable or input of this flow, or of another flow. */
export function definitionAt(flow: LspFlowText, at: number, library: FlowLibrary): Location | undefined {
  const names = flow.namesAt(at);
  const name = nameAt(names, at);
  if (name === undefined) return undefined;
  const found = definitionOf(names, name);
  if (found) return { uri: flow.uri, range: flow.rangeOf(found) };
  return name.kind === 'flow' ? beginningOf(name.name, library) : undefined;
}

/** Line that contains the name of a flow, in its file or under `flows`. */
function beginningOf(name: string, library: FlowLibrary): Location | undefined {
  const source = library.sources().find((each) => each.name === mainFlowOf(name));
  if (source === undefined) return undefined;
  const { words } = new YamlScanner(source.text);
  const local = localFlowsIn(words).find((each) => each.name === plainName(name));
  const isName = ({ kind, path }: Word): boolean => kind === 'value' && path.length === 1 && path[0] === 'flow';
  const from = local?.from ?? words.find(isName)?.from ?? 0;
  const line = Math.max(
    0,
    lineStarts(source.text).findLastIndex((start) => start <= from),
  );
  const start = { line, character: 0 };
  return { uri: pathToFileURL(source.file).href, range: { start, end: start } };
}

export function referencesAt(flow: LspFlowText, at: number, withDefinition: boolean): Location[] {
  const names = flow.namesAt(at);
  const name = nameAt(names, at);
  if (name === undefined) return [];
  const definition = definitionOf(names, name);
  // All flows of the file can refer to a local flow.
  const used =
    name.kind === 'flow' ? placesOfFlow(flow.text, language.verbs, flow.words, name.name) : usesOf(names, name);
  const uses = used.filter(({ from }) => from !== definition?.from);
  const found = [...(definition && withDefinition ? [definition] : []), ...uses];
  return found.map((each) => ({ uri: flow.uri, range: flow.rangeOf(each) }));
}

const SECTIONS: Readonly<Partial<Record<NameKind, SymbolKind>>> = {
  step: SymbolKind.Function,
  prompt: SymbolKind.String,
  variable: SymbolKind.Variable,
  input: SymbolKind.Variable,
  flow: SymbolKind.Module,
};

/** Sections of a flow with the names they define. */
export function symbolsOf(flow: LspFlowText): DocumentSymbol[] {
  const { words } = flow;
  const { defined } = flow.namesOf(undefined);
  const sections = words.filter(({ kind, path }) => kind === 'key' && path.length === 1);
  return sections.flatMap((section, index) => {
    const next = sections[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const inside = defined.filter(({ from, kind }) => from > section.from && from < next && SECTIONS[kind]);
    if (inside.length === 0) return [];
    const to = Math.max(...words.filter(({ from }) => from < next).map((word) => word.to));
    const symbol: DocumentSymbol = {
      name: section.text,
      kind: SymbolKind.Namespace,
      range: flow.rangeOf({ from: section.from, to }),
      selectionRange: flow.rangeOf(section),
      children: inside.map((name, position) => symbolOf(flow, name, inside[position + 1]?.from ?? to)),
    };
    return [symbol];
  });
}

function symbolOf(flow: LspFlowText, { kind, name, from, to }: Name, next: number): DocumentSymbol {
  const whole = kind === 'step' ? rangeOfStep(flow.namesOf(undefined), name) : undefined;
  const verb = kind === 'step' ? verbAt({ words: flow.words, language }, name) : undefined;
  const end =
    whole?.to ??
    Math.max(to, ...flow.words.filter((word) => word.from >= from && word.from < next).map((word) => word.to));
  return {
    name,
    kind: SECTIONS[kind]!,
    range: flow.rangeOf({ from, to: Math.max(to, end) }),
    selectionRange: flow.rangeOf({ from, to }),
    ...(verb !== undefined && { detail: verb }),
  };
}
