/** State that this tab keeps of a session, because after a reload the participant may still be in it. */
import type { Invited } from '../../../../client/room-client.js';

interface Place {
  invited: Invited;
  resumeKey: string;
  /** Time when the page was closed; absent while it is open. */
  goneMs?: number;
}

const KEPT_MS = 28_000;
const keyOf = (roomId: string): string => `callweave-room ${roomId}`;

export function keepPlace(roomId: string, invited: Invited, resumeKey: string): void {
  sessionStorage.setItem(keyOf(roomId), JSON.stringify({ invited, resumeKey } satisfies Place));
  addEventListener('pagehide', () => {
    const place = read(roomId);
    if (place) sessionStorage.setItem(keyOf(roomId), JSON.stringify({ ...place, goneMs: Date.now() }));
  });
}

/** Undefined if the participant was not in the session, or too long ago. */
export function keptPlace(roomId: string): Place | undefined {
  const place = read(roomId);
  if (place?.goneMs !== undefined && Date.now() - place.goneMs < KEPT_MS) return place;
  forgetPlace(roomId);
  return undefined;
}

export const forgetPlace = (roomId: string): void => sessionStorage.removeItem(keyOf(roomId));

function read(roomId: string): Place | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(roomId)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
