/**
 * Limits guessing at the PINs of shared numbers. Wrong PINs are counted three times: per caller (number and address); per
 * address, because a caller may give any number (with a higher limit, because an address may be a carrier with many
 * callers); and per called number over all callers, because an attacker may have many addresses.
 *
 * A number that is guessed at is slowed down, never closed: some wrong PINs are checked at once, the rest one every twenty
 * seconds, the addresses in rotation. Callers that entered a right PIN before are checked at once.
 *
 * Invariants
 *  - only wrong PINs slow a number down;
 *  - when a PIN is checked does not depend on whether it is right.
 */
import type { Clock, Timer } from '../core/clock.ts';
import type { Person } from '../core/person.ts';
import { sourceKey } from '../core/source-key.ts';
import { WindowCounter } from '../core/window-counter.ts';
import type { IncomingLeg } from '../telephony/engine.ts';
import { normalizeNumber } from './numbers.ts';

export interface PinCheck {
  readonly waits: boolean;
  /** For callers who hung up. */
  cancel(): void;
}

const WINDOW_MS = 60_000;
const MAX_OF_CALLER = 5;
const MAX_OF_ADDRESS = 50;
/** Callers, addresses and numbers that are remembered. */
const MAX_REMEMBERED = 20_000;
/** Wrong PINs of a number that are checked at once, and how long each takes to be forgotten. */
const MAX_OF_NUMBER = 50;
const FORGOTTEN_AFTER_MS = 20_000;

export function createPinAttempts(clock: Clock) {
  const wrong = new WindowCounter(clock, { windowMs: WINDOW_MS, maxKeys: MAX_REMEMBERED });
  const queues = new Map<string, NumberQueue>();
  /** Callers that entered a right PIN, with the number; the oldest is forgotten first. */
  const known = new Set<string>();

  const remember = (leg: IncomingLeg): void => {
    known.delete(knownAs(leg));
    known.add(knownAs(leg));
    if (known.size > MAX_REMEMBERED) known.delete(known.values().next().value!);
  };

  const queueOf = (number: string): NumberQueue => {
    const queue = queues.get(number) ?? new NumberQueue(clock);
    queues.set(number, queue);
    return queue;
  };

  return {
    /** Counts a call in which a wrong PIN was entered. */
    recordWrong(leg: IncomingLeg): void {
      wrong.add(addressOf(leg));
      wrong.add(callerOf(leg));
    },
    forget(person: Person): void {
      const isTheirs = (key: string): boolean => key.split('\n').some(person.isIn);
      wrong.forget(isTheirs);
      for (const one of known) if (isTheirs(one)) known.delete(one);
    },
    isBlocked: (leg: IncomingLeg): boolean =>
      wrong.count(callerOf(leg)) >= MAX_OF_CALLER ||
      (wrong.count(addressOf(leg)) >= MAX_OF_ADDRESS && !known.has(knownAs(leg))),
    /** Calls `isRight` when a PIN of this caller may be checked. */
    check(leg: IncomingLeg, isRight: () => boolean): PinCheck {
      const queue = queueOf(normalizeNumber(leg.to));
      const checked = (): boolean => {
        const passed = isRight();
        if (passed) remember(leg);
        else known.delete(knownAs(leg));
        return passed;
      };
      return queue.pass(addressOf(leg), checked, known.has(knownAs(leg)));
    },
  };
}

/** Without the port, which changes from call to call. */
const addressOf = ({ remote = '' }: IncomingLeg): string =>
  sourceKey(
    remote
      .replace(/^(udp|tcp|tls):/, '')
      .replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1'),
  );
const callerOf = (leg: IncomingLeg): string => `${addressOf(leg)}\n${leg.user ?? normalizeNumber(leg.from)}`;
const knownAs = (leg: IncomingLeg): string => `${normalizeNumber(leg.to)}\n${callerOf(leg)}`;

/** Counts wrong PINs; each is forgotten after a while. */
class WrongPins {
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
    return Math.max(0, Math.ceil((this.#count + 1 - MAX_OF_NUMBER) * FORGOTTEN_AFTER_MS));
  }

  #settle(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#count = Math.max(0, this.#count - (nowMs - this.#atMs) / FORGOTTEN_AFTER_MS);
    this.#atMs = nowMs;
  }
}

type Check = () => boolean;

/** The checks of PINs of one number. */
class NumberQueue {
  readonly #clock: Clock;
  readonly #ofUnknown: WrongPins;
  /** Counted apart, so that known callers and attackers do not hold up each other. */
  readonly #ofKnown: WrongPins;
  /** By address, in rotation: the first address is next. */
  readonly #waiting = new Map<string, Check[]>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#ofUnknown = new WrongPins(clock);
    this.#ofKnown = new WrongPins(clock);
  }

  pass(address: string, isRight: Check, isKnown: boolean): PinCheck {
    if (isKnown && this.#ofKnown.waitMs === 0) return this.#now(isRight, this.#ofKnown);
    if (this.#waiting.size === 0 && this.#ofUnknown.waitMs === 0) return this.#now(isRight, this.#ofUnknown);
    this.#waiting.set(address, [...(this.#waiting.get(address) ?? []), isRight]);
    this.#wake();
    return { waits: true, cancel: () => this.#drop(address, isRight) };
  }

  #now(isRight: Check, wrong: WrongPins): PinCheck {
    if (!isRight()) wrong.add();
    return { waits: false, cancel: () => {} };
  }

  #wake(): void {
    if (this.#waiting.size === 0) return;
    this.#timer ??= this.#clock.after(this.#ofUnknown.waitMs, () => {
      this.#timer = undefined;
      const next = this.#ofUnknown.waitMs === 0 ? this.#next() : undefined;
      if (next) this.#now(next, this.#ofUnknown);
      this.#wake();
    });
  }

  #next(): Check | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [address, [one, ...rest]] = first;
    this.#waiting.delete(address);
    if (rest.length > 0) this.#waiting.set(address, rest);
    return one;
  }

  #drop(address: string, one: Check): void {
    const rest = (this.#waiting.get(address) ?? []).filter((other) => other !== one);
    if (rest.length > 0) this.#waiting.set(address, rest);
    else this.#waiting.delete(address);
  }
}
