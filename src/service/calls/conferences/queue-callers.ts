/** Callers in a queue, as kept by `queues.ts`. */
import { destinationProblem } from '../../../base/core/address-syntax.ts';
import type { Clock } from '../../../base/core/clock.ts';
import type { Json } from '../../../base/core/json.ts';
import type { VenueMember } from '../../runtime/venue.ts';
import { phoneKey } from '../numbers/phone-key.ts';
import type { Callback } from './callback.ts';
import { type GroupMember, groupOf } from './members.ts';
import type { QueueLook, QueuePosition } from './queue-figures.ts';

/** A queue with at least one caller or kept position. */
export interface QueueReport {
  name: string;
  /** Callers in the order of service, including callers who talk to an agent. */
  callers: readonly QueuedCaller[];
  /** Ids of the callbacks whose positions are kept, in the same order. */
  callbackIds: readonly string[];
}

export interface QueuedCaller {
  readonly callId: string;
  readonly from: string;
  readonly to: string;
  readonly state: 'waiting' | 'ringing' | 'talking';
  /** The agent who is being rung or talks. */
  readonly agent: { readonly name: string } | undefined;
  readonly enteredMs: number;
}

export interface Caller extends GroupMember, QueuedCaller {
  queue: string;
  projectId: string;
  agents: readonly string[];
  /** True if only agents who called in may take this caller, who does not wait if there are none. */
  needsServing: boolean;
  priority: number;
  /** True if every change of the figures is sent. */
  wantsFigures: boolean;
  state: 'waiting' | 'ringing' | 'talking';
  agent: Agent | undefined;
  answeredMs: number | undefined;
  /** Mix of the conversation with an agent who called in. */
  mixId: string | undefined;
  /** URL for the events of the call, and the owner's reference. */
  eventUrl: string | undefined;
  ownerRef: string | undefined;
  /** Source of the call for limits. */
  source: string | undefined;
  /**
   * Present for a kept position without a caller; `dialled` is the call placed for it, if any. `memberId` is the id of
   * the callback.
   */
  place: { dialled: string | undefined } | undefined;
  /** True while a callback is being stored for this caller. */
  isKeeping: boolean;
  /** The callback for which this call was placed. */
  callback: { id: string; number: string } | undefined;
  /** True if the caller's number could be called back. */
  canCallBack: boolean | undefined;
  /** Figures as last sent. */
  figures: QueuePosition | undefined;
}

export interface Agent {
  key: string;
  name: string;
  caller: Caller | undefined;
  /** End of the rest. */
  restsUntilMs: number;
  /** Sequence number of the last use: the agent with the smallest has been idle longest. */
  used: number;
  /** Present for an agent who called in. */
  serving: ServingAgent | undefined;
}

export interface ServingAgent extends GroupMember {
  projectId: string;
  agent: Agent;
  isReady: boolean;
  /** Mix of the conversation with a caller. */
  mixId: string | undefined;
}

/** A caller who enters, at the kept position if there is one. */
export function callerOf(request: VenueMember, place: Caller | undefined, nowMs: number): Caller {
  const { memberId, projectId, callId, from, to, source, name, options, eventUrl, ownerRef } = request;
  const { enteredMs = nowMs } = request;
  const priority = typeof options['priority'] === 'number' ? options['priority'] : 0;
  const number = options['callback_to'];
  return {
    ...{ memberId, projectId, callId, from, to, source, group: groupOf(projectId, name), queue: name },
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

/** The kept position of a callback. */
export function placeOf({ callbackId, projectId, queue, callId, to, from, agents, ...kept }: Callback): Caller {
  const { priority, enteredMs, eventUrl, ownerRef } = kept;
  return {
    ...{ memberId: callbackId, projectId, callId, from: to, to: from, group: groupOf(projectId, queue), queue },
    ...{ source: kept.source, enteredMs, agents, priority, needsServing: false, wantsFigures: false, state: 'waiting' },
    ...{ agent: undefined, answeredMs: undefined, figures: undefined, mixId: undefined, eventUrl, ownerRef },
    ...{ place: { dialled: undefined }, isKeeping: false, callback: undefined, canCallBack: undefined },
  };
}

/** Finds the kept position for this call: the call was placed for it, or its caller has called again first. */
export function placeFor({ callId, from }: VenueMember, callers: readonly Caller[], group: string): Caller | undefined {
  const places = callers.filter((one) => one.group === group && one.place);
  if (places.length === 0) return undefined;
  const key = phoneKey(from);
  return (
    places.find(({ place }) => place?.dialled === callId) ??
    places.find(({ place, from: number }) => place?.dialled === undefined && phoneKey(number) === key)
  );
}

/** Inserts the caller behind earlier callers of the same priority. */
export function lineUp(callers: Caller[], caller: Caller): void {
  const { priority, enteredMs } = caller;
  const before = callers.findLastIndex(
    (one) => one.priority > priority || (one.priority === priority && one.enteredMs <= enteredMs),
  );
  callers.splice(before + 1, 0, caller);
}

/** Figures of a queue for an observer. An undefined agent was never rung, and is free. */
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

/** Queues sorted by name, with callers in the order of service. */
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
