/** The places (conferences, queues, rooms) that the visits of one call are in. A stay ends at the latest with its visit. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { VenueKind } from '../steps/step.ts';
import type { Decision } from './decision.ts';
import type { CallRecord, RunInput } from './journal.ts';
import type { Venues } from './venue.ts';
import type { Visit } from './visit.ts';

interface Stay {
  kind: VenueKind;
  name: string;
  visit: Visit;
  /** What the place called itself to who was let in; told again when the call leaves. */
  identity: JsonObject;
}

export class Places {
  readonly #decision: Decision;
  readonly #record: CallRecord;
  readonly #venues: Venues;
  readonly #post: (input: RunInput) => void;
  /** By ticket; most calls are in none. */
  #stays: Map<string, Stay> | undefined;

  constructor(decision: Decision, record: CallRecord, venues: Venues, post: (input: RunInput) => void) {
    this.#decision = decision;
    this.#record = record;
    this.#venues = venues;
    this.#post = post;
  }

  enter(visit: Visit, kind: VenueKind, name: string, options: JsonObject): string {
    const ticket = this.#decision.nextId('ticket');
    this.#stays ??= new Map();
    this.#stays.set(ticket, { kind, name, visit, identity: {} });
    this.#note(ticket, 'entered', {});
    const { callId, projectId, from, to } = this.#record;
    const tell = (event: string, data: Json): void => this.#post({ type: 'venue', ticket, name: event, data });
    this.#decision.effect(() => {
      this.#venues[kind].enter({ ticket, callId, projectId, from, to, name, options, tell });
    });
    return ticket;
  }

  /** The room that the call is in. */
  get roomId(): string | undefined {
    for (const { identity } of this.#stays?.values() ?? []) {
      if (typeof identity['room_id'] === 'string') return identity['room_id'];
    }
    return undefined;
  }

  /** The visit that a place tells something. */
  visitOf(ticket: string): Visit | undefined {
    return this.#stays?.get(ticket)?.visit;
  }

  told(ticket: string, event: string, data: Json): void {
    const stay = this.#stays?.get(ticket);
    if (stay && isObject(data)) Object.assign(stay.identity, identityIn(data, event));
    this.#note(ticket, event, data);
  }

  tell(ticket: string, name: string, data: Json): void {
    const stay = this.#stays?.get(ticket);
    if (stay) this.#decision.effect(() => this.#venues[stay.kind].tell(ticket, name, data));
  }

  exit(ticket: string): void {
    const stay = this.#stays?.get(ticket);
    if (!stay) return;
    this.#note(ticket, 'left', stay.identity);
    this.#stays?.delete(ticket);
    this.#decision.effect(() => this.#venues[stay.kind].exit(ticket));
  }

  leave(visit: Visit): void {
    if (!this.#stays) return;
    for (const [ticket, stay] of [...this.#stays]) if (stay.visit === visit) this.exit(ticket);
  }

  /** Behind the crash wall: nobody is left where the call was, and nothing is written. */
  drop(report: (error: unknown) => void): void {
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
    this.#decision.note({ kind: 'venue', venue: kind, ticket, name, event, data });
  }
}

const IDS = ['conference_id', 'room_id'];

function identityIn(data: JsonObject, event: string): JsonObject {
  if (event !== 'joined' && event !== 'waiting') return {};
  return Object.fromEntries(IDS.flatMap((key) => (data[key] === undefined ? [] : [[key, data[key]]])));
}
