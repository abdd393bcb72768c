/** `/flows/:name/simulate`: a call in virtual time, the telephone beside the graph. */

import { handleKey } from '../shell/commands.ts';
import { addressOf } from '../shell/router.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { addressOfFlow, FlowBesideGraph } from './beside-graph.tsx';
import { SimulatorPane } from './simulator-pane.tsx';

export function SimulateScreen({ params }: ScreenProps) {
  const name = params['name']!;
  return (
    <FlowBesideGraph
      name={name}
      title="a call in virtual time"
      actions={
        <a class="button" href={addressOf(`${addressOfFlow(name)}/tests`)}>
          Tests
        </a>
      }
      onKeyDownCapture={keysOfPhoneFirst}
    >
      {({ text, graph, selected, marks }) => (
        <SimulatorPane name={name} text={text} graph={graph} selected={selected} marks={marks} />
      )}
    </FlowBesideGraph>
  );
}

/** In the graph, too, `0` is a key of the telephone, and Shift Enter plays on. */
export function keysOfPhoneFirst(event: KeyboardEvent): void {
  const isOurs = event.key === '0' || (event.key === 'Enter' && event.shiftKey);
  if (!isOurs || !(event.target as Element).closest('.canvas')) return;
  handleKey(event);
  event.stopPropagation();
}
