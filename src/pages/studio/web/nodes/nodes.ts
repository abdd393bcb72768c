/** Texts about the nodes of a cluster: load, warnings, and the replication of Redis. */
import { request } from '../api.ts';

/** Reason why a node refuses new calls without being drained. */
export interface NotReadyData {
  why: string;
  since: string;
  means: string;
  remedy: string;
}

export interface NodeData {
  id: string;
  name: string;
  version: string;
  address: string;
  started: string;
  live_calls: number;
  load: number;
  draining: boolean;
  answers: boolean;
  live_legs?: number;
  live_sessions?: number;
  process?: { cpu: number; memory_bytes: number; event_loop_ms: number };
  flows?: string;
  not_ready?: NotReadyData;
  /** Absent for a single process. */
  lease_left_ms?: number;
}

export interface SharedStoreData {
  reachable: boolean;
  durability: string;
  version?: string;
  replicas?: number;
  replicas_wanted?: number;
  replica_lag_bytes?: number;
  memory_bytes?: number;
  commit_p50_ms?: number;
  commit_p99_ms?: number;
}

export interface Nodes {
  nodes: readonly NodeData[];
  /** Reason of the node that answered. */
  not_ready?: NotReadyData;
  store?: SharedStoreData;
}

const PATH = '/admin/v1/nodes';

export const readNodes = (): Promise<Nodes> => request<Nodes & Record<string, never>>(PATH);

export const drain = ({ id, draining }: NodeData): Promise<unknown> =>
  request(`${PATH}/${encodeURIComponent(id)}/drain`, { method: draining ? 'DELETE' : 'POST' });

export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Active calls and sessions that must end before the node can be stopped. */
const leftOf = ({ live_calls, live_sessions = 0 }: NodeData): string =>
  [
    ...(live_calls > 0 || live_sessions === 0 ? [countOf(live_calls, 'call')] : []),
    ...(live_sessions > 0 ? [countOf(live_sessions, 'room')] : []),
  ].join(' and ');

export const isEmpty = ({ live_calls, live_sessions = 0 }: NodeData): boolean => live_calls + live_sessions === 0;

export function stateOf(node: NodeData): { words: string; tone: 'good' | 'warn' | '' } {
  if (node.not_ready) return { words: `takes no calls: ${node.not_ready.why}`, tone: 'warn' };
  if (!node.draining) return { words: 'takes calls', tone: 'good' };
  return isEmpty(node)
    ? { words: 'drained: it can be stopped', tone: '' }
    : { words: `draining: ${leftOf(node)} left`, tone: 'warn' };
}

/** Confirmation question before a node is drained. */
export function questionOf(node: NodeData, nodes: readonly NodeData[]): string {
  const others = nodes.filter(({ id, draining }) => id !== node.id && !draining);
  const goesOn = isEmpty(node) ? 'It has no calls and no rooms.' : `${leftOf(node)} will continue.`;
  const left = others.length === 0 ? ' No other node takes calls: new ones will be refused.' : '';
  return `Drain ${node.name}? ${goesOn}${left}`;
}

/** True for a cluster: a single process has no lease. */
export const isCluster = ({ nodes }: Nodes): boolean => nodes.some((node) => node.lease_left_ms !== undefined);

/** Problems for the administrator. */
export function warningsOf({ nodes, not_ready: notReady, store }: Nodes): string[] {
  const [answering, ...others] = nodes;
  const namesOf = (found: readonly NodeData[]): string => found.map(({ name }) => name).join(', ');
  const differing = others.filter(({ flows }) => flows !== undefined && flows !== answering?.flows);
  const versions = new Set(nodes.map(({ version }) => version));
  return [
    ...[{ name: 'This node', not_ready: notReady }, ...others].flatMap(refusalOf),
    ...(differing.length > 0
      ? [`Other flows than on ${answering!.name}: ${namesOf(differing)}. Bring the same files to all nodes.`]
      : []),
    ...(versions.size > 1 ? [`The nodes run different versions: ${[...versions].join(', ')}.`] : []),
    ...(store && !store.reachable && !notReady ? ['Redis does not answer: nothing is decided until it does.'] : []),
    ...(store?.reachable && store.replicas === 0 && store.durability !== 'memory' && !notReady
      ? ['Redis has no replica: nothing is decided until one follows.']
      : []),
    ...(store && isOneServerFromRefusal(store)
      ? ['Redis has one replica: if one of the two servers is lost, no node takes calls. Start a second replica.']
      : []),
    ...(nodes.length > 0 && nodes.every(({ draining }) => draining) ? ['All nodes drain: new calls are refused.'] : []),
  ];
}

const refusalOf = ({ name, not_ready: reason }: { name: string; not_ready?: NotReadyData | undefined }): string[] =>
  reason ? [`${name} takes no new calls: ${reason.means}. To do: ${reason.remedy}.`] : [];

const isOneServerFromRefusal = ({ reachable, replicas = 0, replicas_wanted: wanted = 0 }: SharedStoreData): boolean =>
  reachable && replicas > 0 && replicas < wanted;

/** Draining nodes that have just become empty and can be stopped. */
export const nowDrained = (before: readonly NodeData[], now: readonly NodeData[]): NodeData[] =>
  now.filter((node) => {
    const earlier = before.find(({ id }) => id === node.id);
    return node.draining && isEmpty(node) && earlier !== undefined && !(earlier.draining && isEmpty(earlier));
  });

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

/** CPU, memory and event-loop delay of the process; dashes until they were measured. */
export const costOf = ({ process }: NodeData): Record<'cpu' | 'memory' | 'delay', string> =>
  process
    ? {
        cpu: percent(process.cpu),
        memory: megabytes(process.memory_bytes),
        delay: milliseconds(process.event_loop_ms),
      }
    : { cpu: '–', memory: '–', delay: '–' };

export function storeWords({
  reachable,
  version,
  durability,
  replicas = 0,
  ...more
}: SharedStoreData): [string, string][] {
  if (!reachable) return [['Redis', 'does not answer']];
  const { replica_lag_bytes: lag, memory_bytes: memory, commit_p50_ms: half, commit_p99_ms: most } = more;
  return [
    ['Store', version ?? 'Redis'],
    ['Replicas', lag === undefined ? `${replicas}` : `${replicas}, ${behind(lag)}`],
    ...factOf('Its memory', memory, megabytes),
    ...factOf('Half of the commits within', half, milliseconds),
    ...factOf('99 % within', most, milliseconds),
    ['Durability', durability],
  ];
}

const factOf = (title: string, value: number | undefined, words: (value: number) => string): [string, string][] =>
  value === undefined ? [] : [[title, words(value)]];

const milliseconds = (ms: number): string => `${ms} ms`;

const behind = (bytes: number): string => (bytes < 1024 ? 'up to date' : `${Math.round(bytes / 1024)} kB behind`);
