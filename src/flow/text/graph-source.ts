/** The graph of a text that is being typed: while it has errors the last sound graph stays, so that the picture does not jump. */
import type { Json } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import { type FlowGraph, type GraphOptions, graphOf, KnownSteps } from '../graph.ts';
import { FlowReader } from './slices.ts';

export interface TypedGraph {
  graph: FlowGraph;
  /** The graph is that of this text. */
  isCurrent: boolean;
  /** Of a flow that stands under `flows` of the text, by its plain name. */
  local(name: string): FlowGraph | undefined;
}

export class GraphSource {
  readonly #reader = new FlowReader();
  readonly #options: Omit<GraphOptions, 'lines' | 'known'>;
  readonly #known = new KnownSteps();
  #last: Pick<TypedGraph, 'graph' | 'local'> | undefined;

  constructor(options: Omit<GraphOptions, 'lines' | 'known'>) {
    this.#options = options;
  }

  read(text: string): TypedGraph {
    const { value, lines, isSound } = this.#reader.read(text);
    if (!isSound && this.#last !== undefined) return { ...this.#last, isCurrent: false };
    const graph = graphOf(value, { ...this.#options, lines, known: this.#known });
    const drawn = { graph, local: this.#locals(value) };
    // A text without steps is one that somebody is about to write.
    if (isSound && graph.steps.length > 0) this.#last = drawn;
    return { ...drawn, isCurrent: isSound };
  }

  /** Each is made when it is first drawn: most texts are read many times before that. */
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
