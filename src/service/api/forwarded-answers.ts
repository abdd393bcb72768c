/**
 * Passes responses of webhook receivers that control a call on another node. The node that serves the receiver sends
 * the response to the node of the call, signed with the cluster key (`service/cluster/forward-signature.ts`). Not part
 * of the public API: without such a signature, the path does not exist.
 */
import type { RequestHandler } from 'express';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { digestOf, FORWARD_HEADER } from '../cluster/forward-signature.ts';
import type { Forwarding } from './forwarding.ts';
import { jsonBody, MAX_BODY_BYTES } from './json-body.ts';
import { stateOf } from './request-context.ts';

const PATH = '/cluster/v1/answers/';
const TIMEOUT_MS = 5000;
const NO_CONTENT = 204;

/** Delivers the response to an event to the node of the call. Never rejects. */
export type ForwardAnswer = (callId: string, answer: JsonObject) => Promise<void>;

/** `steer` handles responses for calls of this node and for unknown calls. */
export const forwardAnswerBy =
  ({ locate, signer, relay, log }: Forwarding, steer: (callId: string, answer: JsonObject) => void): ForwardAnswer =>
  async (callId, answer) => {
    try {
      const place = await locate(callId);
      if (place === 'here') return steer(callId, answer);
      if (place === 'lost') return log.warn('call.answer_not_passed', { callId, why: 'its node is gone' });
      const path = PATH + encodeURIComponent(callId);
      const body = Buffer.from(JSON.stringify(answer));
      const signed = signer.sign(place.id, { method: 'POST', path, digest: digestOf(body), identity: {} });
      const passed = await relay.send({
        ...{ method: 'POST', url: new URL(place.address + path), body },
        ...{ timeoutMs: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) },
        headers: { 'content-type': 'application/json', [FORWARD_HEADER]: signed },
      });
      if (!('failure' in passed)) passed.body.resume();
      const why = 'failure' in passed ? passed.failure : `status ${passed.status}`;
      if (why !== `status ${NO_CONTENT}`) log.warn('call.answer_not_passed', { callId, node: place.id, why });
    } catch (error) {
      log.error('call.answer_not_passed', { callId, error });
    }
  };

/** Handler for `create-api.ts`, mounted after the signature check. */
export function forwardedAnswers(steer: (callId: string, answer: JsonObject) => void): RequestHandler {
  const read = jsonBody(MAX_BODY_BYTES);
  return (req, res, next) => {
    if (!stateOf(res).forwarded || req.method !== 'POST' || !req.path.startsWith(PATH)) return next();
    read(req, res, (error?: unknown) => {
      if (error !== undefined) return next(error);
      const answer = req.body as JsonObject;
      if (isObject(answer)) steer(decodeURIComponent(req.path.slice(PATH.length)), answer);
      res.status(NO_CONTENT).end();
    });
  };
}
