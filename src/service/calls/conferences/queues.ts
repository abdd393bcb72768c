/**
 * Queues: callers wait for an agent, by priority, then first come, first served. The queue decides whose turn it is and
 * with which agent; the step rings the agent.
 *
 * A member gives `agents` (the numbers to call), `priority`, `max_size`, and `figures` to receive all changes. It
 * receives `position` ({position, waiting, estimated_wait}) when its position changes, or, with `figures`, any of them;
 * `turn` ({agent}) when it is to ring that agent, and `full` instead of anything else. It sends `answered` when the
 * agent took the call, and `agent_free` when the agent did not, or when the conversation is over; leaving frees the
 * agent too.
 *
 * A member with `serves` is an agent who called in. It receives `turn` ({from, waited}) when a caller is assigned to
 * it, and sends `answered`; then both receive `connected` ({mix_id, agent}), and each receives `parted` when the other
 * is gone. After that it sends `ready`. It may send `release` to end the conversation, and `pause`. A caller without
 * `agents` is served only by these agents: it receives `no_agents` if there are none, or a while after the last one
 * left, unless it `waits` for them.
 *
 * A member that sends `keep` (an order) leaves its position to a callback: it receives `callback` ({callback_id, to,
 * position}), or `no_callback` ({reason}) and stays in the queue. The kept position is a member without a call: the
 * desk receives its turn, and the call that the desk places takes over the position by entering the queue. A caller who
 * calls again takes over the position, too.
 *
 * A member with `resumed` was here when the owner node, or the link to it, was lost: its state is restored ({state,
 * agent, mix_id, paused}).
 *
 * A member with `looks` receives `figures` at once and does not join the queue.
 *
 * Invariants
 *  - An agent has one call at a time, even if several queues of the project name the agent.
 *  - Of two callers who could have the same agent, the one with the higher priority gets the agent; with equal
 *    priority, the one who entered first. An agent who did not answer is not rung for a while, and the caller keeps the
 *    position.
 *  - Of the free agents, the one who has been idle longest is rung.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { Venue, VenueMember } from '../../runtime/venue.ts';
import type { Callback, CallbackDesk } from './callback.ts';
import { groupOf } from './members.ts';
import { QueueAssignment } from './queue-assignment.ts';
import {
  type Agent,
  type Caller,
  callerOf,
  lineUp,
  placeFor,
  placeOf,
  type ServingAgent,
  textsOf,
} from './queue-callers.ts';
import { QueueLine } from './queue-line.ts';
import { resumeAgent, resumeCaller } from './queue-resumption.ts';

const MAX_WAITING = 10_000;
/** Time that callers wait for a disconnected agent who called in to return. */
const AGENTS_GONE_MS = 60_000;
/** After the loss of an owner node: time for the missing other side of a conversation to return. */
const OTHER_COMES_MS = 5000;

