/** Reasons why a command from REST or from a webhook response does not fit the state of the call. */
import type { ApiCommand, CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { flowSeenFrom } from '../../language/flow/local-flows.ts';
import type { CallActivity } from '../../language/flow/verb-facts.ts';
import type { CallContext } from './call-context.ts';
import type { FlowExecutions } from './flow-executions.ts';
import type { CallCommand, Refusal } from './journal.ts';
import { calledFlow } from './preemption.ts';
import { signalOf } from './signals.ts';

/** Undefined if the command fits. */
export function refusalOf(command: CallCommand, call: CallContext, executions: FlowExecutions): Refusal | undefined {
  const { bridges, closing, isAnswered, legs, media, queuedCommands, record } = call;
  if (closing || legs.main.state === 'ended' || legs.main.isEnding) return 'ended';
  if (!isAllowed(command.type, call)) return 'not_accepted_here';
  const signal = signalOf(command).name;
  const isAwaited = executions.awaiting(signal) !== undefined;
  const isPlayQueued = queuedCommands.some(({ type }) => type === 'play');
  switch (command.type) {
    case 'hangup':
      return undefined;
    case 'outcome':
      return executions.outcomeRefusal(command.outcome, command.set);
    case 'accept':
      if (isAnswered || record.direction === 'outbound') return 'already_answered';
      return isAwaited ? undefined : 'not_accepted_here';
    case 'event':
      return isAwaited || executions.handles(signal) ? undefined : 'not_accepted_here';
    case 'hold':
      return legs.main.state === 'ringing' ? 'ringing' : undefined;
    case 'recording':
      // Active media can be stopped in every state.
      if (command.action !== 'start') return media.recordingId ? undefined : 'not_recording';
      return mediaRefusal(call) ?? (media.recordingId ? 'already_recording' : undefined);
    case 'stream':
      if (command.action !== 'start') return media.streamId ? undefined : 'not_streaming';
      if (media.streamId) return mediaRefusal(call) ?? 'already_streaming';
      return mediaRefusal(call) ?? (media.mayStream(command.url) ? undefined : 'target_refused');
    case 'transfer':
      if (!bridges.isBridged) return 'not_bridged';
      return isAwaited ? undefined : stateRefusal(call, executions);
    case 'stop_play':
      return executions.preemptibleBy(signal) || isPlayQueued ? undefined : 'not_playing';
    case 'play':
      if (bridges.isBridged) return 'bridged';
      if (isAwaited) return undefined;
      if (isPlayQueued || executions.activity === 'prompt') return 'play_pending';
      return isQueueing(call, executions) && queuedCommands.length === 0 ? undefined : stateRefusal(call, executions);
    default:
      if (bridges.isBridged) return 'bridged';
      if (isAwaited || executions.preemptibleBy(signal)) return undefined;
      if (isAnswered && executions.flowForOrder(signal)) return undefined;
      // A queued play can be preempted like a playing one.
      if (isQueueing(call, executions) && (isPlayQueued || queuedCommands.length === 0)) return undefined;
      return stateRefusal(call, executions);
  }
}

/** True if the flow's `api` allows the command. */
export function isAllowed(type: CallCommand['type'], { spec }: CallContext): boolean {
  const permission: ApiCommand = type === 'bridge' ? 'connect' : type === 'stop_play' ? 'play' : type;
  return spec.flow.api[permission] !== false;
}

const ACTIVITY_REFUSALS: Readonly<Record<CallActivity, Refusal>> = {
  detecting: 'detecting',
  prompt: 'prompt_playing',
  connecting: 'bridging',
  conference: 'in_conference',
  room: 'in_room',
  queue: 'in_queue',
};

/** The state because of which the call refuses the command. */
function stateRefusal({ bridges, legs }: CallContext, { activity }: FlowExecutions): Refusal {
  if (bridges.isBridged) return 'transferring';
  if (legs.main.state === 'ringing') return 'ringing';
  return activity ? ACTIVITY_REFUSALS[activity] : 'not_accepted_here';
}

/** Reason why no recording or stream can be started. */
function mediaRefusal({ bridges, isStrict, legs }: CallContext): Refusal | undefined {
  if (isStrict && !bridges.isBridged) return 'not_bridged';
  return legs.main.state === 'ringing' ? 'ringing' : undefined;
}

/** Until the call is answered and machine detection is over, commands are queued for a flow that will wait for them. */
function isQueueing({ legs, ports, spec }: CallContext, { activity }: FlowExecutions): boolean {
  return (legs.main.state === 'ringing' || activity === 'detecting') && waitsForCommands(spec.flow, ports.flow);
}

/** Checks the flow itself and the flows that it names, but not further ones. */
function waitsForCommands(flow: CompiledFlow, find: (name: string) => CompiledFlow | undefined): boolean {
  return [...flow.steps.values()].some((step) => {
    if (step.verb === 'wait_for') return true;
    const called = calledFlow(step);
    const inner = called === undefined ? undefined : flowSeenFrom(flow, called, find);
    return [...(inner?.steps.values() ?? [])].some(({ verb }) => verb === 'wait_for');
  });
}
