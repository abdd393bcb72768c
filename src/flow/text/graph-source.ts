/** The graph of a text that is being typed: while it has errors the last sound graph stays, so that the picture does not jump. */
import { type FlowGraph, type GraphOptions, graphOf, KnownSteps } from '../graph.ts';
import { FlowReader } from './slices.ts';

export interface TypedGraph {
  graph: FlowGraph;
  /** The graph is that of this text. */
  isCurrent: boolean;
}

export class GraphSource {
  readonly #reader = new FlowReader();
  readonly #options: Omit<GraphOptions, 'lines' | 'known'>;
  readonly #known = new KnownSteps();
  #last: FlowGraph | undefined;

  constructor(options: Omit<GraphOptions, 'lines' | 'known'>) {
    this.#options = options;
  }

  read(text: string): TypedGraph {
    const { value, lines, isSound } = this.#reader.read(text);
    if (!isSound && this.#last !== undefined) return { graph: this.#last, isCurrent: false };
    const graph = graphOf(value, { ...this.#options, lines, known: this.#known });
    // A text without steps is one that somebody is about to write.
    if (isSound && graph.steps.length > 0) this.#last = graph;
    return { graph, isCurrent: isSound };
  }
}
