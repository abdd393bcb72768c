/**
 * One Janus that carries rooms, a child process or one from a list: opens its link, and reopens a lost one with
 * exponential back-off. When a link is lost, all rooms of that Janus are lost.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { type JanusAddress, JanusLink } from './janus-link.ts';

/** Address of a Janus, and how to start and end it if it is a child process. */
export interface JanusPlace {
  readonly name: string;
  open(): Promise<JanusAddress>;
  end(): Promise<void>;
}

export interface JanusNodeEvents {
  up(link: JanusLink): void;
  /** The link was up and is lost. */
  down(why: string): void;
  /** The link did not come up. */
  failed(why: string): void;
}

/** First back-off, doubled after each failure. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 30_000;
/** Uptime after which a failure counts as new, and the back-off is reset. */
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

  /** Reason why the link is down; undefined while it is up, or was not tried. */
  get problem(): string | undefined {
    return this.#link ? undefined : this.#problem;
  }

  /** Resolves when the link is up, or has failed for the first time. */
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
    this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#again?.cancel();
    this.#link?.close();
    this.#link = undefined;
    await this.place.end();
    // A process that was being started meanwhile.
    await this.#opening;
    await this.place.end();
  }
}
