/**
 * Queues: callers wait for an agent, first come, first served. The queue decides whose turn it is and with which agent;
 * the step rings the agent.
 *
 * A member gives `agents` (the numbers to call) and `max_size`. It receives `position` ({position, waiting}) when that
 * changes, `turn` ({agent}) when it is to ring that agent, and `full` instead of anything else. It sends `answered` when
 * the agent took the call, and `agent_free` when the agent did not, or when the conversation is over; leaving frees the
 * agent too.
 *
 * Invariants
 *  - an agent has one call at a time, whichever queues of the project name the agent;
 *  - of two callers who could have the same agent, the one who came first gets the agent; an agent who did not answer is
 *     not rung for a while, and the caller keeps the position;
 *  - of the free agents, the one who has been idle the longest is rung.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import { type GroupMember, groupOf, Members } from './members.ts';

/** An agent who did not answer, or declined, is not rung again before. */
const REST_MS = 10_000;
const MAX_WAITING = 10_000;

/** A queue in which somebody is. */
export interface QueueReport {
  name: string;
  /** Those who talk to an agent included; in the order in which they came. */
  callers: readonly QueuedCaller[];
}

export interface QueuedCaller {
  readonly callId: string;
  readonly from: string;
  readonly to: string;
  readonly state: 'waiting' | 'ringing' | 'talking';
  /** Who is rung, or talks. */
  readonly agent: { readonly name: string } | undefined;
  readonly enteredMs: number;
}

interface Caller extends GroupMember, QueuedCaller {
  queue: string;
  projectId: string;
  agents: readonly string[];
  state: 'waiting' | 'ringing' | 'talking';
  agent: Agent | undefined;
  /** As it was sent last. */
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

export class Queues implements Venue {
  readonly #clock: Clock;
  readonly #members: Members<Caller>;
  /** In the order in which they came, of all projects. */
  readonly #callers = new Set<Caller>();
  /** Those who are busy, rest, or were rung before: by project and address. */
  readonly #agents = new Map<string, Agent>();
  #uses = 0;
  #timer: Timer | undefined;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
    this.#members = new Members(clock);
  }

  /** Those in which somebody is, by name; `limit` callers at most. */
  list(projectId: string, limit: number): QueueReport[] {
    const callers = [...this.#callers].filter((caller) => caller.projectId === projectId).slice(0, limit);
    return [...Map.groupBy(callers, ({ queue }) => queue)]
      .map(([name, inIt]): QueueReport => ({ name, callers: inIt }))
      .sort((one, other) => one.name.localeCompare(other.name));
  }

  /** How many callers wait in a queue, and how many talk: for reports. */
  size(projectId: string, queue: string): { waiting: number; talking: number } {
    const here = this.#members.in(groupOf(projectId, queue));
    const talking = here.filter(({ state }) => state === 'talking').length;
    return { waiting: here.length - talking, talking };
  }

  enter(request: VenueMember): void {
    const { memberId, projectId, callId, from, to, name, options } = request;
    const limit = typeof options['max_size'] === 'number' ? options['max_size'] : MAX_WAITING;
    const { waiting } = this.size(projectId, name);
    if (waiting >= Math.min(limit, MAX_WAITING)) {
      this.#members.turnAway(request, 'full', { waiting });
      return;
    }
    const caller: Caller = {
      ...{ memberId, projectId, callId, from, to },
      group: groupOf(projectId, name),
      queue: name,
      enteredMs: this.#clock.now(),
      agents: textsOf(options['agents']),
      state: 'waiting',
      agent: undefined,
      position: 0,
    };
    this.#members.add(request, caller);
    this.#callers.add(caller);
    this.#handOut();
    this.#sendPositions(caller);
  }

  tell(memberId: string, name: string, _data?: Json): void {
    const caller = this.#members.find(memberId);
    if (!caller) return;
    if (name === 'answered' && caller.state === 'ringing') {
      caller.state = 'talking';
      this.#sendPositions(caller);
    } else if (name === 'agent_free') {
      this.#free(caller);
      if (caller.state === 'ringing') caller.state = 'waiting';
      this.#handOut();
      this.#sendPositions(caller);
    }
  }

  exit(memberId: string): void {
    const caller = this.#members.remove(memberId);
    if (!caller) return;
    this.#callers.delete(caller);
    if (caller.agent) caller.agent.caller = undefined;
    this.#handOut();
    this.#sendPositions(caller);
    this.#forgetIdle();
  }

  /** The agent can be rung again; an agent who was rung in vain, after a rest. */
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
        this.#members.send(caller.memberId, 'turn', { agent: agent.name });
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
  #sendPositions({ group }: Caller): void {
    const waiting = this.#members.in(group).filter(({ state }) => state !== 'talking');
    for (const [index, caller] of waiting.entries()) {
      const position = index + 1;
      if (caller.state !== 'waiting' || caller.position === position) continue;
      caller.position = position;
      this.#members.send(caller.memberId, 'position', { position, waiting: waiting.length });
    }
  }

  /** With nobody waiting it does not matter who was rung last. */
  #forgetIdle(): void {
    if (this.#callers.size === 0) this.#agents.clear();
  }
}

const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
