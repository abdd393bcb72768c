/** Connects a call with another party by a bridge, or transfers or forwards its party. */
import { callerIdProblem, destinationProblem } from '../../../base/core/address-syntax.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { CallCommand, CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import { type CallParts, mayPresent } from '../call-parts.ts';
import { normalizeNumber } from '../numbers/numbers.ts';
import type { ConnectOrder } from './call-action.ts';
import { type CommandedCall, commandCall, findCall } from './control-call.ts';

export interface ConnectionResult {
  record: CallRecord;
  /** Id of the bridge or the transfer. */
  id: string;
  from: string;
  to: string;
}

export async function connectCall(
  { projectId, callId, source }: CommandedCall,
  order: ConnectOrder,
  parts: CallParts,
): Promise<ConnectionResult> {
  const record = await findCall(projectId, callId, parts);
  const args = bridgeArgs(projectId, order, parts);
  const bridgeId = parts.ids.next('bridge');
  await commandDial({ projectId, callId, source }, { type: 'bridge', bridgeId, args }, parts);
  return { record, id: bridgeId, from: order.from ?? ownNumber(record), to: order.to };
}

/** Connects the party of a bridged call with another party, after a consultation (`attended`) or at once. */
export async function transferCall(
  projectId: string,
  callId: string,
  { mode, from, to, headers }: ConnectOrder & { mode: 'attended' | 'blind' },
  parts: CallParts,
): Promise<ConnectionResult> {
  const record = await findCall(projectId, callId, parts);
  checkAddresses(defined({ to, from }), parts);
  const line = from === undefined ? undefined : transferCallerId(record, from, parts);
  const channelId = parts.ids.next('channel');
  const args: JsonObject = defined({ to, mode, from: line, headers: headers && { ...headers } });
  await commandDial({ projectId, callId }, { type: 'transfer', channelId, args }, parts);
  return { record, id: channelId, from: line ?? ownNumber(record), to };
}

/** The order as arguments of the verb `bridge`; throws if it is invalid. */
export function bridgeArgs(projectId: string, order: ConnectOrder, parts: CallParts): JsonObject {
  checkAddresses(order, parts);
  const { from, to, headers } = order;
  if (from !== undefined && !mayPresent(projectId, from, parts)) throw numberNotFound(from);
  return defined({ to, from, headers: headers && { ...headers } });
}

/** The project's own number on this call. */
const ownNumber = ({ direction, from, to }: CallRecord): string => (direction === 'outbound' ? from : to);

function checkAddresses({ from, to }: ConnectOrder, parts: CallParts): void {
  const wrong = destinationProblem(to);
  if (wrong !== undefined) throw new CallError('address_invalid', `to ${wrong}`);
  const wrongFrom = from === undefined ? undefined : callerIdProblem(from) && destinationProblem(from);
  if (wrongFrom !== undefined) throw new CallError('address_invalid', `from ${wrongFrom}`);
  if (!parts.engine.capabilities.mix)
    throw new CallError('no_service', 'connecting calls is not supported by this engine');
  if (!parts.isRoutable(to)) throw new CallError('no_service', `no route to ${to}`);
}

/** Caller ID of a transfer. Clients may also name the transferred party: then the call's own number is shown. */
function transferCallerId(record: CallRecord, from: string, parts: CallParts): string | undefined {
  if (mayPresent(record.projectId, from, parts)) return from;
  const parties = [record.from, record.to, ...(record.bridges ?? []).map(({ to }) => to)];
  if (parties.some((party) => normalizeNumber(party) === normalizeNumber(from))) return undefined;
  throw numberNotFound(from);
}

const numberNotFound = (from: string): CallError =>
  new CallError('number_not_found', `${from} is not a number of this project`);

async function commandDial(call: CommandedCall, command: CallCommand, parts: CallParts): Promise<void> {
  await commandCall(call, command, parts).catch((error: unknown) => {
    // The run refuses the number; the API uses another code for numbers than for URLs.
    if (error instanceof CallError && error.code === 'target_refused') {
      throw new CallError('number_not_found', 'this number may not be called');
    }
    throw error;
  });
}
