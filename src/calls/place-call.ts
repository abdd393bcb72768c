/** Dials out: from a number of the project to any destination, with a flow that begins when the far end answers. */
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { CallCommand, CallRecord } from '../runtime/journal.ts';
import { wrongDestination, wrongLine } from './addresses.ts';
import type { CallAction } from './call-action.ts';
import { CallError } from './call-error.ts';
import { type CallParts, luggageOf, mayPresent, REST_CONTROL } from './call-parts.ts';
import { bridgeArgs } from './connect-call.ts';
import { checkStream } from './control-call.ts';
import { checkInput, flowOf } from './flow-input.ts';
import { roomArgs } from './join-room.ts';
import { playStep } from './play-order.ts';

export interface CallOrder {
  callId: string;
  projectId: string;
  from: string;
  to: string;
  /** What happens when the far end answers; without, the call waits for commands. */
  action?: CallAction;
  /** Recorded from the answer on. */
  autoRecord?: boolean;
  ringTimeoutMs: number;
  eventUrl?: string;
  ownerRef?: string;
}

export function placeCall(order: CallOrder, parts: CallParts): CallRecord {
  checkAddresses(order);
  if (!mayPresent(order.projectId, order.from, parts)) {
    throw new CallError('cli_not_assigned', `${order.from} is not a number of this project`);
  }
  const { flow, input, ordered } = programOf(order, parts);
  if (!parts.admits()) throw new CallError('overloaded', 'no room for another call');
  const { callId, projectId, from, to, ringTimeoutMs, action } = order;
  const legId = parts.ids.next('leg');
  parts.log.info('call.placed', { callId, from, to, flow: flow.name });
  const run = parts.supervisor.begin({
    callId,
    projectId,
    direction: 'outbound',
    from,
    to,
    legId,
    dial: { legId, from, to, ringTimeoutMs },
    flow,
    input,
    ...luggageOf(parts, projectId),
    ...(order.eventUrl === undefined ? {} : { eventUrl: order.eventUrl }),
    ...(order.ownerRef === undefined ? {} : { ownerRef: order.ownerRef }),
  });
  for (const command of ordered) void run.command(command, 'order');
  parts.lives.watch(callId, run.done);
  if (action?.type === 'room') parts.places.room.invite(action.room.roomId, callId, run.done);
  return run.record;
}

function checkAddresses({ from, to }: CallOrder): void {
  const wrongFrom = wrongLine(from);
  if (wrongFrom !== undefined) throw new CallError('address_invalid', `from ${wrongFrom}`);
  const wrongTo = wrongDestination(to);
  if (wrongTo !== undefined) throw new CallError('address_invalid', `to ${wrongTo}`);
}

interface Program {
  flow: CompiledFlow;
  input: JsonObject;
  /** Done when the far end answers, before the flow begins. */
  ordered: CallCommand[];
}

function programOf({ action, autoRecord, projectId }: CallOrder, parts: CallParts): Program {
  const ordered: CallCommand[] = autoRecord ? [{ type: 'recording', action: 'start' }] : [];
  if (action?.type === 'flow') {
    const flow = flowOf(action.flow, parts);
    return { flow, input: checkInput(flow, action.input), ordered };
  }
  const flow = flowOf(REST_CONTROL, parts);
  if (action?.type === 'stream') {
    checkStream(action.stream.url, parts);
    ordered.push({ type: 'stream', action: 'start', ...action.stream });
    return { flow, input: {}, ordered };
  }
  return { flow, input: action ? firstOf(projectId, action, parts) : {}, ordered };
}

/** Input of the flow that waits for commands: the first one, as the arguments of its verb. */
function firstOf(
  projectId: string,
  action: Exclude<CallAction, { type: 'flow' | 'stream' }>,
  parts: CallParts,
): JsonObject {
  switch (action.type) {
    case 'play': {
      const { verb, args, promptRef } = playStep(action.play, parts.prompts, parts.sounds);
      const marks: JsonObject = { play_id: parts.ids.next('play') };
      if (promptRef !== undefined) marks['prompt_ref'] = promptRef;
      return { [verb]: { ...args, ...marks } };
    }
    case 'connect':
      return { bridge: { ...bridgeArgs(projectId, action.connect, parts), bridge_id: parts.ids.next('bridge') } };
    case 'room':
      return { join_room: roomArgs(projectId, action.room, parts) };
    case 'conference':
      return { conference: action.args };
  }
}
