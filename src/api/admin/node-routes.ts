/** The nodes that are one service, and the drain of one of them, whichever node is asked. */
import { CallError } from '../../calls/call-error.ts';
import type { DrainOrders } from '../../calls/settings/operation.ts';
import type { NodeInfo } from '../../cluster/cluster.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { iso } from '../response-bodies.ts';
import { type AdminParts, type AdminRequest, type AdminRoute, adminRoute, many, one } from './admin-route.ts';
import { drainBody } from './operation-routes.ts';

const NODE = '/nodes/{node}/drain';

export const NODE_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/nodes', {
    summary: 'lists the nodes of the cluster, this one first: calls, load, lease; a single process is one node',
    response: many('nodes', 'node'),
    handle: (_request, { nodes: { cluster } }) => cluster.nodes().map((node) => nodeBody(node, cluster.me)),
  }),
  adminRoute('POST', NODE, {
    summary: 'lets a node take no new calls, whichever node is asked; what goes on goes on',
    response: one('drain'),
    errors: ['unknown_setting', 'in_use'],
    handle: (request, parts) => orderDrain('begin', request, parts),
  }),
  adminRoute('DELETE', NODE, {
    summary: 'lets a node take new calls again',
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

/** By its id, or by its name where only one has it. */
function findNode(asked: string, nodes: readonly NodeInfo[]): NodeInfo {
  const found = nodes.filter(({ id, name }) => id === asked || name === asked);
  if (found.length === 1) return found[0]!;
  const hint = `the nodes are ${nodes.map(({ name, id }) => `${name} (${id})`).join(', ')}`;
  const message = found.length === 0 ? 'there is no such node' : 'several nodes have this name: use the id';
  throw new CallError('unknown_setting', message, { hint });
}

const nodeBody = (node: NodeInfo, me: string): Record<string, Json> => ({
  id: node.id,
  name: node.name,
  version: node.version,
  address: node.address,
  started: iso(node.startedMs),
  live_calls: node.liveCalls,
  load: Math.round(node.load * 1000) / 1000,
  draining: node.isDraining,
  lease_age_ms: node.leaseAgeMs,
  answers: node.id === me,
});
