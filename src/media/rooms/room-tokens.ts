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

const LIFETIME_MS = 15 * 60_000;

export type RoomTokens = SingleUseTokens<TokenHolder>;

export const createRoomTokens = (parts: SingleUseTokenParts): RoomTokens =>
  createSingleUseTokens<TokenHolder>({ purpose: 'callweave room token', lifetimeMs: LIFETIME_MS }, parts);
