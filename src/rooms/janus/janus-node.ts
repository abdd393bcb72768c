/**
 * One Janus that carries rooms, ours or one of a list: its link is opened, and opened again when it is gone, ever more
 * slowly. A link that is gone has taken all rooms of that Janus along.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import { type JanusAddress, JanusLink } from './janus-link.ts';

/** Where a Janus is, and what makes it run where that is ours. */
export interface JanusPlace {
  readonly name: string;
  open(): Promise<JanusAddress>;
  end(): Promise<void>;
}

export interface JanusNodeEvents {
  up(link: JanusLink): void;
  /** It was up. */
  down(why: string): void;
  /** It did not come up. */
  failed(why: string): void;
}

/** Then twice as long each time. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 30_000;
/** What ran that long failed of something new. */
const STEADY_MS = 10_000;

export class JanusNode {
  readonly place: JanusPlace;
  readonly #clock: Clock;
  readonly #events: JanusNodeEvents;
  #link: JanusLink | undefined;
  #problem: string | undefined;
  #again: Timer | undefined;
  #waitMs = FIRST_WAIT_MS;
  #isOver = false;
  #opening: Promise<void> = Promise.resolve();

  constructor(place: JanusPlace, clock: Clock, events: JanusNodeEvents) {
    this.place = place;
    this.#clock = clock;
    this.#events = events;
  }

  get link(): JanusLink | undefined {
    return this.#link;
  }

  /** Why it is not there; undefined while it is, or was not tried. */
  get problem(): string | undefined {
    return this.#link ? undefined : this.#problem;
  }

  /** Resolves when it is up, or has failed for the first time. */
  start(): Promise<void> {
    this.#opening = this.#open();
    return this.#opening;
  }

  async #open(): Promise<void> {
    try {
      const address = await this.place.open();
      if (this.#isOver) return;
      const sinceMs = this.#clock.monotonicMs();
      const link: JanusLink = await JanusLink.open(address, this.#clock, (why) => this.#lost(link, why, sinceMs));
      if (this.#isOver) return link.close();
      this.#link = link;
      this.#problem = undefined;
      this.#events.up(link);
    } catch (error) {
      if (this.#isOver) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#events.failed(this.#problem);
      this.#openLater();
    }
  }

  #lost(link: JanusLink, why: string, sinceMs: number): void {
    if (this.#isOver || this.#link !== link) return;
    this.#link = undefined;
    this.#problem = why;
    if (this.#clock.monotonicMs() - sinceMs > STEADY_MS) this.#waitMs = FIRST_WAIT_MS;
    this.#openLater();
    this.#events.down(why);
  }

  #openLater(): void {
    this.#again = this.#clock.after(this.#waitMs, () => void this.start());
    this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs * 2);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#again?.cancel();
    this.#link?.close();
    this.#link = undefined;
    await this.place.end();
    // What was being opened meanwhile.
    await this.#opening;
    await this.place.end();
  }
}
