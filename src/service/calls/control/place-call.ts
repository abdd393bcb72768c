/**
 * Places outbound calls from a number of the project to any destination, with a flow that begins when the far end
 * answers.
 */
import { callerIdProblem, destinationProblem } from '../../../base/core/address-syntax.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { Receipt } from '../../../base/core/receipt.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import type { TraceContext } from '../../../base/core/trace-context.ts';
import type { DialRequest } from '../../../media/telephony/engine.ts';
import type { CallRun } from '../../runtime/call-run.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import { type CallParts, checkAdmission, mayPresent, runDefaults, takeTurn } from '../call-parts.ts';
import { awaitAudio } from '../prompts/play-order.ts';
import type { CallAction } from './call-action.ts';
import { type CallProgram, programOf } from './call-program.ts';

export interface CallOrder extends DialOrder {
  /** Action when the far end answers; without it the call waits for commands. */
  action?: CallAction;
  /** True if the call is recorded from the answer on. */
  autoRecord?: boolean;
}

/** Resolves when the call is written: from then on its end is reported to the application, even if the service dies. */
export async function placeCall(order: CallOrder, parts: CallParts): Promise<CallRecord> {
  checkAddresses(order);
  // A number without a route fails like a call, with a cause. An unconfigured user name is an error of the request.
  if (/^user:/i.test(order.to) && !parts.isRoutable(order.to)) {
    throw new CallError('no_service', `to: there is no user ${order.to.slice('user:'.length)}`);
  }
  if (!mayPresent(order.projectId, order.from, parts)) {
    throw new CallError('cli_not_assigned', `${order.from} is not a number of this project`);
  }
  const program = programOf(order, parts);
  checkAdmission(order.projectId, parts);
  takeTurn(order.projectId, parts);
  if (order.action?.type === 'play') {
    await awaitAudio(order.action.play, order.projectId, parts);
    checkAdmission(order.projectId, parts);
  }
  const run = dialOut(order, { ...program, input: program.input(parts.ids) }, parts);
  if (!(await run.written)) throw new CallError('store_failing', 'the call could not be written down');
  return run.record;
}

function checkAddresses({ from, to }: CallOrder): void {
  const wrongFrom = callerIdProblem(from);
  if (wrongFrom !== undefined) throw new CallError('address_invalid', `from ${wrongFrom}`);
  const wrongTo = destinationProblem(to);
  if (wrongTo !== undefined) throw new CallError('address_invalid', `to ${wrongTo}`);
}

/** Destination, caller ID, and the URL for events. */
export interface DialOrder {
  callId: string;
  projectId: string;
  from: string;
  to: string;
  /** SIP headers of the INVITE. */
  headers?: SipHeaders;
  ringTimeoutMs: number;
  eventUrl?: string;
  ownerRef?: string;
  /** Broadcast that places this call. */
  broadcastId?: string;
  /** Trace context of the request. */
  traceParent?: TraceContext | undefined;
  /** The response to the request, written with the call. */
  receipt?: ((record: CallRecord) => Receipt | undefined) | undefined;
}

/** Starts a validated call. */
export function dialOut(
  order: DialOrder,
  program: Omit<CallProgram, 'input'> & { input: JsonObject },
  parts: CallParts,
): CallRun {
  const { callId, projectId, from, to, headers, ringTimeoutMs, eventUrl, ownerRef, broadcastId, receipt } = order;
  const { input, ordered, roomId } = program;
  const call = { callId, direction: 'outbound', from, to } as const;
  const flow = parts.versionFor?.(program.flow, call, input) ?? program.flow;
  const legId = parts.ids.next('leg');
  const made = broadcastId === undefined ? {} : { broadcastId };
  parts.log.info('call.placed', { callId, from, to, flow: flow.name, ...made });
  const run = parts.supervisor.start(
    defined({
      ...call,
      projectId,
      legId,
      dial: defined<DialRequest>({ legId, from, to, headers, ringTimeoutMs }),
      flow,
      input,
      ...runDefaults(parts, projectId),
      eventUrl,
      ownerRef,
      ...made,
      trace: parts.traceOf?.({ ...call, projectId, flow }, order.traceParent),
      receipt,
    }),
  );
  for (const command of ordered) void run.command(command, 'order');
  if (roomId !== undefined) parts.rooms.invite(roomId, callId, run.done);
  return run;
}
