/** Members of a venue in virtual time that record the messages sent to them. */
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import type { Venue } from '../../../src/service/runtime/venue.ts';

export interface PartyMember {
  memberId: string;
  callId: string;
  told: { name: string; data: JsonObject; atMs: number }[];
  /** The names alone, since the last time. */
  news(): string[];
}

/** A call of its own project, with an id and a number. */
export interface Origin {
  projectId?: string;
  callId?: string;
  from?: string;
  source?: string;
}

export class Party {
  readonly clock = new VirtualClock(0);
  #tickets = 0;
  #inside = false;

  /** Enters as another call each time. */
  enter(venue: Venue, name: string, options: JsonObject = {}, as: Origin = {}): PartyMember {
    const memberId = `ticket-${++this.#tickets}`;
    const callId = as.callId ?? `call-${this.#tickets}`;
    let read = 0;
    const guest: PartyMember = {
      memberId,
      callId,
      told: [],
      news() {
        const fresh = this.told.slice(read).map((one) => one.name);
        read = this.told.length;
        return fresh;
      },
    };
    this.do(() =>
      venue.enter({
        memberId,
        callId,
        legId: `leg of ${callId}`,
        projectId: as.projectId ?? 'shop',
        from: as.from ?? '100',
        to: '200',
        source: as.source,
        name,
        options,
        emit: (event: string, data: Json) => {
          if (this.#inside) throw new Error(`${event} was told from inside a call`);
          guest.told.push({ name: event, data: data as JsonObject, atMs: this.clock.now() });
        },
      }),
    );
    return guest;
  }

  /** Messages sent during the action are sent too early. */
  do(act: () => void): void {
    this.#inside = true;
    act();
    this.#inside = false;
  }

  /** Lets happen what needs no time. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }
}
