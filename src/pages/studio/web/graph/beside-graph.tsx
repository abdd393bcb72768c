/** Layout of screens that show a flow with a pane next to it: breadcrumb, graph with overlays, and the pane. */
import './beside-graph.css';
import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, addressOfFlow, goToFlow, location } from '../shell/router.ts';
import { FlowCanvas } from './canvas.tsx';
import { type FlowOnScreen, useFlow } from './flow-on-screen.ts';
import type { Overlays } from './overlays.ts';

export interface BesideGraph extends FlowOnScreen {
  selected: Signal<string | undefined>;
  overlays: Signal<Overlays>;
}

interface FlowBesideGraphProps {
  name: string;
  title: string;
  /** Links to other pages of the flow. */
  actions: ComponentChildren;
  onKeyDownCapture?(event: KeyboardEvent): void;
  children(beside: BesideGraph): ComponentChildren;
}

export function FlowBesideGraph({ name, title, actions, onKeyDownCapture, children }: FlowBesideGraphProps) {
  const { flow, problem } = useFlow(name);
  const { selected, overlays } = useMemo(
    () => ({ selected: signal<string | undefined>(location.value.query['step']), overlays: signal<Overlays>({}) }),
    [name],
  );
  const shown = flow.value;
  return (
    <Page
      title={`${name}: ${title}`}
      out={addressOfFlow(name)}
      crumb={
        <>
          <a href={addressOf('/flows')}>{t('Flows')}</a> / <a href={addressOf(addressOfFlow(name))}>{name}</a>{' '}
          <small>· {title}</small>
        </>
      }
      actions={actions}
    >
      {shown === undefined ? (
        <p class="empty">{problem.value ?? t('One moment…')}</p>
      ) : (
        <div class="beside-graph" onKeyDownCapture={onKeyDownCapture}>
          <Pane label={t('Graph')} class="graph-pane">
            <FlowCanvas
              graph={shown.graph}
              selected={selected}
              overlays={overlays.value}
              text={() => shown.text}
              onOpen={(step) => goToFlow(name, step)}
              onOpenFlow={goToFlow}
            />
          </Pane>
          {children({ ...shown, selected, overlays })}
        </div>
      )}
    </Page>
  );
}
