/**
 * Requests for what another node has: they go there whole, once, and the answer comes back as it is. Requests for a call go
 * to the node that carries it, before their body is read. What is kept per node, such as recordings and conferences, is
 * looked for on the others when it is not here.
 *
 * Invariants
 *  F1 a request that was forwarded is not forwarded again;
 *  F2 who signed in is checked where the request arrives first; the other node takes it from the signature of the cluster
 *     (`cluster/forward-signature.ts`) and from nothing else. Credentials do not travel;
 *  F3 a client that has signed in here never sees the 401 with which a node refuses the signature of another.
 */
import { pipeline } from 'node:stream/promises';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { LocateCall } from '../cluster/call-locator.ts';
import type { NodeInfo } from '../cluster/cluster.ts';
import { digestOf, FORWARD_HEADER, type ForwardSigner, NOT_TAKEN } from '../cluster/forward-signature.ts';
import { defined, type JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { HttpRelay } from '../http/http-relay.ts';
import type { SignedIn } from './admin/admin-auth.ts';
import { ApiError, type ApiErrorCode, toApiError } from './api-error.ts';
import { expectBody } from './forwarded-body.ts';
import { MAX_BODY_BYTES } from './json-body.ts';
import { stateOf } from './request-context.ts';
import { ROUTES, withVoicePrefix } from './routes.ts';

export interface Forwarding {
  locate: LocateCall;
  /** Without this one. */
  others(): readonly NodeInfo[];
  /** Of the data of this node. */
  archive: string;
  /** Names of nodes that were here, and are not any more. */
  lost(): readonly string[];
  signer: ForwardSigner;
  relay: HttpRelay;
  log: Log;
}

/** A prompt may be made first. */
const ANSWER_TIMEOUT_MS = 60_000;
const RETRY_AFTER_S = 1;
const UNAUTHORIZED = 401;

/** Of one connection (RFC 9110 §7.6.1), or made anew for the other one. */
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

/** What a node says when it has not got something: another may have it. */
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

/** F2: throws where the header was not made by a node for this request. */
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

/** Sends requests for a call to the node that has it. */
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
      if (place === 'lost' || stateOf(res).forwarded) throw nodeLost('the call is not on this node any more');
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

/** Asks the others, one by one, for what is not here. */
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
    // A node that could not be asked may have it.
    search().then((isFound) => isFound || next(refused ?? thrown), next);
  };

/** Who signed in, as other nodes have to know it. */
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
  /** It does not take the signature of this node. */
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
  // One that breaks off is not taken for a whole one: the connection is closed.
  await pipeline(body, res).catch(() => res.destroy());
}

function unreachable({ id, name }: NodeInfo, { failure, isSent }: Unanswered, { log }: Forwarding): ApiError {
  log.warn('cluster.not_reached', { node: id, name, failure });
  const doubt = isSent ? '; it may have done what was asked' : '';
  return nodeLost(`the node that has it cannot be reached${doubt}`);
}

const nodeLost = (message: string): ApiError =>
  new ApiError('node_lost', message, { headers: { 'retry-after': String(RETRY_AFTER_S) } });

const CALL_PATHS = Map.groupBy(
  // A member of a conference is its conference's, wherever its call is.
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

/** The call that a request is about, by its path. */
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
