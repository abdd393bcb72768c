/**
 * Queues: callers wait for an agent, by priority, then first come, first served. The queue decides whose turn it is and
 * with which agent; the step rings the agent.
 *
 * A member gives `agents` (the numbers to call), `priority`, `max_size`, and `figures` where it wants to hear of all
 * changes. It receives `position` ({position, waiting, estimated_wait}) when its position changes, or, with `figures`,
 * any of them; `turn` ({agent}) when it is to ring that agent, and `full` instead of anything else. It sends `answered`
 * when the agent took the call, and `agent_free` when the agent did not, or when the conversation is over; leaving frees
 * the agent too.
 *
 * A member with `serves` is an agent who called in. It receives `turn` ({from, waited}) when a caller is for it, and
 * sends `answered`; both receive `connected` ({mix_id, agent}) then, and each `parted` when the other is gone. After that it
 * sends `ready`. It may send `release` to end the conversation, and `pause`. A caller without `agents` is for those alone:
 * it receives `no_agents` where there are none, or a while after the last one left, unless it `waits` for them.
 *
 * A member that sends `keep` (an order) leaves its place to a callback: it receives `callback` ({callback_id, to, position}),
 * or `no_callback` ({reason}) and is what it was. The place is a member without a call: the desk receives its turn, and the
 * call that the desk makes takes it up by entering the queue. A caller who calls again takes up the place, too.
 *
 * A member that `looks` receives `figures` at once, and is in nobody's way.
 *
 * Invariants
 *  - an agent has one call at a time, whichever queues of the project name the agent;
 *  - of two callers who could have the same agent, the one with the higher priority gets the agent, and of one priority
 *     the one who came first; an agent who did not answer is not rung for a while, and the caller keeps the position;
 *  - of the free agents, the one who has been idle the longest is rung.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Clock, Timer } from '../../core/clock.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import type { Callback, CallbackDesk } from '../callbacks/callback.ts';
import { groupOf, Members } from './members.ts';
import {
  type Agent,
  type Caller,
  callerOf,
  lineUp,
  lookAt,
  placeFor,
  placeOf,
  type QueueReport,
  reportsOf,
  type ServingAgent,
  textsOf,
} from './queue-callers.ts';
import { type QueueFigures, type QueueLook, TalkTimes } from './queue-figures.ts';

/** An agent who did not answer, or declined, is not rung again before. */
const REST_MS = 10_000;
const MAX_WAITING = 10_000;
/** Callers wait so long for an agent who called in and was cut off. */
const AGENTS_GONE_MS = 60_000;

