/**
 * Place of this browser in a session: after a reload, a crash or leaving, the same link leads back into it. The service
 * decides how long (`hold` of the client).
 *
 * Invariant: a place is used only if no other page is open with the same link.
 */
import type { Invited } from '../../../../client/room-client.js';
import type { Invitation } from './invitation.ts';

interface Place {
  invited: Invited;
  resumeKey: string;
  joinedMs: number;
  /** Time when the page was closed or the participant left; absent while the page is open, and after a crash. */
  goneMs?: number;
}

/** The service keeps the place of a participant who left for so long. */
const KEPT_MS = 10 * 60_000;
/** Places of pages that crashed are removed after this time. */
const OLD_MS = 24 * 3_600_000;
const PREFIX = 'callweave-room ';
const TOKEN_END = 24;
/** The end of a token is unique. */
const keyOf = ({ roomId, token }: Invitation): string => `${PREFIX}${roomId} ${token.slice(-TOKEN_END)}`;

let isHeld = false;

export function keepPlace(here: Invitation, invited: Invited, resumeKey: string): void {
  removeOld();
  const key = keyOf(here);
  write(key, { invited, resumeKey, joinedMs: Date.now() });
  if (isHeld) return;
  isHeld = true;
  // The browser releases the lock when the page is closed or crashes. Pages without TLS have no locks.
  void navigator.locks?.request(key, () => new Promise<never>(() => undefined));
  addEventListener('pagehide', () => leavePlace(here));
}

/** The participant left, and may come back. */
export function leavePlace(here: Invitation): void {
  const place = read(keyOf(here));
  if (place) write(keyOf(here), { goneMs: Date.now(), ...place });
}

/** Undefined if the link was not in the session, or too long ago, or another page is open with it. */
export async function keptPlace(here: Invitation): Promise<Place | undefined> {
  const place = read(keyOf(here));
  if (!place) return undefined;
  const mayReturn = place.goneMs === undefined ? await isFree(keyOf(here)) : Date.now() - place.goneMs < KEPT_MS;
  return mayReturn ? place : undefined;
}

export const hasLeftPlace = (here: Invitation): boolean => read(keyOf(here))?.goneMs !== undefined;

/** The place of another page with the same link is kept. */
export function forgetPlace(here: Invitation): void {
  if (isHeld) localStorage.removeItem(keyOf(here));
}

/** Without locks, a page that crashed cannot be told from one that is open. */
const isFree = async (key: string): Promise<boolean> =>
  (await navigator.locks?.request(key, { ifAvailable: true }, (lock) => lock !== null)) ?? false;

function removeOld(): void {
  for (const key of Object.keys(localStorage).filter((each) => each.startsWith(PREFIX))) {
    if (Date.now() - (read(key)?.joinedMs ?? 0) > OLD_MS) localStorage.removeItem(key);
  }
}

const write = (key: string, place: Place): void => localStorage.setItem(key, JSON.stringify(place));

function read(key: string): Place | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
