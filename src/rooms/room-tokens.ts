/**
 * Tokens let one person into one room, once, within 15 minutes. What a token says is sealed (AES-256-GCM), so that nobody
 * reads or forges it; that it was used is kept in the store, so that a restart does not make it new.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { RoomRole } from './room.ts';
import type { RoomStore } from './room-store.ts';

export interface TokenHolder {
  roomId: string;
  name: string;
  role: RoomRole;
  userRef: string;
  data?: JsonObject;
}

export type TokenCheck =
  | { holder: TokenHolder & { projectId: string }; expiresMs: number }
  | { refused: 'malformed' | 'forged' | 'expired' | 'used' | 'foreign' };

const LIFETIME_MS = 15 * 60_000;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAX_LENGTH = 16_384;

export type RoomTokens = ReturnType<typeof createRoomTokens>;

interface TokenParts {
  store: Pick<RoomStore, 'useToken' | 'isTokenUsed'>;
  clock: Clock;
  ids: Ids;
  /** Of a project; undefined: there is no such project. */
  secretOf(projectId: string): string | undefined;
}

export function createRoomTokens({ store, clock, ids, secretOf }: TokenParts) {
  const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'callweave room token', 32));

  return {
    issue(projectId: string, holder: TokenHolder): string {
      const secret = secretOf(projectId);
      if (secret === undefined) throw new Error(`there is no project ${projectId}`);
      const said = { ...holder, id: ids.next('token'), expiresMs: clock.now() + LIFETIME_MS };
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, keyOf(secret), nonce).setAAD(Buffer.from(projectId));
      const sealed = [cipher.update(JSON.stringify(said)), cipher.final()];
      const bytes = Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
      return `${Buffer.from(projectId).toString('base64url')}.${bytes.toString('base64url')}`;
    },

    /** Uses it up, unless it is only looked at. With a room it has to be for that room. */
    redeem(token: string, { roomId, isLook = false }: { roomId?: string; isLook?: boolean } = {}): TokenCheck {
      const [project, sealed, more] = token.length > MAX_LENGTH ? [] : token.split('.');
      if (!project || !sealed || more !== undefined) return { refused: 'malformed' };
      const projectId = Buffer.from(project, 'base64url').toString();
      const secret = secretOf(projectId);
      const said =
        secret === undefined ? undefined : opened(Buffer.from(sealed, 'base64url'), keyOf(secret), projectId);
      if (said === undefined) return { refused: 'forged' };
      const { id, expiresMs, ...holder } = said;
      if (clock.now() >= expiresMs) return { refused: 'expired' };
      if (roomId !== undefined && roomId !== holder.roomId) return { refused: 'foreign' };
      const isFresh = isLook ? !store.isTokenUsed(id) : store.useToken(id, expiresMs, clock.now());
      if (!isFresh) return { refused: 'used' };
      return { holder: { ...holder, projectId }, expiresMs };
    },
  };
}

function opened(
  bytes: Buffer,
  key: Buffer,
  projectId: string,
): (TokenHolder & { id: string; expiresMs: number }) | undefined {
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  try {
    const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(projectId));
    cipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
    return JSON.parse(Buffer.concat([cipher.update(bytes.subarray(tagEnd)), cipher.final()]).toString());
  } catch {
    return undefined;
  }
}
