/** Dials out: from a number of the project to any destination, with a flow that begins when the far end answers. */
import type { Json, JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { CallRecord } from '../runtime/journal.ts';
import { CallError } from './call-error.ts';
import { type CallParts, luggageOf, REST_CONTROL } from './call-parts.ts';
import { checkInput } from './flow-input.ts';
import { type PlayOrder, playStep } from './play-order.ts';

export interface CallOrder {
  callId: string;
  projectId: string;
  from: string;
  to: string;
  /** What happens when the far end answers; neither: the call waits for commands. */
  play?: PlayOrder;
  flow?: string | JsonObject;
  input?: JsonObject;
  ringTimeoutMs: number;
  eventUrl?: string;
  ownerRef?: string;
}

export function placeCall(order: CallOrder, parts: CallParts): CallRecord {
  if (!parts.numbers.belongsTo(order.projectId, order.from)) {
    throw new CallError('cli_not_assigned', `${order.from} is not a number of this project`);
  }
  const { flow, input } = programOf(order, parts);
  if (!parts.admits()) throw new CallError('overloaded', 'no room for another call');
  const { callId, projectId, from, to, ringTimeoutMs } = order;
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
    ...luggageOf(parts),
    ...(order.eventUrl === undefined ? {} : { eventUrl: order.eventUrl }),
    ...(order.ownerRef === undefined ? {} : { ownerRef: order.ownerRef }),
  });
  return run.record;
}

interface Program {
  flow: CompiledFlow;
  input: JsonObject;
}

function programOf(order: CallOrder, parts: CallParts): Program {
  if (order.flow !== undefined) {
    const flow = flowOf(order.flow, parts);
    return { flow, input: checkInput(flow, order.input ?? {}) };
  }
  const flow = flowOf(REST_CONTROL, parts);
  if (!order.play) return { flow, input: {} };
  const { verb, args, promptRef } = playStep(order.play, parts.prompts, parts.sounds);
  const marks: Record<string, Json> = { play_id: parts.ids.next('play') };
  if (promptRef !== undefined) marks['prompt_ref'] = promptRef;
  return { flow, input: { [verb]: { ...args, ...marks } } };
}

/** The flow of this name, or made of this document. */
export function flowOf(flow: string | JsonObject, parts: Pick<CallParts, 'flows'>): CompiledFlow {
  if (typeof flow === 'string') {
    const found = parts.flows.get(flow);
    if (!found) throw new CallError('unknown_flow', `there is no flow ${flow}`);
    return found;
  }
  const compiled = parts.flows.compile(flow);
  if (!compiled.flow) {
    const first = compiled.diagnostics.find(({ severity }) => severity === 'error');
    throw new CallError('flow_invalid', first?.message ?? 'the flow does not compile', compiled.diagnostics);
  }
  return compiled.flow;
}
