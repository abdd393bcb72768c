/**
 * Limits guessing of the PINs of shared numbers. Wrong PINs are counted three times: per caller (number and address);
 * per address, because a caller ID can be forged (with a higher limit, because an address may be a carrier with many
 * callers); and per called number over all callers, because an attacker may have many addresses.
 *
 * A number under attack is slowed down, never closed (`pin-queue.ts`), and so are the callers from an address with many
 * wrong PINs. Callers who entered a correct PIN before are checked at once.
 *
 * Invariants
 *  - Only a caller who enters wrong PINs in several calls is refused, without effect on other callers.
 *  - The time of a check does not depend on whether the PIN is correct.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { DataSubject } from '../../../base/core/data-subject.ts';
import { sourceOfPeer } from '../../../base/core/source-key.ts';
import { WindowCounter } from '../../../base/core/window-counter.ts';
import type { IncomingLeg } from '../../../media/telephony/engine.ts';
import { BoundedSet } from '../bounded-set.ts';
import { normalizeNumber } from '../numbers/numbers.ts';
import { type IsRight, type PinCheck, PinQueue, type PinSource } from '../pin-queue.ts';

const WINDOW_MS = 60_000;
const MAX_OF_CALLER = 5;
const MAX_OF_ADDRESS = 50;
/** Maximum callers, addresses and numbers in memory. */
const MAX_REMEMBERED = 20_000;
/** Wrong PINs of a number that are checked without delay. */
const MAX_OF_NUMBER = 50;

export function createPinAttempts(clock: Clock) {
  const wrong = new WindowCounter(clock, { windowMs: WINDOW_MS, maxKeys: MAX_REMEMBERED });
  /** Queues of attempts, for provisioned numbers only. */
  const queues = new Map<string, PinQueue>();
  /** Callers who entered a correct PIN, with the number. */
  const known = new BoundedSet(MAX_REMEMBERED);

  const queueOf = (number: string): PinQueue => {
    const queue = queues.get(number) ?? new PinQueue(clock, MAX_OF_NUMBER);
    queues.set(number, queue);
    return queue;
  };

  const kindOf = (leg: IncomingLeg): PinSource => {
    if (known.has(knownAs(leg))) return 'known';
    return wrong.count(addressOf(leg)) >= MAX_OF_ADDRESS ? 'suspect' : 'unknown';
  };

  return {
    /** Counts a call in which a wrong PIN was entered. */
    recordWrong(leg: IncomingLeg): void {
      wrong.add(addressOf(leg));
      wrong.add(callerOf(leg));
    },
    forget(person: DataSubject): void {
      const isTheirs = (key: string): boolean => key.split('\n').some(person.isIn);
      wrong.forget(isTheirs);
      known.forget(isTheirs);
    },
    isBlocked: (leg: IncomingLeg): boolean => wrong.count(callerOf(leg)) >= MAX_OF_CALLER,
    /** Calls `isRight` when a PIN of this caller may be checked. */
    check(leg: IncomingLeg, isRight: IsRight): PinCheck {
      const checked = (): boolean => {
        const passed = isRight();
        if (passed) known.add(knownAs(leg));
        else known.delete(knownAs(leg));
        return passed;
      };
      return queueOf(normalizeNumber(leg.to)).pass(addressOf(leg), checked, kindOf(leg));
    },
  };
}

const addressOf = ({ remote = '' }: IncomingLeg): string => sourceOfPeer(remote);
const callerOf = (leg: IncomingLeg): string => `${addressOf(leg)}\n${leg.user ?? normalizeNumber(leg.from)}`;
const knownAs = (leg: IncomingLeg): string => `${normalizeNumber(leg.to)}\n${callerOf(leg)}`;
