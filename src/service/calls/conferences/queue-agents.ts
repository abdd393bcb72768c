/** State of the agents known to the queues: busy, resting, or rung before. */
import type { Agent, Caller } from './queue-callers.ts';

/** Rest of an agent who did not answer or declined, in ms. */
const REST_MS = 10_000;

export class QueueAgents {
  /** Agents by project and address. */
  readonly #known = new Map<string, Agent>();
  #uses = 0;

  /** Returns an increasing sequence number. */
  nextUse(): number {
    return ++this.#uses;
  }

  /** Undefined if the agent was never rung, and so is free. */
  find(projectId: string, name: string): Agent | undefined {
    return this.#known.get(`${projectId} ${name}`);
  }

  named(projectId: string, name: string): Agent {
    const key = `${projectId} ${name}`;
    let agent = this.#known.get(key);
    if (!agent) {
      agent = { key, name, caller: undefined, restsUntilMs: 0, used: 0, serving: undefined };
      this.#known.set(key, agent);
    }
    return agent;
  }

  /** Reserves the agent for this caller. */
  occupy(agent: Agent, caller: Caller): void {
    agent.caller = caller;
    agent.used = this.nextUse();
    caller.agent = agent;
  }

  /** Releases the caller's agent; an agent who did not answer rests first. */
  free(caller: Caller, nowMs: number): void {
    const { agent } = caller;
    if (!agent) return;
    agent.caller = undefined;
    caller.agent = undefined;
    if (caller.state === 'ringing' && !caller.place) agent.restsUntilMs = nowMs + REST_MS;
  }

  clear(): void {
    this.#known.clear();
  }
}

/** The free agent who has been idle longest, or else the time at which the first resting agent is free. */
export function choose(agents: readonly Agent[], nowMs: number): { agent?: Agent; nextMs: number } {
  const idle = agents.filter(({ caller }) => !caller);
  const free = idle.filter(({ restsUntilMs }) => restsUntilMs <= nowMs);
  const agent = free.reduce<Agent | undefined>((best, one) => (best && best.used <= one.used ? best : one), undefined);
  const nextMs = Math.min(Number.POSITIVE_INFINITY, ...idle.map(({ restsUntilMs }) => restsUntilMs));
  return agent ? { agent, nextMs } : { nextMs };
}
