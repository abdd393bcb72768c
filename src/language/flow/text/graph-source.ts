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
  /** Last valid graph, and the values that graphs of local flows depend on. */
  #last: { typed: TypedGraph; inner: readonly unknown[] } | undefined;

  constructor(options: Omit<GraphOptions, 'lines' | 'known'>) {
    this.#options = options;
  }

  /** Returns the same object again if the change of the text does not change the graph, such as in a comment. */
  read(text: string): TypedGraph {
    const { value, lines, isSound } = readFlow(text);
    if (!isSound && this.#last !== undefined) return { ...this.#last.typed, isCurrent: false };
    const made = graphOf(value, { ...this.#options, lines, known: this.#known });
    const root = isObject(value as Json) ? (value as Record<string, Json>) : {};
    const inner = [root['flows'], root['prompts']];
    const last = this.#last;
    const graph = last !== undefined && isSameGraph(last.typed.graph, made) ? last.typed.graph : made;
    const hasSameInner = last !== undefined && inner.every((each, index) => each === last.inner[index]);
    if (isSound && last?.typed.graph === graph && hasSameInner) return last.typed;
    const typed = { graph, local: hasSameInner ? last.typed.local : this.#locals(root), isCurrent: isSound };
    // A text without steps is not kept: it is probably about to be written.
    if (isSound && graph.steps.length > 0) this.#last = { typed, inner };
    return typed;
  }

  /** Builds each graph on first use, because most texts change many times before it is drawn. */
  #locals(root: Record<string, Json>): TypedGraph['local'] {
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

/** Unchanged steps keep their object (`KnownSteps`). */
function isSameGraph(one: FlowGraph, other: FlowGraph): boolean {
  const isSameStep = (step: FlowGraph['steps'][number], index: number): boolean => step === other.steps[index];
  const rest = ({ name, start, events, defaults }: FlowGraph): string =>
    JSON.stringify([name, start, events, defaults]);
  return one.steps.length === other.steps.length && one.steps.every(isSameStep) && rest(one) === rest(other);
}
