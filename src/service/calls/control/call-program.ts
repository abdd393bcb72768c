/**
 * Program of an outbound call after the answer: the order's action as a flow, the flow's input, and the commands
 * applied at the answer. Built once for all calls of an order; `place-call.ts` uses it for one call,
 * `broadcast/program.ts` for many.
 */
import type { Ids } from '../../../base/core/ids.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { CompiledFlow } from '../../../language/flow/compiled-flow.ts';
import type { CallCommand } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import { type CallParts, REST_CONTROL } from '../call-parts.ts';
import { checkInput, resolveFlow } from '../flow-files/flow-input.ts';
import { playStep } from '../prompts/play-order.ts';
import { type CallAction, endOf } from './call-action.ts';
import { bridgeArgs } from './connect-call.ts';
import { checkStream } from './control-call.ts';
import { roomArgs } from './join-room.ts';

export interface CallProgram {
  flow: CompiledFlow;
  /** Built for each call, because its first prompt or bridge has its own id. */
  input(ids: Ids): JsonObject;
  /** Commands applied when the far end answers, before the flow begins. */
  ordered: readonly CallCommand[];
  /** Room that the call joins. */
  roomId?: string;
}

export interface ProgramOrder {
  projectId: string;
  /** Caller ID. */
  from?: string;
  /** Without an action, the call plays the number's greeting, if it has one, and waits for commands. */
  action?: CallAction;
  /** True if the call is recorded from the answer on. */
  autoRecord?: boolean;
}

/** Throws if the action is invalid. */
export function programOf({ action, autoRecord, projectId, from }: ProgramOrder, parts: CallParts): CallProgram {
  const ordered: CallCommand[] = autoRecord ? [{ type: 'recording', action: 'start' }] : [];
  if (action?.type === 'flow') {
    const flow = flowOf(action, parts);
    const input = checkInput(flow, action.input);
    return { flow, input: () => input, ordered };
  }
  const flow = resolveFlow(REST_CONTROL, parts);
  if (!action) {
    const greeting = from === undefined ? undefined : parts.numbers.outboundGreeting(projectId, from);
    if (!greeting) return { flow, input: () => ({}), ordered };
    return { flow, input: (ids) => ({ play: { ...greeting, play_id: ids.next('play') } }), ordered };
  }
  if (action.type === 'stream') {
    checkStream(action.stream.url, parts);
    ordered.push({ type: 'stream', action: 'start', ...action.stream });
    return { flow, input: () => ({}), ordered };
  }
  const room = action.type === 'room' ? { roomId: action.room.roomId } : {};
  return { flow, input: firstCommandInput(projectId, action, parts), ordered, ...room };
}

function flowOf({ flow, version }: CallAction & { type: 'flow' }, parts: CallParts): CompiledFlow {
  if (version === undefined || typeof flow !== 'string') return resolveFlow(flow, parts);
  if (parts.keptVersion) return parts.keptVersion(flow, version);
  throw new CallError('unknown_flow', `the flow ${flow} has no such version`);
}

/** Input of the flow that waits for commands: the first command, as arguments of its verb. */
function firstCommandInput(
  projectId: string,
  action: Exclude<CallAction, { type: 'flow' | 'stream' }>,
  parts: CallParts,
): CallProgram['input'] {
  switch (action.type) {
    case 'play': {
      const { verb, args, promptRef } = playStep(action.play, parts.prompts(), parts.promptAudio);
      const marks: JsonObject = promptRef === undefined ? {} : { prompt_ref: promptRef };
      return (ids) => ({ [verb]: { ...args, play_id: ids.next('play'), ...marks } });
    }
    case 'connect': {
      const args = bridgeArgs(projectId, action.connect, parts);
      return (ids) => ({ bridge: { ...args, bridge_id: ids.next('bridge') } });
    }
    case 'room': {
      const input = { join_room: roomArgs(projectId, action.room, parts), ...endOf(action.room.after) };
      return () => input;
    }
    case 'conference':
      return () => ({ conference: action.args, ...endOf(action.after) });
  }
}
