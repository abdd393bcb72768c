/**
 * STUN and TURN servers, as browsers receive them in `welcome`. Credentials are those of the configuration, or are made of
 * the secret that the service shares with coturn (`use-auth-secret`): the user name is the time at which they expire and
 * the participant, the password is HMAC-SHA1 of that name (draft-uberti-behave-turn-rest-00 §2.2).
 */
import { createHmac } from 'node:crypto';
import type { ServerMessages } from '../../client/messages.d.ts';
import { defined } from '../core/json.ts';

export interface IceServerConfig {
  readonly urls: readonly string[];
  readonly username?: string;
  readonly credential?: string;
  /** Instead of `username` and `credential`. */
  readonly sharedSecret?: string;
  readonly lifetimeMs: number;
}

/** A call from a browser opens its relays while it is set up, or again on another network. */
const AFTER_TOKEN_MS = 5 * 60_000;

/** As `RTCPeerConnection` takes it. */
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

/** Servers with credentials for a token: the same each time, so that the quota of the user name counts for the token. */
export const iceServersOfToken = (
  configured: readonly IceServerConfig[],
  { tokenId, expiresMs }: { tokenId: string; expiresMs: number },
): IceServer[] =>
  iceServersFor(
    configured.map((server) => ({ ...server, lifetimeMs: Math.min(server.lifetimeMs, AFTER_TOKEN_MS) })),
    { participant: tokenId, nowMs: expiresMs },
  );
