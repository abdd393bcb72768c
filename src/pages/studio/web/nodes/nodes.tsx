/**
 * Screen for the nodes of a cluster, live: load and cost of each node, its lease and its drain. Uses `nodes.ts`. A
 * chunk of its own, because most installations are a single process.
 */
import './nodes.css';
import { useEffect, useRef } from 'preact/hooks';
import { durationOf } from '../call-rows/call-times.ts';
import { SettingsFrame } from '../settings/frame.tsx';
import { useCommands } from '../shell/commands.ts';
import { useEvery, useLoaded } from '../shell/load.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { rowAtFocus, rowCommands } from '../shell/rows.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import {
  costOf,
  countOf,
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
const GROUP = 'Nodes';

export function NodesPage() {
  const { loaded, reload } = useLoaded(readNodes);
  useEvery(REFRESH_MS, reload);
  const there = loaded.value.state === 'there' ? loaded.value.value : undefined;
  const before = useRef<readonly NodeData[]>([]);
  useEffect(() => {
    if (!there) return;
    for (const { name } of nowDrained(before.current, there.nodes)) tell(`${name} is empty: it can be stopped`);
    before.current = there.nodes;
  }, [there]);
  const order = (node: NodeData): void => {
    if (!node.draining && !confirm(questionOf(node, there?.nodes ?? []))) return;
    drain(node)
      .then(() => tell(node.draining ? `${node.name} takes calls again` : `${node.name} takes no new calls`), tellError)
      .finally(reload);
  };
  useCommands(
    () => [
      ...rowCommands('node', GROUP),
      {
        title: 'Drain this node, or let it take calls again',
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
    <SettingsFrame slug="nodes" title="Nodes" about="The processes that are this service together.">
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
    ['Nodes', `${nodes.length}`],
    ['Live calls', `${calls}`],
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
            <th scope="col">node</th>
            <th scope="col">state</th>
            <th scope="col">calls</th>
            <th scope="col">CPU</th>
            <th scope="col">memory</th>
            <th scope="col">
              <abbr title="How late 99 % of the timers of its event loop were at most">delay</abbr>
            </th>
            <th scope="col">lease</th>
            <th scope="col">version</th>
            <th scope="col">up</th>
            <WriteAccessOnly>
              <th scope="col">
                <span class="unseen">drain</span>
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
        {node.answers && <span class="pill">answers this page</span>}
        <small>{address}</small>
      </th>
      <td data-title="state">
        <span class={`pill ${tone}`}>{words}</span>
      </td>
      <td data-title="calls">
        <meter min={0} max={1} high={0.8} optimum={0} value={Math.min(1, load)} aria-label={`Load of ${name}`}>
          {Math.round(load * 100)} %
        </meter>{' '}
        {calls}
        {legs !== undefined && <small>{countOf(legs, 'leg')}</small>}
      </td>
      <td data-title="CPU">{cpu}</td>
      <td data-title="memory">{memory}</td>
      <td data-title="delay">{delay}</td>
      <td data-title="lease">{left === undefined ? 'needs none' : `${(left / 1000).toFixed(1)} s left`}</td>
      <td data-title="version">{node.version}</td>
      <td data-title="up">
        <time dateTime={node.started} title={new Date(node.started).toLocaleString()}>
          {durationOf(Date.now() - Date.parse(node.started))}
        </time>
      </td>
      <WriteAccessOnly>
        <td class="row-acts">
          <button
            type="button"
            class={`button ${node.draining ? '' : 'danger'}`}
            aria-label={node.draining ? `Let ${name} take calls` : `Drain ${name}`}
            onClick={() => order(node)}
          >
            {node.draining ? 'Take calls' : 'Drain'}
          </button>
        </td>
      </WriteAccessOnly>
    </tr>
  );
}

const HowToBegin = () => (
  <section aria-label="More than one node">
    <h2>More than one node</h2>
    <p>
      This service is one process, which is enough for most. Where a machine may be lost, or is not enough, several
      processes become one service: each is given the section <code>cluster</code> of its configuration, and they share
      a Redis with a replica. <code>docs/cluster.md</code> says how, and what happens when something dies.
    </p>
    <pre>{`cluster:
  redis: { url: redis://10.0.0.4:6379, password: { env: REDIS_PASSWORD } }
  key: { env: CLUSTER_KEY }
  address: http://10.0.0.5:8080`}</pre>
  </section>
);
