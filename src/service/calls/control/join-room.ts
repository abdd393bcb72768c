/** Brings calls into rooms. REST needs no PIN: the project's credentials allow access to all its rooms. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import type { CallParts } from '../call-parts.ts';
import { endOf, type RoomOrder } from './call-action.ts';
import { type CommandedCall, commandCall, findCall } from './control-call.ts';

export async function joinRoom(call: CommandedCall, order: RoomOrder, parts: CallParts): Promise<CallRecord> {
  const { projectId, callId } = call;
  const args = roomArgs(projectId, order, parts);
  await findCall(projectId, callId, parts);
  parts.rooms.invite(order.roomId, callId, parts.supervisor.ended(callId));
  const command = { type: 'join_room', args, accepts: true, ...endOf(order.after) } as const;
  const { record } = await commandCall(call, command, parts);
  return record;
}

/** The order as arguments of the verb `join_room`; throws if it is invalid. */
export function roomArgs(projectId: string, { roomId, displayName }: RoomOrder, parts: CallParts): JsonObject {
  if (!parts.rooms.find(projectId, roomId)) throw new CallError('unknown_room', `there is no room ${roomId}`);
  if (!parts.engine.capabilities.mix) throw new CallError('no_service', 'rooms are not supported by this engine');
  return defined({ room_id: roomId, display_name: displayName });
}
