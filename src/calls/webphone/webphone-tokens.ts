/** Tokens for phones in browsers: each makes one call, within two minutes, of the project and to the destination it names. */
import type { JsonObject } from '../../core/json.ts';
import { createSingleUseTokens, type SingleUseTokenParts, type SingleUseTokens } from '../../core/single-use-tokens.ts';

export interface WebphoneHolder {
  /** Of the project. */
  number?: string;
  /** In place of a number. */
  flow?: string;
  input?: JsonObject;
  /** Who calls, as the call shows it. */
  from: string;
}

export const WEBPHONE_TOKEN_MS = 2 * 60_000;

export const createWebphoneTokens = (parts: SingleUseTokenParts): SingleUseTokens<WebphoneHolder> =>
  createSingleUseTokens<WebphoneHolder>({ purpose: 'callweave webphone token', lifetimeMs: WEBPHONE_TOKEN_MS }, parts);
