/**
 * Forwards requests to the node that holds their object, unchanged and only once; the response is passed back. Requests
 * for a call go to the node of the call before their body is read. Data stored on one node, such as recordings and
 * conferences, is searched on the other nodes if it is not here.
 *
 * Invariants
 * F1 a forwarded request is not forwarded again;
 * F2 the first node authenticates the client; the other node trusts only the signature of the cluster
 * (`service/cluster/forward-signature.ts`). Credentials are not forwarded;
 * F3 an authenticated client never gets the 401 with which a node refuses the signature of another node.
 */
import { pipeline } from 'node:stream/promises';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { Log } from '../../base/core/log.ts';
import type { HttpRelay } from '../../base/http/http-relay.ts';
import type { LocateCall } from '../cluster/call-locator.ts';
import type { NodeInfo } from '../cluster/cluster.ts';
import { digestOf, FORWARD_HEADER, type ForwardSigner, NOT_TAKEN } from '../cluster/forward-signature.ts';
import type { SignedIn } from './admin-auth.ts';
import { ApiError, type ApiErrorCode, toApiError } from './api-error.ts';
import { expectBody } from './forwarded-body.ts';
import { MAX_BODY_BYTES } from './json-body.ts';
import { stateOf } from './request-context.ts';
import { ROUTES, withVoicePrefix } from './routes.ts';

export interface Forwarding {
  locate: LocateCall;
  /** All nodes except this one. */
  others(): readonly NodeInfo[];
  /** Data directory of this node, which identifies its data. */
  archive: string;
  /** Names of nodes that have left the cluster. */
  lost(): readonly string[];
  signer: ForwardSigner;
  relay: HttpRelay;
  log: Log;
}

/** Long enough for speech synthesis. */
const ANSWER_TIMEOUT_MS = 60_000;
const RETRY_AFTER_S = 1;
const UNAUTHORIZED = 401;

/** Hop-by-hop headers (RFC 9110 §7.6.1), and headers that are set for the other connection. */
const NOT_PASSED = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'expect',
    'host',
  ],
  ...['content-length', 'content-encoding', 'authorization', 'cookie', 'origin', FORWARD_HEADER],
]);
const NOT_RETURNED = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date', 'x-request-id']);

/** Errors after which other nodes are asked. */
const ELSEWHERE: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>([
  'unknown_call',
  'unknown_recording',
  'unknown_play',
  'unknown_conference',
  'unknown_callback',
  'unknown_room',
  'unknown_session',
  'unknown_broadcast',
  'room_unknown',
  'archive_file_unknown',
]);

/** F2: throws if the signature is not that of a node for this request. */
export const acceptForwarded =
  ({ signer }: Forwarding) =>
  (req: Request, res: Response): void => {
    const header = req.get(FORWARD_HEADER);
    if (header === undefined) return;
    const signed = signer.verify(header, { method: req.method, path: req.originalUrl });
    if ('refused' in signed) throw new ApiError('unauthorized', `${FORWARD_HEADER}: ${signed.refused}`);
    expectBody(req, signed.digest);
    const { projectId, administrator } = signed.identity as {
      projectId?: string;
      administrator?: SignedIn & JsonObject;
    };
    stateOf(res).forwarded = defined({ projectId, administrator, digest: signed.digest });
  };