export class Queues implements Venue {
  readonly #clock: Clock;
  readonly #line: QueueLine;
  /** Timers of groups whose last agent who called in has left. */
  readonly #agentsGone = new Map<string, Timer>();
  #desk: CallbackDesk | undefined;
  readonly #assignment: QueueAssignment;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
    this.#line = new QueueLine(clock);
    this.#assignment = new QueueAssignment(clock, this.#line, (callbackId) => this.#desk?.readyInMs(callbackId) ?? 0);
  }

  /** Sets the desk for callbacks. Without one there are no callbacks. */
  useDesk(desk: CallbackDesk): void {
    this.#desk = desk;
  }

  list: QueueLine['list'] = (...of) => this.#line.list(...of);
  size: QueueLine['size'] = (...of) => this.#line.size(...of);
  projects: QueueLine['projects'] = () => this.#line.projects();
  figures: QueueLine['figures'] = (...of) => this.#line.figures(...of);

  enter(request: VenueMember): void {
    const { projectId, name, options, resumed } = request;
    if (resumed) this.#assignment.settle();
    if (options['serves'] === true) {
      this.#enterAgent(request);
      return;
    }
    if (options['looks'] === true) {
      this.#line.members.turnAway(request, 'figures', this.figures(projectId, name, textsOf(options['agents'])));
      return;
    }
    const group = groupOf(projectId, name);
    const place = placeFor(request, this.#line.callers, group);
    const needsServing = !place && options['agents'] === undefined && options['waits'] !== true;
    if (needsServing && this.#line.serving.count(group) === 0 && !resumed) {
      this.#line.members.turnAway(request, 'no_agents', {});
      return;
    }
    const limit = typeof options['max_size'] === 'number' ? options['max_size'] : MAX_WAITING;
    const waiting = this.#line.members.in(group).filter((one) => one.state !== 'talking' && !one.place).length;
    if (!place && waiting >= Math.min(limit, MAX_WAITING) && !resumed) {
      this.#line.members.turnAway(request, 'full', { waiting });
      return;
    }
    const caller = callerOf(request, place, this.#clock.now());
    this.#line.members.add(request, caller);
    if (place) this.#takeUp(place, caller);
    else lineUp(this.#line.callers, caller);
    if (resumed) this.#resume(caller, resumed);
    this.#assignment.handOut();
    this.#line.sendPositions(caller);
  }

  // Kept positions

  /** Restores the kept position of an earlier process. */
  restore(callback: Callback): void {
    const place = this.#placeOf(callback);
    lineUp(this.#line.callers, place);
    this.#assignment.handOut();
    this.#line.sendPositions(place);
  }

  dialled(callbackId: string, callId: string | undefined): void {
    const place = this.#line.members.find(callbackId)?.place;
    if (place) place.dialled = callId;
  }

  #placeOf(callback: Callback): Caller {
    const { callbackId } = callback;
    const place = placeOf(callback);
    const emit = (name: string): void => {
      if (name === 'turn') this.#desk?.turn(callbackId);
    };
    this.#line.members.add({ memberId: callbackId, emit }, place);
    return place;
  }

  /** Replaces the caller by a kept position; the caller hangs up. */
  async #keep(caller: Caller, order: Json | undefined): Promise<void> {
    if (caller.state === 'talking' || caller.place || caller.isKeeping || !this.#desk) {
      this.#line.members.send(caller.memberId, 'no_callback', { reason: 'unavailable' });
      return;
    }
    const desk = this.#desk;
    const { memberId, projectId, callId, source, queue, agents, priority, enteredMs, callback } = caller;
    const { eventUrl, ownerRef } = caller;
    // A caller who was called back and requests another callback has waited since the first call.
    if (callback) desk.over(callback.id, 'left');
    const asked = {
      ...{ projectId, callId, source, queue, agents, priority, enteredMs, eventUrl, ownerRef },
      order: isObject(order) ? order : {},
    };
    caller.isKeeping = true;
    const kept = await desk.keep(asked);
    caller.isKeeping = false;
    if (this.#line.members.find(memberId) !== caller) {
      // The caller hung up meanwhile, as callers with a callback do anyway.
      if ('callback' in kept && kept.isNew) this.restore(kept.callback);
      return;
    }
    if ('callback' in kept && (caller.state as Caller['state']) === 'talking') {
      // An agent has answered meanwhile.
      if (kept.isNew) desk.over(kept.callback.callbackId, 'connected');
      this.#line.members.send(memberId, 'no_callback', { reason: 'unavailable' });
      return;
    }
    if ('reason' in kept) {
      this.#line.members.send(memberId, 'no_callback', { reason: kept.reason });
      return;
    }
    if (caller.agent) this.#part(caller.agent);
    caller.agent = undefined;
    const index = this.#line.callers.indexOf(caller);
    this.#line.callers.splice(index, 1);
    if (kept.isNew) this.#line.callers.splice(index, 0, this.#placeOf(kept.callback));
    this.#line.members.letGo(memberId);
    const line = this.#line.callers.filter((one) => one.group === caller.group && one.state !== 'talking');
    const position = line.findIndex((one) => one.memberId === kept.callback.callbackId) + 1;
    this.#line.members.send(memberId, 'callback', {
      callback_id: kept.callback.callbackId,
      to: kept.callback.to,
      position,
    });
    this.#assignment.handOut();
    this.#line.sendPositions(caller);
  }

  #takeUp(place: Caller, caller: Caller): void {
    this.#line.callers[this.#line.callers.indexOf(place)] = caller;
    this.#line.members.remove(place.memberId);
    const { agent } = place;
    if (agent) agent.caller = undefined;
    if (agent && (agent.serving || caller.agents.includes(agent.name))) {
      agent.caller = caller;
      caller.agent = agent;
      caller.state = 'ringing';
      this.#assignment.sendTurn(caller, agent);
    }
    if (caller.callback) this.#desk?.taken(place.memberId);
    else this.#desk?.over(place.memberId, 'called_again');
  }

  tell(memberId: string, name: string, data?: Json): void {
    const serving = this.#line.serving.find(memberId);
    const caller = this.#line.members.find(memberId);
    if (serving) this.#onAgent(serving, name);
    if (!caller) return;
    if (name === 'answered') this.#answer(caller);
    else if (name === 'keep') void this.#keep(caller, data);
    else if (name === 'agent_free') {
      this.#line.agents.free(caller, this.#clock.monotonicMs());
      if (caller.state === 'ringing') caller.state = 'waiting';
      this.#assignment.handOut();
      this.#line.sendPositions(caller);
    }
  }

  exit(memberId: string): void {
    const serving = this.#line.serving.remove(memberId);
    const caller = this.#line.members.remove(memberId);
    if (serving) this.#exitAgent(serving);
    if (!caller) return;
    this.#line.callers.splice(this.#line.callers.indexOf(caller), 1);
    if (caller.place) this.#line.agents.free(caller, this.#clock.monotonicMs());
    else if (caller.agent) this.#part(caller.agent);
    if (caller.callback) this.#desk?.over(caller.callback.id, 'left');
    if (caller.answeredMs !== undefined) {
      this.#line.talkTimes.add(caller.group, this.#clock.monotonicMs() - caller.answeredMs);
    }
    this.#assignment.handOut();
    this.#line.sendPositions(caller);
    // The idle order of agents matters only while callers wait.
    if (this.#line.callers.length === 0) this.#line.agents.clear();
  }

  #answer(caller: Caller): void {
    if (caller.state !== 'ringing') return;
    this.#talk(caller);
    if (caller.callback) this.#desk?.over(caller.callback.id, 'connected');
    this.#line.sendPositions(caller);
  }

  // Agents who called in

  #enterAgent(request: VenueMember): void {
    const { memberId, projectId, name, from, resumed } = request;
    const group = groupOf(projectId, name);
    this.#agentsGone.get(group)?.cancel();
    this.#agentsGone.delete(group);
    const agent: Agent = {
      ...{ key: memberId, name: from, caller: undefined, restsUntilMs: 0, used: this.#line.agents.nextUse() },
      serving: undefined,
    };
    agent.serving = { memberId, projectId, group, agent, isReady: true, mixId: undefined };
    this.#line.serving.add(request, agent.serving);
    if (resumed) this.#resumeAgent(agent.serving, resumed);
    this.#assignment.handOut();
  }

  #onAgent(serving: ServingAgent, name: string): void {
    const { agent } = serving;
    const { caller } = agent;
    if (name === 'answered' && caller?.state === 'ringing' && !caller.place) {
      this.#answer(caller);
      const mixId = `queue ${caller.memberId}`;
      const meeting = { mix_id: mixId, agent: agent.name };
      caller.mixId = mixId;
      serving.mixId = mixId;
      this.#line.members.send(caller.memberId, 'connected', meeting);
      this.#line.serving.send(serving.memberId, 'connected', meeting);
    } else if (name === 'release' && caller?.state === 'talking') {
      agent.caller = undefined;
      caller.agent = undefined;
      serving.isReady = false;
      this.#line.members.send(caller.memberId, 'parted', {});
    } else if (name === 'pause') serving.isReady = false;
    else if (name === 'ready') {
      serving.isReady = true;
      if (!caller) this.#assignment.handOut();
    }
  }

  #exitAgent({ agent, group }: ServingAgent): void {
    const { caller } = agent;
    agent.caller = undefined;
    if (caller) {
      caller.agent = undefined;
      if (caller.state === 'talking') this.#line.members.send(caller.memberId, 'parted', {});
      else {
        caller.state = 'waiting';
        this.#assignment.handOut();
        this.#line.sendPositions(caller);
      }
    }
    this.#watchAgents(group);
  }

  /** Limits the wait of callers whom no agent serves. */
  #watchAgents(group: string): void {
    if (this.#line.serving.count(group) > 0 || this.#agentsGone.has(group)) return;
    if (!this.#line.callers.some((each) => each.group === group && each.needsServing)) return;
    this.#agentsGone.set(
      group,
      this.#clock.after(AGENTS_GONE_MS, () => this.#sendHome(group)),
    );
  }

  /** Reports `no_agents` to callers whose agents have left. */
  #sendHome(group: string): void {
    this.#agentsGone.delete(group);
    for (const caller of this.#line.callers) {
      if (caller.group !== group || !caller.needsServing || caller.state !== 'waiting') continue;
      this.#line.members.send(caller.memberId, 'no_agents', {});
    }
  }

  /** The caller left. An agent who called in gets the next caller once it is ready. */
  #part(agent: Agent): void {
    agent.caller = undefined;
    if (!agent.serving) return;
    agent.serving.isReady = false;
    this.#line.serving.send(agent.serving.memberId, 'parted', {});
  }

  // Resumption after the loss of the owner node

  #resume(caller: Caller, resumed: JsonObject): void {
    this.#watchAgents(caller.group);
    const isAlone = resumeCaller(caller, resumed, this.#line);
    if (isAlone)
      this.#awaitOther(caller.memberId, () => this.#line.members.find(caller.memberId) === caller && !caller.agent);
    if (caller.state === 'talking') this.#talk(caller);
  }

  #resumeAgent(serving: ServingAgent, resumed: JsonObject): void {
    const { memberId, agent } = serving;
    const isAlone = resumeAgent(serving, resumed, this.#line);
    // A caller who was being assigned to this agent enters again.
    if (serving.mixId === undefined) this.#line.serving.send(memberId, 'parted', {});
    else if (isAlone) this.#awaitOther(memberId, () => this.#line.serving.find(memberId) === serving && !agent.caller);
  }

  #talk(caller: Caller): void {
    caller.state = 'talking';
    caller.answeredMs = this.#clock.monotonicMs();
  }

  /** Ends the conversation if the other side does not return. */
  #awaitOther(memberId: string, isAlone: () => boolean): void {
    this.#clock.after(OTHER_COMES_MS, () => {
      if (!isAlone()) return;
      this.#line.members.send(memberId, 'parted', {});
      this.#line.serving.send(memberId, 'parted', {});
    });
  }
}
