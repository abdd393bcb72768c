/** `callweave export`: a flow in other formats, for documents and programs. */
import { dirname } from 'node:path';
import type { JsonObject } from '../base/core/json.ts';
import { loadDocument } from '../base/schema/load.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import { diagramOf } from '../language/flow/diagram.ts';
import { type FlowGraph, graphOf } from '../language/flow/graph.ts';
import { graphLanguageOf } from '../language/flow/graph-language.ts';
import { localName, partNamed } from '../language/flow/local-flows.ts';
import { xstateConfigOf } from '../language/flow/xstate-config.ts';
// These studio modules are pure and run without a browser.
import { exportSvg } from '../pages/studio/web/graph/export-svg.ts';
import { layOut } from '../pages/studio/web/graph/layout.ts';
import { textWidth } from '../pages/studio/web/graph/text-width.ts';
import { verbs } from '../verbs/steps.ts';
import { refuseDiagnostics } from './diagnostics.ts';
import { readText } from './find-files.ts';
import { checkFile, libraryOf } from './flow-files.ts';
import { type Terminal, UsageError } from './terminal.ts';

type Format = 'mermaid' | 'svg' | 'xstate';

export interface ExportCommandOptions {
  format?: Format;
  flow?: string;
}

export function exportFlow(file: string, options: ExportCommandOptions, terminal: Terminal): void {
  const { flow: main, locals, diagnostics } = checkFile(file);
  if (main === undefined) refuseDiagnostics(diagnostics, terminal);
  const flows = [main, ...locals];
  const flow = options.flow === undefined ? main : flowOfFile(options.flow, flows);
  terminal.print(FORMATS[options.format ?? 'mermaid'](flow, file, flows).trimEnd());
}

type Exporter = (flow: CompiledFlow, file: string, flows: readonly CompiledFlow[]) => string;

const FORMATS: Readonly<Record<Format, Exporter>> = {
  mermaid: (flow) => diagramOf(flow),
  svg: drawingOf,
  xstate: (flow) => JSON.stringify(xstateConfigOf(flow), null, 2),
};

/** A flow of the file: the main one, or one under `flows` by its local or full name. */
function flowOfFile(name: string, flows: readonly CompiledFlow[]): CompiledFlow {
  const found = flows.find((flow) => flow.name === name || flow.name === localName(flows[0]!.name, name));
  if (found !== undefined) return found;
  throw new UsageError(`the file has no flow ${name}`, `the flows are ${flows.map((flow) => flow.name).join(', ')}`);
}

/** Drawing as in the studio. Subflows of the same file are drawn inside their steps. */
function drawingOf({ name }: CompiledFlow, file: string, flows: readonly CompiledFlow[]): string {
  const text = readText(file);
  const document = loadDocument(text, file).document!;
  const options = { verbs: graphLanguageOf(verbs), flows: libraryOf(dirname(file), [file]).summaries() };
  const graphNamed = (flow: string): FlowGraph => graphOf(partNamed(document, flow).value as JsonObject, options);
  const openedAt = (graph: FlowGraph, [step, ...inner]: readonly string[]): readonly FlowGraph[] => {
    const opens = graph.steps.find((each) => each.name === step)?.opens ?? [];
    const opened = opens.filter((each) => flows.slice(1).some((local) => local.name === each)).map(graphNamed);
    const around = opened.find(({ steps }) => steps.some((each) => each.name === inner[0]));
    return inner.length === 0 ? opened : around === undefined ? [] : openedAt(around, inner);
  };
  const graph = { ...graphNamed(name), name };
  const drawing = layOut(graph, { measure: textWidth, openedIn: (path) => openedAt(graph, path.split('/')) });
  return exportSvg(graph, drawing, { text });
}