/** Forwards requests for a call to its node. */
export function forwardToOwner(forwarding: Forwarding): RequestHandler {
  const readBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  return (req, res, next) => {
    const callId = callIn(req);
    const found = callId === undefined ? 'here' : forwarding.locate(callId);
    if (found === 'here') return next();
    const send = async (): Promise<void> => {
      const place = await found;
      if (place === 'here') return next();
      // F1
      if (place === 'lost' || stateOf(res).forwarded) throw nodeLost('the call is no longer on this node');
      await new Promise<void>((resolve, reject) => {
        readBody(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
      });
      const body = Buffer.isBuffer(req.body) ? req.body : undefined;
      const answer = await ask(place, req, res, body, forwarding);
      if ('failure' in answer) throw unreachable(place, answer, forwarding);
      await passOn(answer, res);
    };
    send().catch(next);
  };
}

/** Asks the other nodes one by one for an object that is not here. */
export const searchElsewhere =
  (forwarding: Forwarding): ErrorRequestHandler =>
  (thrown, req, res, next) => {
    const { forwarded, project, administrator } = stateOf(res);
    const isSearched = ELSEWHERE.has(toApiError(thrown).code) && !forwarded && (project ?? administrator) !== undefined;
    const others = isSearched && !res.headersSent ? forwarding.others() : [];
    let refused: ApiError | undefined;
    const search = async (): Promise<boolean> => {
      const body = req.body === undefined ? undefined : Buffer.from(JSON.stringify(req.body));
      for (const node of others) {
        const answer = await ask(node, req, res, body, forwarding);
        if ('failure' in answer && answer.isRefused) refused = unreachable(node, answer, forwarding);
        if ('failure' in answer) continue;
        if (answer.status !== 404) return passOn(answer, res).then(() => true);
        answer.body.resume();
      }
      return false;
    };
    // The object may be on a node that could not be reached.
    search().then((isFound) => isFound || next(refused ?? thrown), next);
  };

/** Authenticated identity, in the form that other nodes accept. */
export function identityOf(res: Response): JsonObject {
  const { project, administrator } = stateOf(res);
  return defined<JsonObject>({
    projectId: project?.projectId,
    administrator: administrator && { name: administrator.name, role: administrator.role, via: administrator.via },
  });
}

type Relayed = Awaited<ReturnType<HttpRelay['send']>>;
type Answer = Exclude<Relayed, { failure: string }>;
interface Unanswered {
  failure: string;
  isSent: boolean;
  /** True if the node refuses this node's signature. */
  isRefused?: boolean;
}

async function ask(
  node: NodeInfo,
  req: Request,
  res: Response,
  body: Buffer | undefined,
  { signer, relay }: Forwarding,
): Promise<Answer | Unanswered> {
  const { requestId } = stateOf(res);
  const identity = identityOf(res);
  const { method, originalUrl: path } = req;
  const sent = body !== undefined && body.length > 0 ? body : undefined;
  const signed = signer.sign(node.id, { method, path, digest: digestOf(sent ?? Buffer.alloc(0)), identity });
  const given = Object.entries(req.headers).filter(
    ([name, value]) => typeof value === 'string' && !NOT_PASSED.has(name),
  );
  const left = new AbortController();
  res.once('close', () => left.abort());
  const answer = await relay.send({
    ...{ method, url: new URL(node.address + path), body: sent, timeoutMs: ANSWER_TIMEOUT_MS, signal: left.signal },
    headers: {
      ...(Object.fromEntries(given) as Record<string, string>),
      ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
      [FORWARD_HEADER]: signed,
    },
  });
  if ('failure' in answer || answer.status !== UNAUTHORIZED) return answer;
  answer.body.resume();
  return { failure: NOT_TAKEN, isSent: false, isRefused: true };
}

async function passOn({ status, headers, body }: Answer, res: Response): Promise<void> {
  res.status(status);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !NOT_RETURNED.has(name)) res.setHeader(name, value);
  }
  // A truncated response must not look complete: the connection is closed.
  await pipeline(body, res).catch(() => res.destroy());
}

function unreachable({ id, name }: NodeInfo, { failure, isSent }: Unanswered, { log }: Forwarding): ApiError {
  log.warn('cluster.not_reached', { node: id, name, failure });
  const doubt = isSent ? '; the request may have been executed' : '';
  return nodeLost(`the owning node cannot be reached${doubt}`);
}

const nodeLost = (message: string): ApiError =>
  new ApiError('node_lost', message, { headers: { 'retry-after': String(RETRY_AFTER_S) } });

const CALL_PATHS = Map.groupBy(
  // Without the paths of conference members: they belong to the node of the conference, not to that of their call.
  ROUTES.filter(({ path }) => path.includes('{voice_id}') && !path.includes('{conference_id}/')).map(
    ({ method, path }) => ({
      method: String(method),
      pattern: new RegExp(
        `^${path
          .replace('/voice/v1/call/', '/voice/v1/calls?/')
          .replace('{voice_id}', '(?<call>[^/]+)')
          .replace(/\{\w+\}/g, '[^/]+')}/?$`,
        'i',
      ),
    }),
  ),
  ({ method }) => method,
);

/** Id of the call in the path of a request. */
function callIn({ method, originalUrl }: Request): string | undefined {
  const path = withVoicePrefix(originalUrl.split('?')[0]!);
  for (const { pattern } of CALL_PATHS.get(method === 'HEAD' ? 'GET' : method) ?? []) {
    const call = pattern.exec(path)?.groups?.['call'];
    if (call !== undefined) return decoded(call);
  }
  return undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
