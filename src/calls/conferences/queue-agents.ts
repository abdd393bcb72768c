/** The agents of queues, as far as they are known: those who are busy, rest, or were rung before. */
import type { Agent, Caller } from './queue-callers.ts';

/** An agent who did not answer, or declined, is not rung again before. */
const REST_MS = 10_000;

export class QueueAgents {
  /** By project and address. */
  readonly #known = new Map<string, Agent>();
  #uses = 0;

  /** A number that grows with every use. */
  nextUse(): number {
    return ++this.#uses;
  }

  /** Undefined: never rung, and free. */
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

  /** The agent is for this caller alone. */
  occupy(agent: Agent, caller: Caller): void {
    agent.caller = caller;
    agent.used = this.nextUse();
    caller.agent = agent;
  }

  /** The agent of a caller can be rung again; one who was rung in vain, after a rest. */
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

/** Of those who are free, the one who has been idle the longest; else when the first of the others has rested. */
export function choose(agents: readonly Agent[], nowMs: number): { agent?: Agent; nextMs: number } {
  const idle = agents.filter(({ caller }) => !caller);
  const free = idle.filter(({ restsUntilMs }) => restsUntilMs <= nowMs);
  const agent = free.reduce<Agent | undefined>((best, one) => (best && best.used <= one.used ? best : one), undefined);
  const nextMs = Math.min(Number.POSITIVE_INFINITY, ...idle.map(({ restsUntilMs }) => restsUntilMs));
  return agent ? { agent, nextMs } : { nextMs };
}
