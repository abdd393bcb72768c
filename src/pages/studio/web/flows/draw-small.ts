/** Layout of thumbnails, loaded when the first of them comes into view. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { GraphSource } from '../../../../language/flow/text/graph-source.ts';
import type { Drawing } from '../graph/drawing.ts';
import { layOut } from '../graph/layout.ts';
import { textWidth } from '../graph/text-width.ts';
import { loadLanguage } from '../text/load-language.ts';

export const drawGraph = (graph: FlowGraph): Drawing => layOut(graph, { measure: textWidth });

export const drawText = async (text: string): Promise<Drawing> =>
  drawGraph(new GraphSource({ verbs: (await loadLanguage()).verbs }).read(text).graph);
