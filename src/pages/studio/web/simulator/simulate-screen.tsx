/** Screen `/flows/:name/simulate`: a call in virtual time, with the simulator next to the graph. */

import { t } from '../../../shared/web/words/translate.ts';
import { FlowBesideGraph } from '../graph/beside-graph.tsx';
import { addressOf, addressOfFlow } from '../shell/router.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { keysOfPhoneFirst } from './phone-keys.ts';
import { SimulatorPane } from './simulator-pane.tsx';

export function SimulateScreen({ params }: ScreenProps) {
  const name = params['name']!;
  return (
    <FlowBesideGraph
      name={name}
      title={t('a call in virtual time')}
      actions={
        <a class="button" href={addressOf(`${addressOfFlow(name)}/tests`)}>
          {t('Tests')}
        </a>
      }
      onKeyDownCapture={keysOfPhoneFirst}
    >
      {({ text, graph, selected, overlays }) => (
        <SimulatorPane name={name} text={text} graph={graph} selected={selected} overlays={overlays} />
      )}
    </FlowBesideGraph>
  );
}
