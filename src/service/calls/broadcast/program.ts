/**
 * Program of a broadcast's calls after the answer: the program of one call (`call-program.ts`), preceded by machine
 * detection if the order requests it. Built once per broadcast; the input of its number is added for each call.
 */
import { formatDuration } from '../../../base/core/duration.ts';
import type { Ids } from '../../../base/core/ids.ts';
import { defined, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { CompiledFlow } from '../../../language/flow/compiled-flow.ts';
import { type CallParts, REST_CONTROL } from '../call-parts.ts';
import { type CallProgram, programOf } from '../control/call-program.ts';
import { checkInput, inputProblem, resolveFlow } from '../flow-files/flow-input.ts';
import type { BroadcastOrder, DetectionOrder } from './broadcast.ts';

/** The flow that detects machines; see `flows/builtin`. */
export const BROADCAST_CALL = 'broadcast-call';

export interface BroadcastProgram extends Omit<CallProgram, 'input'> {
  /** Input of the flow for one call; `own` is the input of its number. */
  input(ids: Ids, own: JsonObject | undefined): JsonObject;
  /** Returns the error in the input of a number. */
  wrongInput(own: JsonObject): string | undefined;
}

/** Throws if the order's action, or its action for machines, is invalid. */
export function broadcastProgram(order: BroadcastOrder, parts: CallParts): BroadcastProgram {
  const program = programOf(order, parts);
  const person = personPart(order, program);
  const machine = order.detection && machinePart(order, order.detection, person, parts);
  const takers = [person, ...(machine && machine !== person ? [machine] : [])].filter(({ isOrdered }) => isOrdered);
  return defined({
    flow: order.detection ? resolveFlow(BROADCAST_CALL, parts) : person.flow,
    input: order.detection ? detecting(order.detection, person, machine) : person.input,
    ordered: program.ordered,
    roomId: program.roomId,
    wrongInput(own) {
      const wrong = takers
        .map(({ flow }) => inputProblem(flow, declaredBy(flow, own)))
        .find((each) => each !== undefined);
      if (wrong !== undefined || takers.length === 0) return wrong;
      const isKnown = Object.keys(own).every((name) => takers.some(({ flow }) => Object.hasOwn(flow.input, name)));
      return isKnown ? undefined : inputProblem(takers[0]!.flow, own);
    },
  });
}

/** A flow that a call runs, in the form in which a step names it. */
interface Part {
  named: string | JsonObject;
  flow: CompiledFlow;
  /**
   * True if the order names this flow, so that it gets the input of the number. False for the flow that waits for
   * commands.
   */
  isOrdered: boolean;
  input(ids: Ids, own: JsonObject | undefined): JsonObject;
}

function personPart(order: BroadcastOrder, { flow, input }: CallProgram): Part {
  const { action } = order;
  if (action?.type === 'flow') return orderedPart(action.flow, flow, input);
  const idle = idleInput(order);
  return { named: REST_CONTROL, flow, isOrdered: false, input: (ids) => ({ ...input(ids), ...idle }) };
}

const orderedPart = (named: string | JsonObject, flow: CompiledFlow, input: CallProgram['input']): Part => ({
  ...{ named, flow, isOrdered: true },
  input: (ids, own) => ({ ...input(ids), ...declaredBy(flow, own ?? {}) }),
});

/** Idle timeout of a call that waits for commands. A streamed call is busy until a party hangs up. */
function idleInput({ action, eventUrl, callHandlerUrl, idleTimeoutMs }: BroadcastOrder): JsonObject {
  if (action?.type === 'stream') return {};
  const isSteered = eventUrl !== undefined || callHandlerUrl !== undefined;
  return { idle_timeout: formatDuration(isSteered ? idleTimeoutMs : 0) };
}

/** Undefined if calls answered by machines are hung up. */
function machinePart(
  { projectId }: BroadcastOrder,
  { onMachine }: DetectionOrder,
  person: Part,
  parts: CallParts,
): Part | undefined {
  if (onMachine === 'hang_up') return undefined;
  if (onMachine === 'same') return person;
  if ('play' in onMachine) {
    const { flow, input } = programOf({ projectId, action: { type: 'play', ...onMachine } }, parts);
    // A machine gets no commands.
    const idle = { idle_timeout: formatDuration(0) };
    return { named: REST_CONTROL, flow, isOrdered: false, input: (ids) => ({ ...input(ids), ...idle }) };
  }
  const flow = resolveFlow(onMachine.flow, parts);
  const input = checkInput(flow, onMachine.input);
  return orderedPart(onMachine.flow, flow, () => input);
}

/** Input of the flow that detects machines: the flows that follow, as arguments of `subflow`. */
function detecting(
  { timeoutMs, awaitBeepMs, onMachine }: DetectionOrder,
  person: Part,
  machine: Part | undefined,
): BroadcastProgram['input'] {
  const listens = onMachine !== 'hang_up' && awaitBeepMs > 0;
  const detect = { timeout: formatDuration(timeoutMs), await_beep: listens ? formatDuration(awaitBeepMs) : false };
  return (ids, own) => {
    const forPerson = person.input(ids, own);
    const forMachine = machine === person ? forPerson : machine?.input(ids, own);
    const hidden = [
      ...sensitiveIn(person.flow, forPerson),
      ...(machine && forMachine ? sensitiveIn(machine.flow, forMachine) : []),
    ];
    return {
      detect,
      ...(person.isOrdered ? { flow: { flow: person.named, input: forPerson } } : { control: forPerson }),
      ...(machine && forMachine ? { machine: { flow: machine.named, input: forMachine } } : {}),
      ...(hidden.length === 0 ? {} : { hidden }),
    };
  };
}

/** Sensitive values inside the input of the flows that follow: journals mask them from the start of the call. */
const sensitiveIn = (flow: CompiledFlow, input: JsonObject): Json[] =>
  Object.entries(input).flatMap(([name, value]) => (flow.input[name]?.sensitive ? [value] : []));

const declaredBy = (flow: CompiledFlow, own: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(own).filter(([name]) => Object.hasOwn(flow.input, name)));
