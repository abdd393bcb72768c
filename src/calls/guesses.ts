/**
 * Who enters wrong pins: callers by their number and where they call from, and places by themselves, because a caller
 * may give any number. A place may be a carrier with many callers, so it may be wrong more often.
 */
import type { Clock } from '../core/clock.ts';
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

interface Window {
  untilMs: number;
  calls: number;
}

export function createGuesses(clock: Clock): Guesses {
  const windows = new Map<string, Window>();

  const callsOf = (key: string): number => {
    const window = windows.get(key);
    return window && window.untilMs > clock.now() ? window.calls : 0;
  };

  function count(key: string): void {
    const calls = callsOf(key);
    if (calls > 0) {
      windows.get(key)!.calls++;
      return;
    }
    // Oldest first, and all last equally long: those that are over are at the front.
    windows.delete(key);
    for (const [old, { untilMs }] of windows) {
      if (untilMs > clock.now() && windows.size < MOST_REMEMBERED) break;
      windows.delete(old);
    }
    windows.set(key, { untilMs: clock.now() + WHILE_MS, calls: 1 });
  }

  return {
    add(leg) {
      count(placeOf(leg));
      count(callerOf(leg));
    },
    isSuspect: (leg) => callsOf(callerOf(leg)) >= MOST_OF_CALLER || callsOf(placeOf(leg)) >= MOST_OF_PLACE,
  };
}

/** The host: whoever calls again does so from another port. */
const placeOf = ({ remote = '' }: IncomingLeg): string => remote.replace(/:\d+$/, '');
const callerOf = (leg: IncomingLeg): string => `${placeOf(leg)}\n${leg.user ?? dialled(leg.from)}`;
