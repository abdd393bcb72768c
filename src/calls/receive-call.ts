/** A call came in: finds the number it asks for, and lets the number's flow receive it. */
import {
  type Cause,
  CONGESTION,
  SUBSCRIBER_ABSENT,
  sipStatusOf,
  TEMPORARY_FAILURE,
  UNALLOCATED_NUMBER,
} from '../core/causes.ts';
import type { Ids } from '../core/ids.ts';
import { defined, type JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { Engine, IncomingLeg } from '../telephony/engine.ts';
import { type CallParts, INBOUND_WEBHOOK, runDefaults } from './call-parts.ts';
import type { ProvisionedNumber } from './numbers.ts';

/** `connect` starts the call of the entry whose PIN was entered; `digits` were pressed after the PIN. */
export type AskForPin = (
  leg: IncomingLeg,
  sharers: readonly ProvisionedNumber[],
  connect: (entry: ProvisionedNumber, digits: string) => void,
) => void;

/** The call's id; undefined when the call was refused, or the caller has to enter a PIN first. */
export function receiveCall(leg: IncomingLeg, parts: CallParts, askForPin: AskForPin): string | undefined {
  const number = parts.numbers.find(leg.to);
  if (number) return startInboundCall(leg, number, parts);
  const sharers = parts.numbers.shared(leg.to);
  if (sharers.length === 0) return rejectCall(leg, UNALLOCATED_NUMBER, 'no such number', parts);
  if (!sharers.some(isAnswerable)) return rejectCall(leg, SUBSCRIBER_ABSENT, 'the number is for calls out', parts);
  if (!parts.hasCapacity()) return rejectCall(leg, CONGESTION, 'no room for another call', parts);
  askForPin(leg, sharers, (entry, digits) => {
    startInboundCall(leg, entry, parts, true);
    for (const digit of digits) parts.supervisor.legEvent(leg.legId, { type: 'digit', digit, durationMs: 0 });
  });
  return undefined;
}

/** `answered`: it is too late for a SIP status. */
export function rejectCall(
  { legId, from, to, remote }: IncomingLeg,
  cause: Cause,
  why: string,
  { log, engine }: Pick<CallParts, 'log'> & { engine: Pick<Engine, 'send'> },
  answered = false,
): undefined {
  log.info('call.refused', { from, to, cause: cause.code, why, remote });
  const status = sipStatusOf(cause);
  engine.send(legId, answered ? { type: 'hangup', cause: cause.code } : { type: 'reject', sipStatus: status });
}

/** `answered`: the caller was let in before. */
export function startInboundCall(
  leg: IncomingLeg,
  number: ProvisionedNumber,
  parts: CallParts,
  answered = false,
): string | undefined {
  const refuse = (cause: Cause, why: string): undefined => rejectCall(leg, cause, why, parts, answered);

  if (!isAnswerable(number)) return refuse(SUBSCRIBER_ABSENT, 'the number is for calls out');
  if (!parts.hasCapacity()) return refuse(CONGESTION, 'no room for another call');
  const inForce = parts.flows.get(number.flow ?? INBOUND_WEBHOOK);
  if (!inForce) return refuse(TEMPORARY_FAILURE, `there is no flow ${number.flow}`);

  const callId = parts.ids.next('call');
  const call = { callId, direction: 'inbound', from: leg.from, to: number.number } as const;
  const input = inputOf(number, inForce, answered, parts.ids);
  const flow = parts.versionFor?.(inForce, call, input) ?? inForce;
  const { from, to, remote, sip } = leg;
  parts.log.info('call.received', { callId, from, to, flow: flow.name, remote, sipCallId: sip?.callId });
  parts.supervisor.begin(
    defined({
      ...call,
      projectId: number.projectId,
      legId: leg.legId,
      flow,
      input,
      ...runDefaults(parts, number.projectId),
      // After a greeting the flow announces the call. One that ends during the greeting is reported all the same.
      announce: number.flow === undefined && greetsBeforeAccept(number, answered) ? 'later' : true,
      ...(answered ? { answered } : {}),
      eventUrl: number.webhook,
      sip: leg.sip,
    }),
  );
  return callId;
}

/** Whether anybody would take the call: a flow, an application, or REST after it was answered by itself. */
const isAnswerable = ({ flow, webhook, autoAccept }: ProvisionedNumber): boolean =>
  flow !== undefined || webhook !== undefined || autoAccept === true;

/** A call that was answered for its PIN is greeted like a call that was accepted. */
const greetsBeforeAccept = ({ greeting, greetingHeard }: ProvisionedNumber, answered: boolean): boolean =>
  greeting !== undefined && greetingHeard !== 'after_connect' && !answered;

function inputOf(number: ProvisionedNumber, flow: CompiledFlow, answered: boolean, ids: Ids): JsonObject {
  if (flow.name !== INBOUND_WEBHOOK) return number.input ?? {};
  const { autoAccept = false, greeting } = number;
  const accepts = { auto_accept: answered || autoAccept };
  if (greeting === undefined) return accepts;
  if (greetsBeforeAccept(number, answered)) return { ...accepts, greeting };
  return { ...accepts, first: { play: { prompt: greeting, play_id: ids.next('play') } } };
}
