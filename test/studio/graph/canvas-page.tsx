/** The canvas alone, for tests in a browser: `studio` shows a text, and records the callbacks of the drawing. */
import '../../../src/pages/shared/web/theme.css';
import '../../../src/pages/studio/web/style.css';
import '../../../src/pages/studio/web/graph/picture.css';
import { type Signal, signal } from '@preact/signals';
import { render } from 'preact';
import type { FlowGraph, GraphLanguage } from '../../../src/language/flow/graph.ts';
import { GraphSource } from '../../../src/language/flow/text/graph-source.ts';
import { FlowCanvas } from '../../../src/pages/studio/web/graph/canvas.tsx';
import type { EditCallbacks } from '../../../src/pages/studio/web/graph/edit-callbacks.ts';
import type { Overlays } from '../../../src/pages/studio/web/graph/overlays.ts';

declare global {
  var studio: {
    text: Signal<string>;
    selected: Signal<string | undefined>;
    overlays: Signal<Overlays>;
    live: Signal<ReadonlyMap<string, number>>;
    calls: unknown[][];
    show(text: string, language: GraphLanguage, others?: Record<string, string>): void;
    close(): void;
  };
}

const calls: unknown[][] = [];
const note =
  (name: string) =>
  (...args: unknown[]): void => {
    calls.push([name, ...args]);
  };
const callbacks = Object.fromEntries(
  ['onRetarget', 'onAdd', 'onRename', 'onDelete', 'onOpen', 'onOpenFlow', 'onPaste'].map((name) => [name, note(name)]),
) as EditCallbacks;
const text = signal('');
const selected = signal<string | undefined>(undefined);
const overlays = signal<Overlays>({});
const live = signal<ReadonlyMap<string, number>>(new Map());

function show(first: string, verbs: GraphLanguage, others: Record<string, string> = {}): void {
  calls.length = 0;
  selected.value = undefined;
  overlays.value = {};
  live.value = new Map();
  text.value = first;
  const source = new GraphSource({ verbs });
  const known = new Map<string, FlowGraph>();
  const flows = (name: string): FlowGraph | undefined => {
    const other = others[name];
    if (other !== undefined && !known.has(name)) known.set(name, new GraphSource({ verbs }).read(other).graph);
    return known.get(name);
  };
  const Page = () => (
    <main class="canvas-page">
      <FlowCanvas
        {...callbacks}
        onCopy={(step) => `the text of ${step}`}
        graph={source.read(text.value).graph}
        selected={selected}
        overlays={overlays.value}
        flows={flows}
        text={() => text.value}
      />
    </main>
  );
  render(<Page />, document.body);
}

const close = (): void => render(null, document.body);

globalThis.studio = { text, selected, overlays, live, calls, show, close };
