/**
 * Decides which commands end a step early: a prompt, or a stay in a conference or room. A step is preempted if its flow
 * leads from there to a step that accepts the command without a waiting step in between: steps after a prompt are not
 * skipped. A flow without such a path is left permanently (`flow-executions.ts`).
 */
import { fault } from '../../base/core/fault.ts';
import type { CompiledFlow, CompiledStep } from '../../language/flow/compiled-flow.ts';
import { flowSeenFrom } from '../../language/flow/local-flows.ts';
import { flowsNamedIn } from '../../language/flow/named-places.ts';
import { namesOf } from '../../language/flow/verb-facts.ts';
import type { StepResult } from '../../language/steps/step.ts';
import type { FlowDirectory } from './mask.ts';

/** Maximum steps examined on the path. */
const MAX_STEPS = 64;

/** Result of the step if this signal preempts it. Undefined if it does not. */
export function preemptedResult(
  flow: CompiledFlow,
  step: CompiledStep,
  signal: string,
  ports: FlowDirectory,
): StepResult | undefined {
  const { preemptedBy } = ports.steps.get(step.verb)!;
  if (!preemptedBy?.to.includes(signal)) return undefined;
  const outcome = preemptedBy.outcomes.find((each) => flow.machine.next(step.name, each) !== undefined);
  if (outcome === undefined) return undefined;
  const target = flow.machine.next(step.name, outcome)!;
  if (signal !== STOP && !leadsToStepFor(flow, target, signal, ports, new Set())) return undefined;
  return outcome === 'error' ? { outcome, fault: fault('stopped', endReason(signal)) } : { outcome };
}

export const STOP = 'stop_play';

/** Outcome of steps whose flow is left for an order that it does not accept. */
export const LEFT_FOR_ORDER = '$order';

/** API terms for signals. */
const COMMANDS: Readonly<Record<string, string>> = {
  bridge: 'connect',
  join_room: 'joining a room',
  [STOP]: 'request',
};

export const endReason = (signal: string): string => `ended by ${COMMANDS[signal] ?? signal}`;

function leadsToStepFor(
  flow: CompiledFlow,
  at: string,
  signal: string,
  ports: FlowDirectory,
  seen: Set<CompiledStep>,
): boolean {
  const step = flow.steps.get(at);
  if (!step || seen.has(step) || seen.size >= MAX_STEPS) return false;
  seen.add(step);
  const definition = ports.steps.get(step.verb)!;
  if (definition.signals?.(step.args).includes(signal)) return true;
  const name = calledFlow(step);
  if (name !== undefined) {
    const called = flowSeenFrom(flow, name, ports.flow);
    return called !== undefined && leadsToStepFor(called, called.start, signal, ports, seen);
  }
  if (definition.waits) return false;
  return Object.values(step.exits).some((next) => leadsToStepFor(flow, next, signal, ports, seen));
}

/** The flow that a step runs, if it is known before the call. */
export const calledFlow = ({ verb, args }: CompiledStep): string | undefined =>
  flowsNamedIn(namesOf(verb), args).find(({ use }) => use === 'calls' || use === 'continues')?.flow;
