/** Tokens let one person into one room, once, within 15 minutes. */
import { defined, type JsonObject } from '../core/json.ts';
import { createSealedTokens, type TokenCheck, type TokenParts } from '../core/sealed-tokens.ts';
import type { RoomRole } from './room.ts';

export interface TokenHolder {
  roomId: string;
  name: string;
  role: RoomRole;
  userRef: string;
  data?: JsonObject;
}

const LIFETIME_MS = 15 * 60_000;

export type RoomTokens = ReturnType<typeof createRoomTokens>;

export function createRoomTokens(parts: TokenParts) {
  const options = { purpose: 'callweave room token', lifetimeMs: LIFETIME_MS };
  const tokens = createSealedTokens<TokenHolder>(options, parts);
  return {
    issue: tokens.issue,
    /** Whether it lets somebody in; it is not used up. */
    isGood: (token: string): boolean => !('refused' in tokens.redeem(token, { isLook: true })),
    /** Uses it up, unless it is only looked at. With a room it has to be for that room. */
    redeem(token: string, { roomId, isLook }: { roomId?: string; isLook?: boolean } = {}): TokenCheck<TokenHolder> {
      const isFor = roomId === undefined ? undefined : (holder: TokenHolder) => holder.roomId === roomId;
      return tokens.redeem(token, defined({ isFor, isLook }));
    },
  };
}
