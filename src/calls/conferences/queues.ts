/**
 * Queues: callers who wait for an agent, first come first served. The place decides whose turn it is and with whom; the
 * step rings the agent.
 *
 * A visitor gives `agents` (whom to call) and `max_size`. It is told `position` ({position, waiting}) when it changes,
 * `turn` ({agent}) when it is to ring that agent, and `full` instead of anything else. It tells `answered` when the agent
 * took the call, and `agent_free` when the agent did not, or when the talk is over; leaving frees the agent too.
 *
 * Invariants
 *  Q1 an agent has one call at a time, in whichever queues of the project it is named;
 *  Q2 of two callers who could have the same agent, the one who came first gets it; an agent who did not answer is left
 *     alone for a while, and its caller keeps its place;
 *  Q3 of the free agents, the one who has been idle the longest is rung.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import { Visitors } from './members.ts';

/** An agent who did not answer, or declined, is not rung again before. */
const REST_MS = 10_000;
const MOST_WAITING = 10_000;

interface Caller {
  memberId: string;
  projectId: string;
  queue: string;
  agents: readonly string[];
  state: 'waiting' | 'ringing' | 'talking';
  agent: Agent | undefined;
  /** As it was told last. */
  position: number;
}

interface Agent {
  key: string;
  name: string;
  caller: Caller | undefined;
  /** Not to be rung before. */
  restsUntilMs: number;
  /** A number that grows with every use: the smallest has been idle the longest. */
  used: number;
}

export interface Queues extends Venue {
  /** How many wait in a queue, and how many of its callers talk: for reports. */
  size(projectId: string, queue: string): { waiting: number; talking: number };
}

export function createQueues({ clock }: { clock: Clock }): Queues {
  return new QueueHalls(clock);
}

class QueueHalls implements Queues {
  readonly #clock: Clock;
  readonly #visitors: Visitors<Caller>;
  /** In the order in which they came, of all projects. */
  readonly #callers = new Set<Caller>();
  /** Those who are busy, rest, or were rung before: by project and address. */
  readonly #agents = new Map<string, Agent>();
  #uses = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#visitors = new Visitors(clock);
  }

  size(projectId: string, queue: string): { waiting: number; talking: number } {
    const here = [...this.#callers].filter((caller) => caller.projectId === projectId && caller.queue === queue);
    const talking = here.filter(({ state }) => state === 'talking').length;
    return { waiting: here.length - talking, talking };
  }

  enter(visitor: VenueMember): void {
    const { memberId, projectId, name, options } = visitor;
    const limit = typeof options['max_size'] === 'number' ? options['max_size'] : MOST_WAITING;
    const { waiting } = this.size(projectId, name);
    if (waiting >= Math.min(limit, MOST_WAITING)) {
      this.#visitors.add(visitor);
      this.#visitors.tell(memberId, 'full', { waiting });
      return;
    }
    const caller: Caller = {
      memberId,
      projectId,
      queue: name,
      agents: textsOf(options['agents']),
      state: 'waiting',
      agent: undefined,
      position: 0,
    };
    this.#visitors.add(visitor, caller);
    this.#callers.add(caller);
    this.#handOut();
    this.#tellPositions(caller);
  }

  tell(memberId: string, name: string): void {
    const caller = this.#visitors.stayOf(memberId);
    if (!caller) return;
    if (name === 'answered' && caller.state === 'ringing') {
      caller.state = 'talking';
      this.#tellPositions(caller);
    } else if (name === 'agent_free') {
      this.#free(caller);
      if (caller.state === 'ringing') caller.state = 'waiting';
      this.#handOut();
      this.#tellPositions(caller);
    }
  }

  exit(memberId: string): void {
    const caller = this.#visitors.stayOf(memberId);
    this.#visitors.remove(memberId);
    if (!caller) return;
    this.#callers.delete(caller);
    if (caller.agent) caller.agent.caller = undefined;
    this.#handOut();
    this.#tellPositions(caller);
    this.#forgetIdle();
  }

  /** The agent is there for others again; one who was rung in vain, after a rest. */
  #free(caller: Caller): void {
    const { agent } = caller;
    if (!agent) return;
    agent.caller = undefined;
    caller.agent = undefined;
    if (caller.state === 'ringing') agent.restsUntilMs = this.#clock.monotonicMs() + REST_MS;
  }

  #handOut(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const caller of this.#callers) {
      if (caller.state !== 'waiting') continue;
      const idle = caller.agents.map((name) => this.#agent(caller.projectId, name)).filter((agent) => !agent.caller);
      const free = idle.filter(({ restsUntilMs }) => restsUntilMs <= nowMs);
      const agent = free.reduce<Agent | undefined>(
        (best, one) => (best && best.used <= one.used ? best : one),
        undefined,
      );
      if (agent) {
        agent.caller = caller;
        agent.used = ++this.#uses;
        caller.agent = agent;
        caller.state = 'ringing';
        this.#visitors.tell(caller.memberId, 'turn', { agent: agent.name });
      } else {
        nextMs = Math.min(nextMs, ...idle.map(({ restsUntilMs }) => restsUntilMs));
      }
    }
    if (Number.isFinite(nextMs)) this.#timer = this.#clock.after(nextMs - nowMs, () => this.#handOut());
  }

  #agent(projectId: string, name: string): Agent {
    const key = `${projectId} ${name}`;
    let agent = this.#agents.get(key);
    if (!agent) {
      agent = { key, name, caller: undefined, restsUntilMs: 0, used: 0 };
      this.#agents.set(key, agent);
    }
    return agent;
  }

  /** Of the queue in which somebody came, was answered or left. */
  #tellPositions({ projectId, queue }: Caller): void {
    const waiting = [...this.#callers].filter(
      (caller) => caller.projectId === projectId && caller.queue === queue && caller.state !== 'talking',
    );
    for (const [index, caller] of waiting.entries()) {
      const position = index + 1;
      if (caller.state !== 'waiting' || caller.position === position) continue;
      caller.position = position;
      this.#visitors.tell(caller.memberId, 'position', { position, waiting: waiting.length });
    }
  }

  /** With nobody waiting it does not matter who was rung last. */
  #forgetIdle(): void {
    if (this.#callers.size === 0) this.#agents.clear();
  }
}

const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
