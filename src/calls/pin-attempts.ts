/**
 * Who enters wrong pins of shared numbers. Three things are counted: callers, by their number and where they call from;
 * places by themselves, because a caller may give any number (a place may be a carrier with many callers, so it may be
 * wrong more often); and the called number, over all callers, because an attacker may have many places.
 *
 * A number that was guessed at is slowed down, never closed: so many pins are looked at, and those beyond take turns, one
 * every twenty seconds, the places in rotation. Whoever reached the number before is looked at at once.
 *
 * Invariants
 *  G1 a right pin takes nothing away: only wrong ones slow a number down;
 *  G2 when a pin is looked at does not depend on whether it is right.
 */
import type { Clock, Timer } from '../core/clock.ts';
import { sourceKey } from '../core/source-key.ts';
import { WindowCounter } from '../core/window-counter.ts';
import type { IncomingLeg } from '../telephony/engine.ts';
import { normalizeNumber } from './numbers.ts';

export interface Guesses {
  /** A call in which a wrong pin was entered. */
  add(leg: IncomingLeg): void;
  isSuspect(leg: IncomingLeg): boolean;
  /** Calls `look` when a pin of this call may be looked at; it returns whether that was right. */
  turn(leg: IncomingLeg, look: () => boolean): Turn;
}

export interface Turn {
  /** It has to wait. */
  readonly waits: boolean;
  /** Whoever hung up needs none. */
  cancel(): void;
}

const WHILE_MS = 60_000;
const MOST_OF_CALLER = 5;
const MOST_OF_PLACE = 50;
/** Callers, places and numbers that are remembered. */
const MOST_REMEMBERED = 20_000;
/** Wrong pins of a number that are looked at at once, and how long each takes to be forgotten. */
const MOST_OF_NUMBER = 50;
const FORGOTTEN_AFTER_MS = 20_000;

export function createGuesses(clock: Clock): Guesses {
  const wrong = new WindowCounter(clock, { windowMs: WHILE_MS, maxKeys: MOST_REMEMBERED });
  const gates = new Map<string, Gate>();
  /** Callers that entered a right pin, with the number; who did so longest ago is forgotten first. */
  const known = new Set<string>();

  const remember = (leg: IncomingLeg): void => {
    known.delete(knownAs(leg));
    known.add(knownAs(leg));
    if (known.size > MOST_REMEMBERED) known.delete(known.values().next().value!);
  };

  const gateOf = (number: string): Gate => {
    const gate = gates.get(number) ?? new Gate(clock);
    gates.set(number, gate);
    return gate;
  };

  return {
    add(leg) {
      wrong.add(placeOf(leg));
      wrong.add(callerOf(leg));
    },
    isSuspect: (leg) =>
      wrong.count(callerOf(leg)) >= MOST_OF_CALLER ||
      (wrong.count(placeOf(leg)) >= MOST_OF_PLACE && !known.has(knownAs(leg))),
    turn(leg, look) {
      const gate = gateOf(normalizeNumber(leg.to));
      const looked = (): boolean => {
        const isRight = look();
        if (isRight) remember(leg);
        else known.delete(knownAs(leg));
        return isRight;
      };
      return gate.pass(placeOf(leg), looked, known.has(knownAs(leg)));
    },
  };
}

/** The host: whoever calls again does so from another port. */
const placeOf = ({ remote = '' }: IncomingLeg): string =>
  sourceKey(
    remote
      .replace(/^(udp|tcp|tls):/, '')
      .replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1'),
  );
const callerOf = (leg: IncomingLeg): string => `${placeOf(leg)}\n${leg.user ?? normalizeNumber(leg.from)}`;
const knownAs = (leg: IncomingLeg): string => `${normalizeNumber(leg.to)}\n${callerOf(leg)}`;

/** Wrong pins, each of which is forgotten after a while. */
class Wrong {
  readonly #clock: Clock;
  #count = 0;
  #atMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(): void {
    this.#settle();
    this.#count += 1;
  }

  /** Until there is room for one more; 0: now. */
  get waitMs(): number {
    this.#settle();
    return Math.max(0, Math.ceil((this.#count + 1 - MOST_OF_NUMBER) * FORGOTTEN_AFTER_MS));
  }

  #settle(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#count = Math.max(0, this.#count - (nowMs - this.#atMs) / FORGOTTEN_AFTER_MS);
    this.#atMs = nowMs;
  }
}

interface Waiting {
  look: () => boolean;
}

/** The pins of one number. */
class Gate {
  readonly #clock: Clock;
  readonly #ofStrangers: Wrong;
  /** Apart, so that whoever shares the number cannot hold up everybody. */
  readonly #ofKnown: Wrong;
  /** Those of places in rotation: the first place is next. */
  readonly #waiting = new Map<string, Waiting[]>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ofStrangers = new Wrong(clock);
    this.#ofKnown = new Wrong(clock);
  }

  pass(place: string, look: () => boolean, isKnown: boolean): Turn {
    if (isKnown && this.#ofKnown.waitMs === 0) return this.#now(look, this.#ofKnown);
    if (this.#waiting.size === 0 && this.#ofStrangers.waitMs === 0) return this.#now(look, this.#ofStrangers);
    const one = { look };
    this.#waiting.set(place, [...(this.#waiting.get(place) ?? []), one]);
    this.#wake();
    return { waits: true, cancel: () => this.#drop(place, one) };
  }

  #now(look: () => boolean, wrong: Wrong): Turn {
    if (!look()) wrong.add();
    return { waits: false, cancel: () => {} };
  }

  #wake(): void {
    if (this.#waiting.size === 0) return;
    this.#timer ??= this.#clock.after(this.#ofStrangers.waitMs, () => {
      this.#timer = undefined;
      const next = this.#ofStrangers.waitMs === 0 ? this.#next() : undefined;
      if (next) this.#now(next.look, this.#ofStrangers);
      this.#wake();
    });
  }

  #next(): Waiting | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [place, [one, ...rest]] = first;
    this.#waiting.delete(place);
    if (rest.length > 0) this.#waiting.set(place, rest);
    return one;
  }

  #drop(place: string, one: Waiting): void {
    const rest = (this.#waiting.get(place) ?? []).filter((other) => other !== one);
    if (rest.length > 0) this.#waiting.set(place, rest);
    else this.#waiting.delete(place);
  }
}
