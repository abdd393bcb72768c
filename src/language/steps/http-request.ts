/** HTTP requests of a step: headers, the wait for the response, and a prompt during it. */
import { FaultError, fault } from '../../base/core/fault.ts';
import type { HttpAnswer, HttpRequest } from '../../base/core/http-exchange.ts';
import type { Json } from '../../base/core/json.ts';
import type { StepContext, Waiting } from './step.ts';
import type { RequestArgs } from './verb-types.ts';
import { nextEvent } from './waiting.ts';

/** Loops a prompt during a request, until it is stopped or the step is left. Returns its play id. */
export async function playMeanwhile(context: StepContext, prompt: Json | undefined): Promise<string | undefined> {
  if (prompt === undefined || context.leg.state !== 'connected') return undefined;
  return context.leg.play(await context.prompt(prompt), { repeat: true });
}

/** Sends the request and waits for its response. */
export async function* fetchReply(context: StepContext, sent: HttpRequest): Waiting<HttpAnswer> {
  const requestId = context.http(sent);
  const { reply } = yield* nextEvent('http', (event) => event.requestId === requestId);
  if (!reply.ok && reply.reason === 'unknown') throw new FaultError(fault('unknown', reply.message));
  return reply;
}

/** Returns the HTTP headers, with `authorization` made from `auth`. */
export function requestHeaders({ headers, auth = {} }: Pick<RequestArgs, 'headers' | 'auth'>): Record<string, string> {
  const { bearer, basic } = auth;
  const credentials = basic && Buffer.from(`${basic.username}:${basic.password}`).toString('base64');
  return {
    ...headers,
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(credentials && { authorization: `Basic ${credentials}` }),
  };
}
