/**
 * STUN and TURN servers, as browsers receive them in `welcome`. Credentials are taken from the configuration, or
 * derived from the secret that the service shares with coturn (`use-auth-secret`): the user name is the expiry time and
 * the participant, the password is HMAC-SHA1 of that name (draft-uberti-behave-turn-rest-00 §2.2).
 */
import { createHmac } from 'node:crypto';
import { defined } from '../../base/core/json.ts';
import type { ServerMessages } from '../../base/core/room-messages.ts';

export interface IceServerConfig {
  readonly urls: readonly string[];
  readonly username?: string;
  readonly credential?: string;
  /** Replaces `username` and `credential`. */
  readonly sharedSecret?: string;
  readonly lifetimeMs: number;
}

/**
 * Lifetime after the token expires: a call from a browser allocates its relays during setup, and again on another
 * network.
 */
const AFTER_TOKEN_MS = 5 * 60_000;

/** Format of `RTCPeerConnection`. */
export type IceServer = ServerMessages['welcome']['ice_servers'][number];

export const iceServersFor = (
  configured: readonly IceServerConfig[],
  { participant, nowMs }: { participant: string; nowMs: number },
): IceServer[] =>
  configured.map(({ username, credential, sharedSecret, lifetimeMs, ...server }) => {
    const urls = [...server.urls];
    if (sharedSecret === undefined) return defined<IceServer>({ urls, username, credential });
    const temporary = `${Math.floor((nowMs + lifetimeMs) / 1000)}:${participant}`;
    const password = createHmac('sha1', sharedSecret).update(temporary).digest('base64');
    return { urls, username: temporary, credential: password };
  });

/**
 * Servers with credentials for one token. The credentials are the same each time, so that coturn's quota by user name
 * applies to the token.
 */
export const iceServersOfToken = (
  configured: readonly IceServerConfig[],
  { tokenId, expiresMs }: { tokenId: string; expiresMs: number },
): IceServer[] =>
  iceServersFor(
    configured.map((server) => ({ ...server, lifetimeMs: Math.min(server.lifetimeMs, AFTER_TOKEN_MS) })),
    { participant: tokenId, nowMs: expiresMs },
  );
