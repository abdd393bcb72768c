/**
 * Who an administrator is: a token of the configuration, sent as `Authorization: Bearer …`, or a session of the studio.
 *
 * Invariants
 *  - the right token always passes: an address that sends wrong ones is refused with wrong ones alone, for a while;
 *  - administrators of the role `read` may ask for everything, and change nothing;
 *  - without a configured token only the studio has administrators.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Request } from 'express';
import type { Administrator, Administrators } from '../../calls/settings/administrators.ts';
import type { Clock } from '../../core/clock.ts';
import { sourceKey } from '../../core/source-key.ts';
import { WindowCounter } from '../../core/window-counter.ts';
import { ApiError } from '../api-error.ts';
import type { Sessions } from '../studio/sessions.ts';

/** How the administrator has signed in. */
export interface SignedIn extends Administrator {
  via: 'token' | 'studio';
}

export interface AdminAuth {
  /** There is a token. */
  readonly isConfigured: boolean;
  /** Throws the problem `unauthorized`, or `too_many_requests`. */
  check(req: Request): SignedIn;
  /** Undefined where the request carries nothing, or nothing right. */
  find(req: Request): SignedIn | undefined;
}

const WRONG_TOKENS = { most: 10, windowMs: 60_000, maxKeys: 10_000 };
const MAX_HEADER_LENGTH = 1024;

/** `sessions`: those who are signed in to the studio need no token. */
export function createAdminAuth(administrators: Administrators, clock: Clock, sessions?: Sessions): AdminAuth {
  const wrongTokens = new WindowCounter(clock, WRONG_TOKENS);

  const inStudio = (req: Request): SignedIn | undefined => {
    const principal = sessions?.principalOf(req);
    return principal?.role === 'admin' ? { ...principal.administrator, via: 'studio' } : undefined;
  };

  const check = (req: Request): SignedIn => {
    const signedIn = inStudio(req);
    if (signedIn) return signedIn;
    const given = tokenOf(req);
    const found = given === undefined ? undefined : administrators.withToken(given);
    if (found) return { ...found, via: 'token' };
    if (given !== undefined) countWrongToken(sourceOf(req));
    throw new ApiError('unauthorized', 'not authorized', {
      hint: 'send the header Authorization: Bearer and a token of admin in callweave.yaml',
      headers: { 'www-authenticate': 'Bearer realm="callweave"' },
    });
  };

  const countWrongToken = (from: string): void => {
    if (wrongTokens.count(from) >= WRONG_TOKENS.most) {
      throw new ApiError('too_many_requests', 'too many wrong tokens', {
        headers: { 'retry-after': String(Math.max(1, Math.ceil(wrongTokens.msLeft(from) / 1000))) },
      });
    }
    wrongTokens.add(from);
  };

  return {
    get isConfigured() {
      return administrators.isConfigured;
    },
    check,
    find(req) {
      try {
        return check(req);
      } catch {
        return undefined;
      }
    },
  };
}

/** It changes nothing. */
export const isReading = ({ method }: Pick<Request, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** Throws the problem `reads_only` where an administrator who may only look asks for a change. */
export function refuseChange(req: Request, { name, role }: Administrator): void {
  if (role === 'full' || isReading(req)) return;
  throw new ApiError('reads_only', `the token ${name} may read, and change nothing`, {
    hint: 'use a token whose role is full',
  });
}

function tokenOf(req: Request): string | undefined {
  const header = req.get('authorization');
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}

const sourceOf = (req: Request): string => sourceKey(req.ip ?? '');

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether the request comes from this machine. One that a local proxy forwards does not, nor one for another host name: a
 * web page may have a name of its own that resolves to us.
 */
export function isLocalRequest(req: Request): boolean {
  if (req.get('x-forwarded-for') !== undefined || req.get('forwarded') !== undefined) return false;
  if (!isPlainHost(req.get('host') ?? '')) return false;
  const address = (req.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) !== 0 && LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** An address, or the name that is resolved without DNS. */
function isPlainHost(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
  return name.toLowerCase() === 'localhost' || isIP(name) !== 0;
}
