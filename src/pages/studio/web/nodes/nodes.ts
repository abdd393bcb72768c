/** Texts about the nodes of a cluster: load, warnings, and the replication of Redis. */

import { listText, t } from '../../../shared/web/words/translate.ts';
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

/** Active calls and sessions that must end before the node can be stopped. */
const leftOf = ({ live_calls, live_sessions = 0 }: NodeData): string =>
  listText([
    ...(live_calls > 0 || live_sessions === 0
      ? [t('{count, plural, one {# call} other {# calls}}', { count: live_calls })]
      : []),
    ...(live_sessions > 0 ? [t('{count, plural, one {# room} other {# rooms}}', { count: live_sessions })] : []),
  ]);

export const isEmpty = ({ live_calls, live_sessions = 0 }: NodeData): boolean => live_calls + live_sessions === 0;

export function stateOf(node: NodeData): { words: string; tone: 'good' | 'warn' | '' } {
  if (node.not_ready) return { words: t('takes no calls: {why}', { why: node.not_ready.why }), tone: 'warn' };
  if (!node.draining) return { words: t('takes calls'), tone: 'good' };
  return isEmpty(node)
    ? { words: t('drained: it can be stopped'), tone: '' }
    : { words: t('draining: {left} left', { left: leftOf(node) }), tone: 'warn' };
}

/** Confirmation question before a node is drained. */
export function questionOf(node: NodeData, nodes: readonly NodeData[]): string {
  const others = nodes.filter(({ id, draining }) => id !== node.id && !draining);
  const goesOn = isEmpty(node)
    ? t('It has no calls and no rooms.')
    : t('{left} will continue.', { left: leftOf(node) });
  const question = t('Drain {name}? {goesOn}', { name: node.name, goesOn });
  return others.length === 0
    ? t('{question} No other node takes calls: new ones will be refused.', { question })
    : question;
}

/** True for a cluster: a single process has no lease. */
export const isCluster = ({ nodes }: Nodes): boolean => nodes.some((node) => node.lease_left_ms !== undefined);

/** Problems for the administrator. */
export function warningsOf({ nodes, not_ready: notReady, store }: Nodes): string[] {
  const [answering, ...others] = nodes;
  const namesOf = (found: readonly NodeData[]): string => listText(found.map(({ name }) => name));
  const differing = others.filter(({ flows }) => flows !== undefined && flows !== answering?.flows);
  const versions = new Set(nodes.map(({ version }) => version));
  return [
    ...[{ name: t('This node'), not_ready: notReady }, ...others].flatMap(refusalOf),
    ...(differing.length > 0
      ? [
          t('Other flows than on {name}: {names}. Bring the same files to all nodes.', {
            name: answering!.name,
            names: namesOf(differing),
          }),
        ]
      : []),
    ...(versions.size > 1
      ? [t('The nodes run different versions: {versions}.', { versions: listText(versions) })]
      : []),
    ...(store && !store.reachable && !notReady ? [t('Redis does not answer: nothing is decided until it does.')] : []),
    ...(store?.reachable && store.replicas === 0 && store.durability !== 'memory' && !notReady
      ? [t('Redis has no replica: nothing is decided until one follows.')]
      : []),
    ...(store && isOneServerFromRefusal(store)
      ? [t('Redis has one replica: if one of the two servers is lost, no node takes calls. Start a second replica.')]
      : []),
    ...(nodes.length > 0 && nodes.every(({ draining }) => draining)
      ? [t('All nodes drain: new calls are refused.')]
      : []),
  ];
}

const refusalOf = ({ name, not_ready: reason }: { name: string; not_ready?: NotReadyData | undefined }): string[] =>
  reason
    ? [t('{name} takes no new calls: {means}. To do: {remedy}.', { name, means: reason.means, remedy: reason.remedy })]
    : [];

const isOneServerFromRefusal = ({ reachable, replicas = 0, replicas_wanted: wanted = 0 }: SharedStoreData): boolean =>
  reachable && replicas > 0 && replicas < wanted;

/** Draining nodes that have just become empty and can be stopped. */
export const nowDrained = (before: readonly NodeData[], now: readonly NodeData[]): NodeData[] =>
  now.filter((node) => {
    const earlier = before.find(({ id }) => id === node.id);
    return node.draining && isEmpty(node) && earlier !== undefined && !(earlier.draining && isEmpty(earlier));
  });

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const megabytes = (bytes: number): string => t('{count} MB', { count: Math.round(bytes / 2 ** 20) });

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
  if (!reachable) return [['Redis', t('does not answer')]];
  const { replica_lag_bytes: lag, memory_bytes: memory, commit_p50_ms: half, commit_p99_ms: most } = more;
  return [
    [t('Store'), version ?? 'Redis'],
    [t('Replicas'), lag === undefined ? `${replicas}` : `${replicas}, ${behind(lag)}`],
    ...factOf(t('Its memory'), memory, megabytes),
    ...factOf(t('Half of the commits within'), half, milliseconds),
    ...factOf(t('99 % within'), most, milliseconds),
    [t('Durability'), durability],
  ];
}

const factOf = (title: string, value: number | undefined, words: (value: number) => string): [string, string][] =>
  value === undefined ? [] : [[title, words(value)]];

const milliseconds = (ms: number): string => t('{ms} ms', { ms });

const behind = (bytes: number): string =>
  bytes < 1024 ? t('up to date') : t('{count} kB behind', { count: Math.round(bytes / 1024) });
