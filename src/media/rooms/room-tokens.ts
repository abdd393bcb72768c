/** Tokens that admit one participant to one room, once, within 15 minutes. */
import type { JsonObject } from '../../base/core/json.ts';
import {
  createSingleUseTokens,
  type SingleUseTokenParts,
  type SingleUseTokens,
} from '../../base/core/single-use-tokens.ts';
import type { RoomRole } from './room.ts';

export interface TokenHolder {
  roomId: string;
  name: string;
  role: RoomRole;
  userRef: string;
  data?: JsonObject;
}

export interface IssuedToken {
  token: string;
  expiresMs: number;
}

/** Tokens for the room of a session, which moderators create. */
export interface InvitationTokens {
  /** Throws a `RoomError` if the room cannot be entered now. */
  issue(holder: Omit<TokenHolder, 'roomId'>): IssuedToken;
  revoke(token: string, done: (state: 'revoked' | 'used' | 'unchecked') => void): void;
}

const LIFETIME_MS = 15 * 60_000;

export type RoomTokens = SingleUseTokens<TokenHolder>;

export const createRoomTokens = (parts: SingleUseTokenParts): RoomTokens =>
  createSingleUseTokens<TokenHolder>({ purpose: 'callweave room token', lifetimeMs: LIFETIME_MS }, parts);
