/**
 * Graph of a text that is being typed: while the text has errors, the last valid graph is kept, so that the drawing
 * does not jump.
 */
import type { Json } from '../../../base/core/json.ts';
import { isObject } from '../../../base/core/json.ts';
import { type FlowGraph, type GraphOptions, graphOf, KnownSteps } from '../graph.ts';
import { readFlow } from './flow-reader.ts';

export interface TypedGraph {
  graph: FlowGraph;
  /** True if the graph is that of the current text. */
  isCurrent: boolean;
  /** Graph of a local flow, under `flows` of the text, by its plain name. */
  local(name: string): FlowGraph | undefined;
}

export class GraphSource {
  readonly #options: Omit<GraphOptions, 'lines' | 'known'>;
  readonly #known = new KnownSteps();
  #last: Pick<TypedGraph, 'graph' | 'local'> | undefined;

  constructor(options: Omit<GraphOptions, 'lines' | 'known'>) {
    this.#options = options;
  }

  read(text: string): TypedGraph {
    const { value, lines, isSound } = readFlow(text);
    if (!isSound && this.#last !== undefined) return { ...this.#last, isCurrent: false };
    const graph = graphOf(value, { ...this.#options, lines, known: this.#known });
    const drawn = { graph, local: this.#locals(value) };
    // A text without steps is not kept: it is probably about to be written.
    if (isSound && graph.steps.length > 0) this.#last = drawn;
    return { ...drawn, isCurrent: isSound };
  }

  /** Builds each graph on first use, because most texts change many times before it is drawn. */
  #locals(value: unknown): TypedGraph['local'] {
    const root = isObject(value as Json) ? (value as Record<string, Json>) : {};
    const made = new Map<string, FlowGraph>();
    return (name) => {
      const written = isObject(root['flows']) && Object.hasOwn(root['flows'], name) ? root['flows'][name] : undefined;
      if (!isObject(written)) return undefined;
      const known = made.get(name) ?? graphOf({ prompts: root['prompts'], ...written, flow: name }, this.#options);
      made.set(name, known);
      return known;
    };
  }
}