export class Queues implements Venue {
  readonly #clock: Clock;
  readonly #members: Members<Caller>;
  /** Of all projects, in the order in which they are served. */
  readonly #callers: Caller[] = [];
  /** Agents who called in. */
  readonly #serving: Members<ServingAgent>;
  /** Of groups whose last agent who called in has left. */
  readonly #agentsGone = new Map<string, Timer>();
  readonly #talkTimes = new TalkTimes();
  /** Those who are busy, rest, or were rung before: by project and address. */
  readonly #agents = new Map<string, Agent>();
  #desk: CallbackDesk | undefined;
  #uses = 0;
  #timer: Timer | undefined;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
    this.#members = new Members(clock);
    this.#serving = new Members(clock);
  }

  /** Without a desk nobody is called back. */
  useDesk(desk: CallbackDesk): void {
    this.#desk = desk;
  }

  /** Those in which somebody is, by name; `limit` callers at most. */
  list(projectId: string, limit: number): QueueReport[] {
    const callers = this.#callers.filter((caller) => caller.projectId === projectId).slice(0, limit);
    return reportsOf(callers);
  }

  /** How many callers wait in a queue, and how many talk: for reports. */
  size(projectId: string, queue: string): { waiting: number; talking: number } {
    const here = this.#members.in(groupOf(projectId, queue));
    const talking = here.filter(({ state }) => state === 'talking').length;
    return { waiting: here.length - talking, talking };
  }

  /** As it is for somebody who is not in it; `agents`: those that the queue would call. */
  figures(projectId: string, queue: string, agents: readonly string[]): QueueLook {
    const group = groupOf(projectId, queue);
    const all = [
      // One who was never rung is not known, and free.
      ...agents.map((name) => this.#agents.get(`${projectId} ${name}`)),
      ...this.#serving.in(group).map(({ agent }) => agent),
    ];
    const estimate = (position: number) => this.#talkTimes.estimatedWaitS(group, position, all.length);
    return lookAt(this.#members.in(group), all, this.#clock, estimate);
  }

  enter(request: VenueMember): void {
    const { projectId, name, options } = request;
    if (options['serves'] === true) {
      this.#enterAgent(request);
      return;
    }
    if (options['looks'] === true) {
      this.#members.turnAway(request, 'figures', this.figures(projectId, name, textsOf(options['agents'])));
      return;
    }
    const group = groupOf(projectId, name);
    const place = placeFor(request, this.#callers, group);
    const needsServing = !place && options['agents'] === undefined && options['waits'] !== true;
    if (needsServing && this.#serving.count(group) === 0) {
      this.#members.turnAway(request, 'no_agents', {});
      return;
    }
    const limit = typeof options['max_size'] === 'number' ? options['max_size'] : MAX_WAITING;
    const waiting = this.#members.in(group).filter((one) => one.state !== 'talking' && !one.place).length;
    if (!place && waiting >= Math.min(limit, MAX_WAITING)) {
      this.#members.turnAway(request, 'full', { waiting });
      return;
    }
    const caller = callerOf(request, place, this.#clock.now());
    this.#members.add(request, caller);
    if (place) this.#takeUp(place, caller);
    else lineUp(this.#callers, caller);
    this.#handOut();
    this.#sendPositions(caller);
  }

  // Places that are kept

  /** One that an earlier process kept. */
  restore(callback: Callback): void {
    const place = this.#placeOf(callback);
    lineUp(this.#callers, place);
    this.#handOut();
    this.#sendPositions(place);
  }

  dialled(callbackId: string, callId: string | undefined): void {
    const place = this.#members.find(callbackId)?.place;
    if (place) place.dialled = callId;
  }

  #placeOf(callback: Callback): Caller {
    const { callbackId } = callback;
    const place = placeOf(callback);
    const emit = (name: string): void => {
      if (name === 'turn') this.#desk?.turn(callbackId);
    };
    this.#members.add({ memberId: callbackId, emit }, place);
    return place;
  }

  /** The caller hangs up, and the place stays. */
  async #keep(caller: Caller, order: Json | undefined): Promise<void> {
    if (caller.state === 'talking' || caller.place || caller.isKeeping || !this.#desk) {
      this.#members.send(caller.memberId, 'no_callback', { reason: 'unavailable' });
      return;
    }
    const desk = this.#desk;
    const { memberId, projectId, callId, queue, agents, priority, enteredMs, callback } = caller;
    // Who was called back, and wants it again, has waited since the first call.
    if (callback) desk.over(callback.id, 'left');
    const asked = { projectId, callId, queue, agents, priority, enteredMs, order: isObject(order) ? order : {} };
    caller.isKeeping = true;
    const kept = await desk.keep(asked);
    caller.isKeeping = false;
    if (this.#members.find(memberId) !== caller) {
      // The caller hung up meanwhile, which those who are called back do anyway.
      if ('callback' in kept && kept.isNew) this.restore(kept.callback);
      return;
    }
    if ('callback' in kept && (caller.state as Caller['state']) === 'talking') {
      // An agent has answered meanwhile.
      if (kept.isNew) desk.over(kept.callback.callbackId, 'connected');
      this.#members.send(memberId, 'no_callback', { reason: 'unavailable' });
      return;
    }
    if ('reason' in kept) {
      this.#members.send(memberId, 'no_callback', { reason: kept.reason });
      return;
    }
    if (caller.agent) this.#part(caller.agent);
    caller.agent = undefined;
    const index = this.#callers.indexOf(caller);
    this.#callers.splice(index, 1);
    if (kept.isNew) this.#callers.splice(index, 0, this.#placeOf(kept.callback));
    this.#members.letGo(memberId);
    const line = this.#callers.filter((one) => one.group === caller.group && one.state !== 'talking');
    const position = line.findIndex((one) => one.memberId === kept.callback.callbackId) + 1;
    this.#members.send(memberId, 'callback', { callback_id: kept.callback.callbackId, to: kept.callback.to, position });
    this.#handOut();
    this.#sendPositions(caller);
  }

  #takeUp(place: Caller, caller: Caller): void {
    this.#callers[this.#callers.indexOf(place)] = caller;
    this.#members.remove(place.memberId);
    const { agent } = place;
    if (agent) agent.caller = undefined;
    if (agent && (agent.serving || caller.agents.includes(agent.name))) {
      agent.caller = caller;
      caller.agent = agent;
      caller.state = 'ringing';
      this.#sendTurn(caller, agent);
    }
    if (caller.callback) this.#desk?.taken(place.memberId);
    else this.#desk?.over(place.memberId, 'called_again');
  }

  tell(memberId: string, name: string, data?: Json): void {
    const serving = this.#serving.find(memberId);
    const caller = this.#members.find(memberId);
    if (serving) this.#onAgent(serving, name);
    if (!caller) return;
    if (name === 'answered') this.#answer(caller);
    else if (name === 'keep') void this.#keep(caller, data);
    else if (name === 'agent_free') {
      this.#free(caller);
      if (caller.state === 'ringing') caller.state = 'waiting';
      this.#handOut();
      this.#sendPositions(caller);
    }
  }

  exit(memberId: string): void {
    const serving = this.#serving.remove(memberId);
    const caller = this.#members.remove(memberId);
    if (serving) this.#exitAgent(serving);
    if (!caller) return;
    this.#callers.splice(this.#callers.indexOf(caller), 1);
    if (caller.place) this.#free(caller);
    else if (caller.agent) this.#part(caller.agent);
    if (caller.callback) this.#desk?.over(caller.callback.id, 'left');
    if (caller.answeredMs !== undefined) {
      this.#talkTimes.add(caller.group, this.#clock.monotonicMs() - caller.answeredMs);
    }
    this.#handOut();
    this.#sendPositions(caller);
    this.#forgetIdle();
  }

  #answer(caller: Caller): void {
    if (caller.state !== 'ringing') return;
    caller.state = 'talking';
    caller.answeredMs = this.#clock.monotonicMs();
    if (caller.callback) this.#desk?.over(caller.callback.id, 'connected');
    this.#sendPositions(caller);
  }

  // Agents who called in

  #enterAgent(request: VenueMember): void {
    const { memberId, projectId, name, from } = request;
    const group = groupOf(projectId, name);
    this.#agentsGone.get(group)?.cancel();
    this.#agentsGone.delete(group);
    const agent: Agent = {
      ...{ key: memberId, name: from, caller: undefined, restsUntilMs: 0, used: ++this.#uses },
      serving: undefined,
    };
    agent.serving = { memberId, group, agent, isReady: true };
    this.#serving.add(request, agent.serving);
    this.#handOut();
  }

  #onAgent(serving: ServingAgent, name: string): void {
    const { agent } = serving;
    const { caller } = agent;
    if (name === 'answered' && caller?.state === 'ringing' && !caller.place) {
      this.#answer(caller);
      const meeting = { mix_id: `queue ${caller.memberId}`, agent: agent.name };
      this.#members.send(caller.memberId, 'connected', meeting);
      this.#serving.send(serving.memberId, 'connected', meeting);
    } else if (name === 'release' && caller?.state === 'talking') {
      agent.caller = undefined;
      caller.agent = undefined;
      serving.isReady = false;
      this.#members.send(caller.memberId, 'parted', {});
    } else if (name === 'pause') serving.isReady = false;
    else if (name === 'ready') {
      serving.isReady = true;
      if (!caller) this.#handOut();
    }
  }

  #exitAgent({ agent, group }: ServingAgent): void {
    const { caller } = agent;
    agent.caller = undefined;
    if (caller) {
      caller.agent = undefined;
      if (caller.state === 'talking') this.#members.send(caller.memberId, 'parted', {});
      else {
        caller.state = 'waiting';
        this.#handOut();
        this.#sendPositions(caller);
      }
    }
    if (this.#serving.count(group) > 0) return;
    const left = this.#callers.filter((each) => each.group === group && each.needsServing);
    if (left.length === 0) return;
    this.#agentsGone.set(
      group,
      this.#clock.after(AGENTS_GONE_MS, () => this.#sendHome(group)),
    );
  }

  /** Callers who have no agent any more. */
  #sendHome(group: string): void {
    this.#agentsGone.delete(group);
    for (const caller of this.#callers) {
      if (caller.group !== group || !caller.needsServing || caller.state !== 'waiting') continue;
      this.#members.send(caller.memberId, 'no_agents', {});
    }
  }

  /** The caller is gone. An agent who called in is given the next one when it is ready. */
  #part(agent: Agent): void {
    agent.caller = undefined;
    if (!agent.serving) return;
    agent.serving.isReady = false;
    this.#serving.send(agent.serving.memberId, 'parted', {});
  }

  // Whose turn it is

  /** The agent can be rung again; an agent who was rung in vain, after a rest. */
  #free(caller: Caller): void {
    const { agent } = caller;
    if (!agent) return;
    agent.caller = undefined;
    caller.agent = undefined;
    if (caller.state === 'ringing' && !caller.place) agent.restsUntilMs = this.#clock.monotonicMs() + REST_MS;
  }

  #handOut(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const caller of this.#callers) {
      if (caller.state !== 'waiting') continue;
      const idle = this.#agentsFor(caller).filter((agent) => !agent.caller);
      const free = idle.filter(({ restsUntilMs }) => restsUntilMs <= nowMs);
      const agent = free.reduce<Agent | undefined>(
        (best, one) => (best && best.used <= one.used ? best : one),
        undefined,
      );
      const inMs = agent && caller.place ? (this.#desk?.readyInMs(caller.memberId) ?? 0) : 0;
      if (inMs > 0) nextMs = Math.min(nextMs, nowMs + inMs);
      else if (agent) {
        agent.caller = caller;
        agent.used = ++this.#uses;
        caller.agent = agent;
        caller.state = 'ringing';
        this.#sendTurn(caller, agent);
      } else {
        nextMs = Math.min(nextMs, ...idle.map(({ restsUntilMs }) => restsUntilMs));
      }
    }
    if (Number.isFinite(nextMs)) this.#timer = this.#clock.after(nextMs - nowMs, () => this.#handOut());
  }

  #agentsFor(caller: Caller): Agent[] {
    const called = caller.agents.map((name) => this.#agent(caller.projectId, name));
    const serving = this.#serving.in(caller.group).filter(({ isReady }) => isReady);
    return [...called, ...serving.map(({ agent }) => agent)];
  }

  #sendTurn(caller: Caller, agent: Agent): void {
    const waited = Math.round((this.#clock.now() - caller.enteredMs) / 1000);
    const from = caller.callback?.number ?? caller.from;
    if (caller.place) this.#members.send(caller.memberId, 'turn', {});
    else if (agent.serving) this.#serving.send(agent.serving.memberId, 'turn', { from, waited });
    else this.#members.send(caller.memberId, 'turn', { agent: agent.name });
  }

  #agent(projectId: string, name: string): Agent {
    const key = `${projectId} ${name}`;
    let agent = this.#agents.get(key);
    if (!agent) {
      agent = { key, name, caller: undefined, restsUntilMs: 0, used: 0, serving: undefined };
      this.#agents.set(key, agent);
    }
    return agent;
  }

  /** Of the queue in which somebody came, was answered or left. */
  #sendPositions({ group }: Caller): void {
    const waiting = this.#callers.filter((caller) => caller.group === group && caller.state !== 'talking');
    for (const [index, caller] of waiting.entries()) {
      if (caller.place || (caller.state === 'ringing' && !caller.wantsFigures)) continue;
      const position = index + 1;
      const agents = caller.agents.length + this.#serving.count(group);
      const estimate = this.#talkTimes.estimatedWaitS(group, position, agents);
      const figures: QueueFigures = {
        position,
        waiting: waiting.length,
        ...(estimate !== undefined && { estimated_wait: estimate }),
        ...(caller.canCallBack !== undefined && { callback: caller.canCallBack }),
      };
      const last = caller.figures;
      const isSame = caller.wantsFigures ? isDeepStrictEqual(last, figures) : last?.position === position;
      if (isSame) continue;
      caller.figures = figures;
      this.#members.send(caller.memberId, 'position', { ...figures });
    }
  }

  /** With nobody waiting it does not matter who was rung last. */
  #forgetIdle(): void {
    if (this.#callers.length === 0) this.#agents.clear();
  }
}
