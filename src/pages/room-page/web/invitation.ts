/**
 * Invitation link to a room: `/room/{room_id}#{token}`. The token is after `#`, because browsers do not send that part
 * in requests. Pure.
 */

export interface Invitation {
  roomId: string;
  token: string;
}

const ROOM = /\/room\/([^/?#]+)/;
const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const MAX_LENGTH = 16_384;

/** Reads the address of the page; without a token it is empty. */
export function invitationOf(path: string, hash: string): Invitation {
  return { roomId: decoded(ROOM.exec(path)?.[1] ?? ''), token: hash.replace(/^#/, '').trim().slice(0, MAX_LENGTH) };
}

/** Reads pasted text: a whole link, or a token for the room of this page. Undefined if it is neither. */
export function readPasted(text: string, roomId: string): Invitation | undefined {
  const written = text.trim();
  if (written.length > 2 * MAX_LENGTH) return undefined;
  const [before = '', token = ''] = written.includes('#') ? splitAt(written, written.indexOf('#')) : ['', written];
  if (!TOKEN.test(token)) return undefined;
  const named = ROOM.exec(before)?.[1];
  return { roomId: named === undefined ? roomId : decoded(named), token };
}

const splitAt = (text: string, index: number): [string, string] => [text.slice(0, index), text.slice(index + 1)];

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
