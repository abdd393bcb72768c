/**
 * Memberships of one call's step runs in venues (conferences, queues, rooms). A membership ends at the latest with its
 * step run.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { VenueKind } from '../../base/core/venue-kind.ts';
import type { CallTransaction } from './call-transaction.ts';
import { identityIn } from './open-actions.ts';

interface Membership {
  kind: VenueKind;
  name: string;
  /** Step run that entered the venue. */
  stepRun: number;
  /** Id that the venue gave the member on joining; journalled again when the call leaves. */
  identity: JsonObject;
  /** Latest figures of a caller in a queue. */
  figures?: JsonObject;
  /** Other people in a room, by the latest event. */
  others?: number | undefined;
}

export class Memberships {
  readonly #transaction: CallTransaction;
  readonly #source: string | undefined;
  /** Memberships by member id. Undefined while there are none, as in most calls. */
  #members: Map<string, Membership> | undefined;

  /** `source`: source of the call for limits. */
  constructor(transaction: CallTransaction, source: string | undefined) {
    this.#transaction = transaction;
    this.#source = source;
  }

  enter(
    { stepRun, legId }: { stepRun: number; legId: string },
    kind: VenueKind,
    name: string,
    options: JsonObject,
  ): string {
    const memberId = this.#transaction.nextId('ticket');
    this.#members ??= new Map();
    this.#members.set(memberId, { kind, name, stepRun, identity: {} });
    this.#append(memberId, 'entered', {});
    const { callId, projectId, from, to, eventUrl, ownerRef } = this.#transaction.record;
    const call = { callId, legId, projectId, from, to, source: this.#source, eventUrl, ownerRef };
    const emit = (event: string, data: Json): void =>
      this.#transaction.post({ type: 'venue', ticket: memberId, name: event, data });
    this.#transaction.onCommit(() => {
      this.#transaction.ports.venues[kind].enter({ memberId, ...call, name, options, emit });
    });
    return memberId;
  }

  /** Room of the call. */
  get roomId(): string | undefined {
    for (const { identity } of this.#members?.values() ?? []) {
      if (typeof identity['room_id'] === 'string') return identity['room_id'];
    }
    return undefined;
  }

  /** `queue` in expressions, while the call is in one. */
  get queue(): JsonObject | undefined {
    for (const { kind, name, figures } of this.#members?.values() ?? []) {
      if (kind === 'queue') return { name, ...figures };
    }
    return undefined;
  }

  /** Step run that entered the venue. */
  ownerOf(memberId: string): number | undefined {
    return this.#members?.get(memberId)?.stepRun;
  }

  /** Handles an event of the venue. */
  receive(memberId: string, event: string, data: Json): void {
    const member = this.#members?.get(memberId);
    if (member && (event === 'joined' || event === 'waiting')) Object.assign(member.identity, identityIn(data));
    if (member?.kind === 'queue' && event === 'position' && isObject(data)) member.figures = data;
    if (member?.kind === 'room') member.others = othersAfter(event, data, member.others);
    this.#append(memberId, event, data);
  }

  send(memberId: string, name: string, data: Json): void {
    const member = this.#members?.get(memberId);
    if (member)
      this.#transaction.onCommit(() => this.#transaction.ports.venues[member.kind].tell(memberId, name, data));
  }

  exit(memberId: string): void {
    const member = this.#members?.get(memberId);
    if (!member) return;
    const { identity, others } = member;
    this.#append(memberId, 'left', others === undefined ? identity : { ...identity, members: others });
    this.#members?.delete(memberId);
    this.#transaction.onCommit(() => this.#transaction.ports.venues[member.kind].exit(memberId));
  }

  exitAll(stepRun: number): void {
    if (!this.#members) return;
    for (const [memberId, member] of [...this.#members]) if (member.stepRun === stepRun) this.exit(memberId);
  }

  /** After a crash: leaves every venue, and writes nothing. */
  abandon(report: (error: unknown) => void): void {
    for (const [memberId, { kind }] of this.#members ?? []) {
      try {
        this.#transaction.ports.venues[kind].exit(memberId);
      } catch (error) {
        report(error);
      }
    }
    this.#members?.clear();
  }

  #append(memberId: string, event: string, data: Json): void {
    const { kind, name } = this.#members!.get(memberId)!;
    this.#transaction.append({ kind: 'venue', venue: kind, ticket: memberId, name, event, data });
  }
}

/** Undefined before the call has joined, and for rooms of earlier versions, whose journals a replay must reproduce. */
function othersAfter(event: string, data: Json, before: number | undefined): number | undefined {
  if (event === 'ended' && before !== undefined) return 0;
  if (!isObject(data) || typeof data['members'] !== 'number') return before;
  const isKnown = event === 'joined' ? data['may_talk'] !== undefined : event === 'members' && before !== undefined;
  return isKnown ? Math.max(0, data['members'] - 1) : before;
}
