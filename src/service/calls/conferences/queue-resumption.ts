/**
 * Restores callers and agents after the loss of a queue's owner node: waiting since they entered, being rung, or in a
 * conversation. The two sides of a conversation return one after the other.
 */
import type { JsonObject } from '../../../base/core/json.ts';
import type { Caller, ServingAgent } from './queue-callers.ts';
import type { QueueLine } from './queue-line.ts';

/** True if the caller talks to an agent who called in and has not returned yet. */
export function resumeCaller(
  caller: Caller,
  { state, agent: name, mix_id: mixId }: JsonObject,
  { agents, serving }: Pick<QueueLine, 'agents' | 'serving'>,
): boolean {
  if (typeof mixId === 'string') {
    caller.state = 'talking';
    caller.mixId = mixId;
    const other = serving.in(caller.group).find((one) => one.mixId === mixId && !one.agent.caller);
    if (other) agents.occupy(other.agent, caller);
    return !other;
  }
  if (typeof name !== 'string' || (state !== 'ringing' && state !== 'talking')) return false;
  const agent = agents.named(caller.projectId, name);
  if (!agent.caller) agents.occupy(agent, caller);
  caller.state = state;
  return false;
}

/** True if the agent talks to a caller who has not returned yet. */
export function resumeAgent(
  serving: ServingAgent,
  { mix_id: mixId, paused }: JsonObject,
  { agents, members }: Pick<QueueLine, 'agents' | 'members'>,
): boolean {
  serving.isReady = paused !== true && typeof mixId !== 'string';
  if (typeof mixId !== 'string') return false;
  serving.mixId = mixId;
  const caller = members.in(serving.group).find((one) => one.mixId === mixId && !one.agent);
  if (caller) agents.occupy(serving.agent, caller);
  return !caller;
}
