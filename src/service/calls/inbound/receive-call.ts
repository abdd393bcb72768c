/** Handles an inbound call: finds the called number, and starts the number's flow. */
import { sipStatusOf } from '../../../base/core/causes.ts';
import type { Ids } from '../../../base/core/ids.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { CompiledFlow } from '../../../language/flow/compiled-flow.ts';
import type { Engine, IncomingLeg } from '../../../media/telephony/engine.ts';
import { type CallParts, INBOUND_WEBHOOK, runDefaults } from '../call-parts.ts';
import { CALL_REFUSALS, type CallRefusal } from '../call-refusals.ts';
import type { ProvisionedNumber } from '../numbers/numbers.ts';

/** `connect` starts the call of the entry whose PIN was entered; `digits` were pressed after the PIN. */
export type AskForPin = (
  leg: IncomingLeg,
  sharers: readonly ProvisionedNumber[],
  connect: (entry: ProvisionedNumber, digits: string) => void,
) => void;

/** Returns the call's id. Undefined if the call was refused, or the caller has to enter a PIN first. */
export function receiveCall(leg: IncomingLeg, parts: CallParts, askForPin: AskForPin): string | undefined {
  const number = parts.numbers.find(leg.to);
  if (number) return startInboundCall(leg, number, parts);
  const sharers = parts.numbers.shared(leg.to);
  if (sharers.length === 0) return rejectCall(leg, 'unknown_number', parts);
  const [first, ...others] = sharers.filter(isAnswerable);
  if (!first) return rejectCall(leg, 'outbound_only', parts);
  const full = noPlace(first.projectId, parts);
  // The PIN may select any of the entries.
  if (full && others.every(({ projectId }) => noPlace(projectId, parts))) return rejectCall(leg, full, parts);
  askForPin(leg, sharers, (entry, digits) => {
    startInboundCall(leg, entry, parts, true);
    for (const digit of digits) parts.supervisor.legEvent(leg.legId, { type: 'digit', digit, durationMs: 0 });
  });
  return undefined;
}

/** Reason why a call of the project is refused. An unwritable store is checked before the capacity. */
function noPlace(
  projectId: string,
  { isReady, capacity }: Pick<CallParts, 'isReady' | 'capacity'>,
  answered = false,
): CallRefusal | undefined {
  if (isReady?.() === false) return 'not_ready';
  // Callers who were answered before count from then on, even if a drain has begun since.
  const problem = capacity.problem({ projectId, direction: 'inbound', isLetIn: answered });
  return problem && (problem.why === 'project_full' ? 'project_full' : 'no_capacity');
}

/** `answered`: a SIP final response was already sent, so that the call is hung up. */
export function rejectCall(
  { legId, from, to, remote }: IncomingLeg,
  refusal: CallRefusal,
  { log, engine, refusals }: Pick<CallParts, 'log' | 'refusals'> & { engine: Pick<Engine, 'send'> },
  { answered = false, flow }: { answered?: boolean; flow?: string | undefined } = {},
): undefined {
  const { cause, why } = CALL_REFUSALS[refusal];
  refusals.add(refusal);
  log.info('call.refused', { from, to, cause: cause.code, why, remote, ...(flow === undefined ? {} : { flow }) });
  const status = sipStatusOf(cause);
  engine.send(legId, answered ? { type: 'hangup', cause: cause.code } : { type: 'reject', sipStatus: status });
}

/** `answered`: the caller was answered before. */
export function startInboundCall(
  leg: IncomingLeg,
  number: ProvisionedNumber,
  parts: CallParts,
  answered = false,
): string | undefined {
  const { flow: wanted = INBOUND_WEBHOOK } = number;
  if (!isAnswerable(number)) return rejectCall(leg, 'outbound_only', parts, { answered });
  const full = noPlace(number.projectId, parts, answered);
  if (full) return rejectCall(leg, full, parts, { answered });
  const inForce = parts.flows.get(wanted);
  if (!inForce) return rejectCall(leg, 'no_flow', parts, { answered, flow: wanted });

  const callId = parts.ids.next('call');
  const call = { callId, direction: 'inbound', from: leg.from, to: number.number } as const;
  const input = inputOf(number, inForce, answered, parts.ids);
  const flow = parts.versionFor?.(inForce, call, input) ?? inForce;
  const { from, to, remote, sip } = leg;
  parts.log.info('call.received', { callId, from, to, flow: flow.name, remote, sipCallId: sip?.callId });
  parts.supervisor.start(
    defined({
      ...call,
      projectId: number.projectId,
      legId: leg.legId,
      flow,
      input,
      ...runDefaults(parts, number.projectId),
      // After a greeting the flow announces the call. A call that ends during the greeting is reported anyway.
      announce: number.flow === undefined && greetsBeforeAccept(number, answered) ? 'later' : true,
      ...(answered ? { answered } : {}),
      eventUrl: number.webhook,
      sip: leg.sip,
      source: leg.source,
      headers: leg.headers,
      trace: parts.traceOf?.({ ...call, projectId: number.projectId, flow }),
    }),
  );
  return callId;
}

/** True if the call can be handled: by a flow, an application, or REST after an automatic answer. */
const isAnswerable = ({ flow, webhook, autoAccept }: ProvisionedNumber): boolean =>
  flow !== undefined || webhook !== undefined || autoAccept === true;

/** A call that was answered for its PIN is greeted like an accepted call. */
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
