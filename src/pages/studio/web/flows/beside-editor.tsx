/** Side pane of the flow editor with the simulator or the tests, loaded when it is first opened. */
import type { Signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { Marks } from '../graph/marks.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLazyScreen } from '../shell/lazy-screen.ts';
import { choose, place } from '../shell/router.ts';

interface Beside {
  name: string;
  text: string;
  graph: FlowGraph;
  selected: Signal<string | undefined>;
  marks: Signal<Marks>;
  /** Changes with each save of the flow. */
  saved: string;
}

/** Panes, by the `beside` parameter of the URL. */
const PANES: Readonly<Record<string, { title: string; keys: string; load(): Promise<FunctionComponent<Beside>> }>> = {
  phone: { title: 'Simulate', keys: 'F9', load: async () => (await import('./screens.ts')).SimulatorPane },
  tests: { title: 'Tests', keys: 'Shift+F9', load: async () => (await import('./screens.ts')).TestsPane },
};

export const isBeside = (): boolean => PANES[place.value.query['beside'] ?? ''] !== undefined;

const toggle = (what: string): void => choose({ beside: place.value.query['beside'] === what ? undefined : what });

/** Buttons that open and close the panes. */
export function BesideButtons() {
  useCommands(() =>
    Object.entries(PANES).map(([what, { title, keys }]) => ({ title, keys, group: 'Flow', run: () => toggle(what) })),
  );
  return (
    <>
      {Object.entries(PANES).map(([what, { title, keys }]) => (
        <button
          key={what}
          type="button"
          class={`button${place.value.query['beside'] === what ? ' on' : ''}`}
          aria-pressed={place.value.query['beside'] === what}
          onClick={() => toggle(what)}
        >
          {title}{' '}
          <span class="wide-only">
            <Keys of={keys} />
          </span>
        </button>
      ))}
    </>
  );
}

export function BesideEditor(beside: Beside) {
  const what = place.value.query['beside'] ?? '';
  const { code: Shown } = useLazyScreen(PANES[what]?.load);
  if (Shown === undefined) return null;
  return <Shown {...beside} />;
}
