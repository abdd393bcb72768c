/**
 * Who enters wrong pins: callers by their number and where they call from, and places by themselves, because a caller
 * may give any number. A place may be a carrier with many callers, so it may be wrong more often.
 */
import type { Clock } from '../core/clock.ts';
import { WindowCount } from '../core/window-count.ts';
import type { IncomingLeg } from '../telephony/engine.ts';
import { dialled } from './numbers.ts';

export interface Guesses {
  /** A call in which a wrong pin was entered. */
  add(leg: IncomingLeg): void;
  isSuspect(leg: IncomingLeg): boolean;
}

const WHILE_MS = 60_000;
const MOST_OF_CALLER = 5;
const MOST_OF_PLACE = 50;
/** Callers and places that are remembered. */
const MOST_REMEMBERED = 20_000;

export function createGuesses(clock: Clock): Guesses {
  const wrong = new WindowCount(clock, { whileMs: WHILE_MS, mostRemembered: MOST_REMEMBERED });
  return {
    add(leg) {
      wrong.add(placeOf(leg));
      wrong.add(callerOf(leg));
    },
    isSuspect: (leg) => wrong.of(callerOf(leg)) >= MOST_OF_CALLER || wrong.of(placeOf(leg)) >= MOST_OF_PLACE,
  };
}

/** The host: whoever calls again does so from another port. */
const placeOf = ({ remote = '' }: IncomingLeg): string => remote.replace(/:\d+$/, '');
const callerOf = (leg: IncomingLeg): string => `${placeOf(leg)}\n${leg.user ?? dialled(leg.from)}`;
