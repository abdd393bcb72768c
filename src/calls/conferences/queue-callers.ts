/** Who is in a queue, as `queues.ts` keeps them. */
import { destinationProblem } from '../../core/address-syntax.ts';
import type { Clock } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import type { VenueMember } from '../../runtime/venue.ts';
import { phoneKey } from '../broadcast/phone-key.ts';
import type { Callback } from '../callbacks/callback.ts';
import { type GroupMember, groupOf } from './members.ts';
import type { QueueFigures, QueueLook } from './queue-figures.ts';

/** A queue in which somebody is. */
export interface QueueReport {
  name: string;
  /** Those who talk to an agent included; in the order in which they are served. */
  callers: readonly QueuedCaller[];
  /** Ids of the places that are kept for people who are called back, in the same order. */
  callbackIds: readonly string[];
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

export interface Caller extends GroupMember, QueuedCaller {
  queue: string;
  projectId: string;
  agents: readonly string[];
  /** Only agents who called in take this one; it does not wait where there are none. */
  needsServing: boolean;
  priority: number;
  /** Wants every change of its figures. */
  wantsFigures: boolean;
  state: 'waiting' | 'ringing' | 'talking';
  agent: Agent | undefined;
  answeredMs: number | undefined;
  /** It talks to an agent who called in, in this mix. */
  mixId: string | undefined;
  /** Where the events of its call go, and what its owner calls it. */
  eventUrl: string | undefined;
  ownerRef: string | undefined;
  /** Nobody is on the phone: the place is kept, and this call, if any, is made for it. `memberId` is the id of the callback. */
  place: { dialled: string | undefined } | undefined;
  /** A callback is being written down for it. */
  isKeeping: boolean;
  /** This call was made for that place. */
  callback: { id: string; number: string } | undefined;
  /** Whether the number of the caller could be called back. */
  canCallBack: boolean | undefined;
  /** As they were sent last. */
  figures: QueueFigures | undefined;
}

export interface Agent {
  key: string;
  name: string;
  caller: Caller | undefined;
  /** Not to be rung before. */
  restsUntilMs: number;
  /** A number that grows with every use: the smallest has been idle the longest. */
  used: number;
  /** Of an agent who called in. */
  serving: ServingAgent | undefined;
}

export interface ServingAgent extends GroupMember {
  projectId: string;
  agent: Agent;
  isReady: boolean;
  /** It talks to a caller, in this mix. */
  mixId: string | undefined;
}

/** Who enters, in the place that was kept, where there is one. */
export function callerOf(request: VenueMember, place: Caller | undefined, nowMs: number): Caller {
  const { memberId, projectId, callId, from, to, name, options, eventUrl, ownerRef, enteredMs = nowMs } = request;
  const priority = typeof options['priority'] === 'number' ? options['priority'] : 0;
  const number = options['callback_to'];
  return {
    ...{ memberId, projectId, callId, from, to, group: groupOf(projectId, name), queue: name },
    ...{ eventUrl, ownerRef, mixId: undefined },
    enteredMs: place?.enteredMs ?? enteredMs,
    agents: textsOf(options['agents']),
    needsServing: !place && options['agents'] === undefined && options['waits'] !== true,
    priority: Math.max(place?.priority ?? priority, priority),
    wantsFigures: options['figures'] === true,
    state: 'waiting',
    ...{ agent: undefined, answeredMs: undefined, figures: undefined, place: undefined, isKeeping: false },
    callback: place?.place?.dialled === callId ? { id: place.memberId, number: place.from } : undefined,
    canCallBack: typeof number === 'string' ? destinationProblem(number) === undefined : undefined,
  };
}

/** The place without its caller. */
export function placeOf({ callbackId, projectId, queue, callId, to, from, agents, ...kept }: Callback): Caller {
  const { priority, enteredMs, eventUrl, ownerRef } = kept;
  return {
    ...{ memberId: callbackId, projectId, callId, from: to, to: from, group: groupOf(projectId, queue), queue },
    ...{ enteredMs, agents, priority, needsServing: false, wantsFigures: false, state: 'waiting' },
    ...{ agent: undefined, answeredMs: undefined, figures: undefined, mixId: undefined, eventUrl, ownerRef },
    ...{ place: { dialled: undefined }, isKeeping: false, callback: undefined, canCallBack: undefined },
  };
}

/** The place that is this call's: it was made for it, or the person calls again before it was. */
export function placeFor({ callId, from }: VenueMember, callers: readonly Caller[], group: string): Caller | undefined {
  const places = callers.filter((one) => one.group === group && one.place);
  if (places.length === 0) return undefined;
  const key = phoneKey(from);
  return (
    places.find(({ place }) => place?.dialled === callId) ??
    places.find(({ place, from: number }) => place?.dialled === undefined && phoneKey(number) === key)
  );
}

/** Behind those who came before, of its priority. */
export function lineUp(callers: Caller[], caller: Caller): void {
  const { priority, enteredMs } = caller;
  const before = callers.findLastIndex(
    (one) => one.priority > priority || (one.priority === priority && one.enteredMs <= enteredMs),
  );
  callers.splice(before + 1, 0, caller);
}

/** A queue as it is for somebody who is not in it. An agent who is undefined was never rung, and is free. */
export function lookAt(
  callers: readonly Caller[],
  agents: readonly (Agent | undefined)[],
  clock: Clock,
  estimate: (position: number) => number | undefined,
): QueueLook {
  const nowMs = clock.now();
  const free = agents.filter((one) => !one || isFree(one, clock.monotonicMs())).length;
  const waiting = callers.filter(({ state }) => state !== 'talking');
  const firstMs = Math.min(nowMs, ...waiting.map(({ enteredMs }) => enteredMs));
  const estimated = free > 0 ? 0 : estimate(waiting.length + 1);
  return {
    ...{ waiting: waiting.length, talking: callers.length - waiting.length, agents: agents.length, free },
    longest_wait: Math.round((nowMs - firstMs) / 1000),
    ...(estimated !== undefined && { estimated_wait: estimated }),
  };
}

const isFree = ({ caller, restsUntilMs, serving }: Agent, nowMs: number): boolean =>
  !caller && restsUntilMs <= nowMs && serving?.isReady !== false;

/** Queues by name, of callers in the order in which they are served. */
export const reportsOf = (callers: readonly Caller[]): QueueReport[] =>
  [...Map.groupBy(callers, ({ queue }) => queue)]
    .map(([name, inIt]) => ({
      name,
      callers: inIt.filter(({ place }) => !place),
      callbackIds: inIt.flatMap(({ place, memberId }) => (place ? [memberId] : [])),
    }))
    .sort((one, other) => one.name.localeCompare(other.name));

export const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
