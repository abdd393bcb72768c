/** The places (conferences, queues, rooms) that the visits of one call are in. A stay ends at the latest with its visit. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { VenueKind } from '../steps/step.ts';
import type { Decision } from './decision.ts';
import type { CallInput, CallRecord } from './journal.ts';
import type { StepRun } from './step-run.ts';
import type { Venues } from './venue.ts';

interface Membership {
  kind: VenueKind;
  name: string;
  stepRun: StepRun;
  /** What the place called itself to who was let in; told again when the call leaves. */
  identity: JsonObject;
}

export class Memberships {
  readonly #decision: Decision;
  readonly #record: CallRecord;
  readonly #venues: Venues;
  readonly #post: (input: CallInput) => void;
  /** By ticket; most calls are in none. */
  #stays: Map<string, Membership> | undefined;

  constructor(decision: Decision, record: CallRecord, venues: Venues, post: (input: CallInput) => void) {
    this.#decision = decision;
    this.#record = record;
    this.#venues = venues;
    this.#post = post;
  }

  enter(stepRun: StepRun, kind: VenueKind, name: string, options: JsonObject): string {
    const memberId = this.#decision.nextId('ticket');
    this.#stays ??= new Map();
    this.#stays.set(memberId, { kind, name, stepRun, identity: {} });
    this.#note(memberId, 'entered', {});
    const { callId, projectId, from, to } = this.#record;
    const emit = (event: string, data: Json): void =>
      this.#post({ type: 'venue', ticket: memberId, name: event, data });
    this.#decision.onCommit(() => {
      this.#venues[kind].enter({ memberId, callId, projectId, from, to, name, options, emit });
    });
    return memberId;
  }

  /** The room that the call is in. */
  get roomId(): string | undefined {
    for (const { identity } of this.#stays?.values() ?? []) {
      if (typeof identity['room_id'] === 'string') return identity['room_id'];
    }
    return undefined;
  }

  /** The visit that a place tells something. */
  ownerOf(ticket: string): StepRun | undefined {
    return this.#stays?.get(ticket)?.stepRun;
  }

  receive(ticket: string, event: string, data: Json): void {
    const stay = this.#stays?.get(ticket);
    if (stay && isObject(data)) Object.assign(stay.identity, identityIn(data, event));
    this.#note(ticket, event, data);
  }

  send(ticket: string, name: string, data: Json): void {
    const stay = this.#stays?.get(ticket);
    if (stay) this.#decision.onCommit(() => this.#venues[stay.kind].tell(ticket, name, data));
  }

  exit(ticket: string): void {
    const stay = this.#stays?.get(ticket);
    if (!stay) return;
    this.#note(ticket, 'left', stay.identity);
    this.#stays?.delete(ticket);
    this.#decision.onCommit(() => this.#venues[stay.kind].exit(ticket));
  }

  exitAll(stepRun: StepRun): void {
    if (!this.#stays) return;
    for (const [ticket, stay] of [...this.#stays]) if (stay.stepRun === stepRun) this.exit(ticket);
  }

  /** Behind the crash wall: nobody is left where the call was, and nothing is written. */
  abandon(report: (error: unknown) => void): void {
    for (const [ticket, { kind }] of this.#stays ?? []) {
      try {
        this.#venues[kind].exit(ticket);
      } catch (error) {
        report(error);
      }
    }
    this.#stays?.clear();
  }

  #note(ticket: string, event: string, data: Json): void {
    const { kind, name } = this.#stays!.get(ticket)!;
    this.#decision.append({ kind: 'venue', venue: kind, ticket, name, event, data });
  }
}

const IDS = ['conference_id', 'room_id'];

function identityIn(data: JsonObject, event: string): JsonObject {
  if (event !== 'joined' && event !== 'waiting') return {};
  return Object.fromEntries(IDS.flatMap((key) => (data[key] === undefined ? [] : [[key, data[key]]])));
}
