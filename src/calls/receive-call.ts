/** A call came in: finds the number it asks for, and lets the number's flow receive it. */
import {
  type Cause,
  CONGESTION,
  SUBSCRIBER_ABSENT,
  sipStatusOf,
  TEMPORARY_FAILURE,
  UNALLOCATED_NUMBER,
} from '../core/causes.ts';
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { IncomingLeg } from '../telephony/engine.ts';
import { type CallParts, INBOUND_WEBHOOK, luggageOf } from './call-parts.ts';
import type { ProvisionedNumber } from './numbers.ts';

/** The call's id; undefined when the call was refused. */
export function receiveCall(leg: IncomingLeg, parts: CallParts): string | undefined {
  const refuse = (cause: Cause, why: string): undefined => {
    parts.log.info('call.refused', { from: leg.from, to: leg.to, cause: cause.code, why, remote: leg.remote });
    parts.engine.send(leg.legId, { type: 'reject', sipStatus: sipStatusOf(cause) });
  };

  const number = parts.numbers.find(leg.to);
  if (!number) return refuse(UNALLOCATED_NUMBER, 'no such number');
  if (!isAnswered(number)) return refuse(SUBSCRIBER_ABSENT, 'the number is for calls out');
  if (!parts.admits()) return refuse(CONGESTION, 'no room for another call');
  const flow = parts.flows.get(number.flow ?? INBOUND_WEBHOOK);
  if (!flow) return refuse(TEMPORARY_FAILURE, `there is no flow ${number.flow}`);

  const callId = parts.ids.next('call');
  parts.log.info('call.received', { callId, from: leg.from, to: leg.to, flow: flow.name, remote: leg.remote });
  const run = parts.supervisor.begin({
    callId,
    projectId: number.projectId,
    direction: 'inbound',
    from: leg.from,
    to: number.number,
    legId: leg.legId,
    flow,
    input: inputOf(number, flow),
    ...luggageOf(parts, number.projectId),
    // With a greeting the application is told after it; the flow does that.
    announce: number.flow !== undefined || number.greeting === undefined,
    ...(number.webhook === undefined ? {} : { eventUrl: number.webhook }),
  });
  parts.lives.watch(callId, run.done);
  return callId;
}

/** Whether anybody would take the call: a flow, an application, or REST after it was answered by itself. */
const isAnswered = ({ flow, webhook, autoAccept }: ProvisionedNumber): boolean =>
  flow !== undefined || webhook !== undefined || autoAccept === true;

function inputOf(number: ProvisionedNumber, flow: CompiledFlow): JsonObject {
  if (flow.name !== INBOUND_WEBHOOK) return number.input ?? {};
  return {
    auto_accept: number.autoAccept ?? false,
    ...(number.greeting === undefined ? {} : { greeting: number.greeting }),
  };
}
