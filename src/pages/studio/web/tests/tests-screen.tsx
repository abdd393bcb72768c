/** Screen `/flows/:name/tests`: tests of a flow next to its graph. */

import { t } from '../../../shared/web/words/translate.ts';
import { FlowBesideGraph } from '../graph/beside-graph.tsx';
import { addressOf, addressOfFlow } from '../shell/router.ts';
import type { ScreenProps } from '../shell/screen.ts';
import { TestsPane } from './tests-pane.tsx';

export function TestsScreen({ params }: ScreenProps) {
  const name = params['name']!;
  return (
    <FlowBesideGraph
      name={name}
      title={t('tests')}
      actions={
        <a class="button" href={addressOf(`${addressOfFlow(name)}/simulate`)}>
          {t('Simulate a call')}
        </a>
      }
    >
      {({ text, graph, version, selected, overlays }) => (
        <TestsPane name={name} text={text} graph={graph} selected={selected} overlays={overlays} saved={version} />
      )}
    </FlowBesideGraph>
  );
}
