/** Sends a request to another node on behalf of the administrator who made the request here. */
import { isObject, type JsonObject, parseJson } from '../../base/core/json.ts';
import type { HttpRelay } from '../../base/http/http-relay.ts';
import type { NodeInfo } from '../cluster/cluster.ts';
import { FORWARD_HEADER, type ForwardSigner, NO_BODY, NOT_TAKEN } from '../cluster/forward-signature.ts';
import type { SignedIn } from './admin-auth.ts';
import { ApiError } from './api-error.ts';

export type AskNode = (
  node: NodeInfo,
  method: string,
  path: string,
  by: SignedIn,
) => Promise<{ status: number; body: JsonObject }>;

const TIMEOUT_MS = 5000;

/** Expects a short JSON response. */
export const askNodeOf =
  ({ signer, relay }: { signer: ForwardSigner; relay: HttpRelay }): AskNode =>
  async (node, method, path, { name, role, via }) => {
    const identity: JsonObject = { administrator: { name, role, via } };
    const answer = await relay.send({
      ...{ method, url: new URL(node.address + path), timeoutMs: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) },
      headers: { [FORWARD_HEADER]: signer.sign(node.id, { method, path, digest: NO_BODY, identity }) },
    });
    if ('failure' in answer) {
      throw new ApiError('node_lost', `${node.name} cannot be reached`, { headers: { 'retry-after': '1' } });
    }
    // Converts a refused signature to `node_lost`: the administrator is authenticated and must not see 401.
    if (answer.status === 401) {
      answer.body.resume();
      throw new ApiError('node_lost', `${node.name}: ${NOT_TAKEN}`, { headers: { 'retry-after': '1' } });
    }
    const body = parseJson(Buffer.concat(await answer.body.toArray()).toString());
    return { status: answer.status, body: isObject(body) ? body : {} };
  };
