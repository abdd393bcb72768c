/** Admin routes for the nodes of a cluster and their drain. Every node can answer them. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { CallError } from '../../calls/call-error.ts';
import type { DrainOrders } from '../../calls/settings/operation.ts';
import type { NodeInfo } from '../../cluster/cluster.ts';
import { replicasWanted } from '../../cluster/replicas-wanted.ts';
import type { StoreState } from '../../cluster/shared-parts.ts';
import { iso, notReadyBody, tenths } from '../response-bodies.ts';
import { type AdminParts, type AdminRequest, type AdminRoute, adminRoute, one } from './admin-route.ts';
import { drainBody } from './operation-routes.ts';

const NODE = '/nodes/{node}/drain';

export const NODE_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/nodes', {
    summary:
      'lists the nodes of the cluster, this one first, with calls, resource usage and lease; a service without a cluster is one node',
    response: one('nodes'),
    async handle(_request, { nodes: { cluster, store, problem }, now }) {
      const state = await store?.state();
      const notReady = problem();
      const nodes = cluster.nodes().map((node) => nodeBody(node, cluster.me));
      return {
        nodes,
        ...(notReady ? { not_ready: notReadyBody(notReady) } : {}),
        ...(state ? { store: storeBody(state) } : {}),
        timestamp: now(),
      };
    },
  }),
  adminRoute('POST', NODE, {
    summary: 'drains a node: new calls are refused, active calls continue. Any node accepts the request',
    response: one('drain'),
    errors: ['unknown_setting', 'in_use'],
    handle: (request, parts) => orderDrain('begin', request, parts),
  }),
  adminRoute('DELETE', NODE, {
    summary: 'ends the drain of a node',
    response: one('drain'),
    errors: ['unknown_setting', 'in_use'],
    handle: (request, parts) => orderDrain('cancel', request, parts),
  }),
];

async function orderDrain(
  order: keyof Pick<DrainOrders, 'begin' | 'cancel'>,
  { params, res, signedIn }: AdminRequest,
  { nodes: { cluster, askNode }, drain, now }: AdminParts,
): Promise<JsonObject | undefined> {
  const node = findNode(params.node, cluster.nodes());
  if (node.id === cluster.me || !askNode) return drainBody(drain[order](), now());
  const method = order === 'begin' ? 'POST' : 'DELETE';
  const { status, body } = await askNode(node, method, '/admin/v1/drain', signedIn);
  if (status === 200) return body;
  res.status(status).json(body);
  return undefined;
}

/** Finds a node by its id, or by its name if that is unique. */
function findNode(asked: string, nodes: readonly NodeInfo[]): NodeInfo {
  const found = nodes.filter(({ id, name }) => id === asked || name === asked);
  if (found.length === 1) return found[0]!;
  const hint = `the nodes are ${nodes.map(({ name, id }) => `${name} (${id})`).join(', ')}`;
  const message = found.length === 0 ? 'node not found' : 'several nodes have this name: use the ID';
  throw new CallError('unknown_setting', message, { hint });
}

const nodeBody = (node: NodeInfo, me: string): JsonObject =>
  defined<JsonObject>({
    id: node.id,
    name: node.name,
    version: node.version,
    address: node.address,
    started: iso(node.startedMs),
    live_calls: node.liveCalls,
    live_legs: node.liveLegs,
    live_sessions: node.liveSessions,
    load: Math.round(node.load * 1000) / 1000,
    process: node.process && {
      cpu: Math.round(node.process.cpu * 1000) / 1000,
      memory_bytes: node.process.memoryBytes,
      event_loop_ms: tenths(node.process.loopDelayMs),
    },
    flows: node.flows,
    draining: node.isDraining,
    not_ready: node.notReady && notReadyBody(node.notReady),
    clock_offset_ms: node.clockOffsetMs,
    lease_age_ms: node.leaseAgeMs,
    lease_left_ms: node.leaseLeftMs,
    answers: node.id === me,
  });

const storeBody = (state: StoreState): JsonObject =>
  defined<JsonObject>({
    reachable: state.isReachable,
    durability: state.durability,
    version: state.version,
    replicas: state.replicas,
    replicas_wanted: replicasWanted(state.durability),
    replica_lag_bytes: state.replicaLagBytes,
    memory_bytes: state.memoryBytes,
    memory_limit_bytes: state.memoryLimitBytes,
    commit_p50_ms: state.commitP50Ms === undefined ? undefined : tenths(state.commitP50Ms),
    commit_p99_ms: state.commitP99Ms === undefined ? undefined : tenths(state.commitP99Ms),
  });
