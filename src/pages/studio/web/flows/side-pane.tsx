/** Side pane of the flow editor with the simulator, the tests or the comments, loaded when it is first opened. */
import type { Signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { comments } from '../comments/comment-store.ts';
import type { Overlays } from '../graph/overlays.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLazyScreen } from '../shell/lazy-screen.ts';
import { location, setQuery } from '../shell/router.ts';

interface SidePaneProps {
  name: string;
  text: string;
  graph: FlowGraph;
  selected: Signal<string | undefined>;
  overlays: Signal<Overlays>;
  /** Changes with each save of the flow. */
  saved: string;
  /** Writes a text as the note of a step. Returns false if the step cannot have one. Absent for a locked flow. */
  makeNote?(step: string, text: string): boolean;
  /** Present name of a step, which can be renamed in the unsaved text. */
  stepNow(step: string): string;
}

interface PaneKind {
  title: string;
  keys: string;
  load(): Promise<FunctionComponent<SidePaneProps>>;
  /** Number after the title. */
  count?(): number;
}

/** Panes, by the `beside` parameter of the URL. */
const PANES: Readonly<Record<string, PaneKind>> = {
  phone: { title: t('Simulate'), keys: 'F9', load: async () => (await import('./screens.ts')).SimulatorPane },
  tests: { title: t('Tests'), keys: 'Shift+F9', load: async () => (await import('./screens.ts')).TestsPane },
  comments: {
    title: t('Comments'),
    keys: 'Ctrl+F9',
    load: async () => (await import('./screens.ts')).CommentsPane,
    count: () => comments.value.filter(({ done }) => done === undefined).length,
  },
};

export const hasSidePane = (): boolean => PANES[location.value.query['beside'] ?? ''] !== undefined;

const toggle = (what: string): void => setQuery({ beside: location.value.query['beside'] === what ? undefined : what });

/** Buttons that open and close the panes. */
export function SidePaneButtons() {
  useCommands(() =>
    Object.entries(PANES).map(([what, { title, keys }]) => ({
      title,
      keys,
      group: t('Flow'),
      run: () => toggle(what),
    })),
  );
  return (
    <>
      {Object.entries(PANES).map(([what, { title, keys, count }]) => (
        <button
          key={what}
          type="button"
          class={`button${location.value.query['beside'] === what ? ' on' : ''}`}
          aria-pressed={location.value.query['beside'] === what}
          onClick={() => toggle(what)}
        >
          {title} {count !== undefined && count() > 0 && <b>{count()}</b>}{' '}
          <span class="wide-only">
            <Keys of={keys} />
          </span>
        </button>
      ))}
    </>
  );
}

export function SidePane(beside: SidePaneProps) {
  const what = location.value.query['beside'] ?? '';
  const { code: Shown } = useLazyScreen(PANES[what]?.load);
  if (Shown === undefined) return null;
  return <Shown {...beside} />;
}
