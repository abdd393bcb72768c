/**
 * Screen for the nodes of a cluster, live: load and cost of each node, its lease and its drain. Uses `nodes.ts`. A
 * chunk of its own, because most installations are a single process.
 */
import './nodes.css';
import { useEffect, useRef } from 'preact/hooks';
import { pageLocale, t, tNodes } from '../../../shared/web/words/translate.ts';
import { durationOf } from '../call-rows/call-times.ts';
import { SettingsFrame } from '../settings/frame.tsx';
import { useCommands } from '../shell/commands.ts';
import { useEvery, useLoaded } from '../shell/load.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { rowAtFocus, rowCommands } from '../shell/rows.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import {
  costOf,
  drain,
  isCluster,
  type NodeData,
  type Nodes,
  nowDrained,
  questionOf,
  readNodes,
  stateOf,
  storeWords,
  warningsOf,
} from './nodes.ts';

const REFRESH_MS = 1000;
const GROUP = t('Nodes');

export function NodesPage() {
  const { loaded, reload } = useLoaded(readNodes);
  useEvery(REFRESH_MS, reload);
  const there = loaded.value.state === 'there' ? loaded.value.value : undefined;
  const before = useRef<readonly NodeData[]>([]);
  useEffect(() => {
    if (!there) return;
    for (const { name } of nowDrained(before.current, there.nodes))
      tell(t('{name} is empty: it can be stopped', { name }));
    before.current = there.nodes;
  }, [there]);
  const order = (node: NodeData): void => {
    if (!node.draining && !confirm(questionOf(node, there?.nodes ?? []))) return;
    drain(node)
      .then(
        () =>
          tell(
            node.draining
              ? t('{name} takes calls again', { name: node.name })
              : t('{name} takes no new calls', { name: node.name }),
          ),
        tellError,
      )
      .finally(reload);
  };
  useCommands(
    () => [
      ...rowCommands(t('node'), GROUP),
      {
        title: t('Drain this node, or let it take calls again'),
        ...{ keys: 'd', group: GROUP, changes: true },
        run() {
          const node = there?.nodes.find(({ id }) => id === rowAtFocus());
          if (node) order(node);
        },
      },
    ],
    [there],
  );
  return (
    <SettingsFrame slug="nodes" title={t('Nodes')} about={t('The processes that are this service together.')}>
      {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
      {there && (
        <>
          {warningsOf(there).map((warning) => (
            <p key={warning} class="pill warn" role="alert">
              {warning}
            </p>
          ))}
          <Totals of={there} />
          <NodeTable nodes={there.nodes} order={order} />
          {!isCluster(there) && <HowToBegin />}
        </>
      )}
    </SettingsFrame>
  );
}

function Totals({ of: { nodes, store } }: { of: Nodes }) {
  const calls = nodes.reduce((sum, node) => sum + node.live_calls, 0);
  const facts: [string, string][] = [
    [t('Nodes'), `${nodes.length}`],
    [t('Live calls'), `${calls}`],
    ...(store ? storeWords(store) : []),
  ];
  return (
    <dl class="facts">
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function NodeTable({ nodes, order }: { nodes: readonly NodeData[]; order(node: NodeData): void }) {
  return (
    <div class="wide">
      <table class="table nodes">
        <thead>
          <tr>
            <th scope="col">{t('node')}</th>
            <th scope="col">{t('state')}</th>
            <th scope="col">{t('calls')}</th>
            <th scope="col">CPU</th>
            <th scope="col">{t('memory')}</th>
            <th scope="col">
              <abbr title={t('How late 99 % of the timers of its event loop were at most')}>{t('delay')}</abbr>
            </th>
            <th scope="col">{t('lease')}</th>
            <th scope="col">{t('version')}</th>
            <th scope="col">{t('up')}</th>
            <WriteAccessOnly>
              <th scope="col">
                <span class="unseen">{t('drain')}</span>
              </th>
            </WriteAccessOnly>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <Row key={node.id} node={node} order={order} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ node, order }: { node: NodeData; order(node: NodeData): void }) {
  const { id, name, address, live_calls: calls, live_legs: legs, load, lease_left_ms: left } = node;
  const { words, tone } = stateOf(node);
  const { cpu, memory, delay } = costOf(node);
  return (
    <tr>
      <th scope="row" class="node-name">
        <span data-row={id} tabIndex={-1}>
          {name}
        </span>{' '}
        {node.answers && <span class="pill">{t('answers this page')}</span>}
        <small>{address}</small>
      </th>
      <td data-title="state">
        <span class={`pill ${tone}`}>{words}</span>
      </td>
      <td data-title="calls">
        <meter
          min={0}
          max={1}
          high={0.8}
          optimum={0}
          value={Math.min(1, load)}
          aria-label={t('Load of {name}', { name })}
        >
          {Math.round(load * 100)} %
        </meter>{' '}
        {calls}
        {legs !== undefined && <small>{t('{count, plural, one {# leg} other {# legs}}', { count: legs })}</small>}
      </td>
      <td data-title="CPU">{cpu}</td>
      <td data-title={t('memory')}>{memory}</td>
      <td data-title={t('delay')}>{delay}</td>
      <td data-title={t('lease')}>
        {left === undefined ? t('needs none') : t('{count} s left', { count: (left / 1000).toFixed(1) })}
      </td>
      <td data-title={t('version')}>{node.version}</td>
      <td data-title={t('up')}>
        <time dateTime={node.started} title={new Date(node.started).toLocaleString(pageLocale())}>
          {durationOf(Date.now() - Date.parse(node.started))}
        </time>
      </td>
      <WriteAccessOnly>
        <td class="row-acts">
          <button
            type="button"
            class={`button ${node.draining ? '' : 'danger'}`}
            aria-label={node.draining ? t('Let {name} take calls', { name }) : t('Drain {name}', { name })}
            onClick={() => order(node)}
          >
            {node.draining ? t('Take calls') : t('Drain')}
          </button>
        </td>
      </WriteAccessOnly>
    </tr>
  );
}

const HowToBegin = () => (
  <section aria-label={t('More than one node')}>
    <h2>{t('More than one node')}</h2>
    <p>
      {tNodes(
        'This service is one process, which is enough for most. Where a machine may be lost, or is not enough, several processes become one service: each is given the section {section} of its configuration, and they share a Redis with a replica. {page} says how, and what happens when something dies.',
        { section: <code>cluster</code>, page: <code>docs/cluster.md</code> },
      )}
    </p>
    <pre>{`cluster:
  redis: { url: redis://10.0.0.4:6379, password: { env: REDIS_PASSWORD } }
  key: { env: CLUSTER_KEY }
  address: http://10.0.0.5:8080`}</pre>
  </section>
);
