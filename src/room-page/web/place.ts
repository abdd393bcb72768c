/** After a reload a person may still be in the room: what this tab keeps of it. */
import type { Invited } from '../../../client/room-client.js';

interface Place {
  invited: Invited;
  resumeKey: string;
  /** When the page went away; absent while it is there. */
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

/** Undefined: they were not in, or too long ago. */
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
