/**
 * What the calls of a broadcast do when somebody answers: the program of one call (`call-program.ts`), behind a detection
 * of machines where that was asked for. Made once per broadcast; what a number brings along is added for each call.
 */
import { formatDuration } from '../../core/duration.ts';
import type { Ids } from '../../core/ids.ts';
import { defined, type Json, type JsonObject } from '../../core/json.ts';
import type { CompiledFlow } from '../../flow/compiled-flow.ts';
import { type CallParts, REST_CONTROL } from '../call-parts.ts';
import { type CallProgram, programOf } from '../call-program.ts';
import { checkInput, inputProblem, resolveFlow } from '../flow-input.ts';
import type { BroadcastOrder, DetectionOrder } from './broadcast.ts';

/** The flow that tells people from machines; see `flows/builtin`. */
export const BROADCAST_CALL = 'broadcast-call';

export interface BroadcastProgram extends Omit<CallProgram, 'input'> {
  /** What the flow of one call is given; `own` came with its number. */
  input(ids: Ids, own: JsonObject | undefined): JsonObject;
  /** What is wrong with what came with a number, in words. */
  wrongInput(own: JsonObject): string | undefined;
}

/** Throws what is wrong with the order's action, or with what machines are to hear. */
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

/** A flow that a call runs, as a step names it. */
interface Part {
  named: string | JsonObject;
  flow: CompiledFlow;
  /** One that the order names: what came with a number is for it. Else the flow that waits for commands. */
  isOrdered: boolean;
  input(ids: Ids, own: JsonObject | undefined): JsonObject;
}

function personPart(order: BroadcastOrder, { flow, input }: CallProgram): Part {
  const { action } = order;
  if (action?.type === 'flow') {
    return {
      named: action.flow,
      flow,
      isOrdered: true,
      input: (ids, own) => ({ ...input(ids), ...declaredBy(flow, own ?? {}) }),
    };
  }
  const idle = idleInput(order);
  return { named: REST_CONTROL, flow, isOrdered: false, input: (ids) => ({ ...input(ids), ...idle }) };
}

/** How long it waits for a command, once it has nothing to do. Who streams a call is busy with it until somebody hangs up. */
function idleInput({ action, eventUrl, callHandlerUrl, idleTimeoutMs }: BroadcastOrder): JsonObject {
  if (action?.type === 'stream') return {};
  const isSteered = eventUrl !== undefined || callHandlerUrl !== undefined;
  return { idle_timeout: formatDuration(isSteered ? idleTimeoutMs : 0) };
}

/** Undefined: machines hear nothing. */
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
    // No command would come: nobody is there.
    return {
      named: REST_CONTROL,
      flow,
      isOrdered: false,
      input: (ids) => ({ ...input(ids), idle_timeout: formatDuration(0) }),
    };
  }
  const flow = resolveFlow(onMachine.flow, parts);
  const input = checkInput(flow, onMachine.input);
  return {
    named: onMachine.flow,
    flow,
    isOrdered: true,
    input: (_ids, own) => ({ ...input, ...declaredBy(flow, own ?? {}) }),
  };
}

/** Input of the flow that detects machines: what follows, as arguments of `subflow`. */
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

/** What must not be read in journals although it stands among what is handed on: the mask learns it from the call's start. */
const sensitiveIn = (flow: CompiledFlow, input: JsonObject): Json[] =>
  Object.entries(input).flatMap(([name, value]) => (flow.input[name]?.sensitive ? [value] : []));

const declaredBy = (flow: CompiledFlow, own: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(own).filter(([name]) => Object.hasOwn(flow.input, name)));
