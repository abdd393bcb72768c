/**
 * Tokens for phones in browsers: each allows one call within two minutes, for the project and to the destination that
 * it names.
 */
import type { JsonObject } from '../../../base/core/json.ts';
import {
  createSingleUseTokens,
  type SingleUseTokenParts,
  type SingleUseTokens,
} from '../../../base/core/single-use-tokens.ts';

export interface WebphoneHolder {
  /** A number of the project. */
  number?: string;
  /** Flow to run instead of calling a number. */
  flow?: string;
  input?: JsonObject;
  /** Caller ID of the call. */
  from: string;
}

export const WEBPHONE_TOKEN_MS = 2 * 60_000;

export const createWebphoneTokens = (parts: SingleUseTokenParts): SingleUseTokens<WebphoneHolder> =>
  createSingleUseTokens<WebphoneHolder>({ purpose: 'callweave webphone token', lifetimeMs: WEBPHONE_TOKEN_MS }, parts);
