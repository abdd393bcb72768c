/**
 * Authentication of administrators: a configured token in `Authorization: Bearer …`, or a session of the studio.
 *
 * Invariants
 * - a valid token is always accepted: an address that sends wrong tokens is throttled for requests with wrong tokens
 * only;
 * - administrators with the role `read` may read everything and change nothing but their own token;
 * - without a configured token, only the studio has administrators.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Request } from 'express';
import type { Clock } from '../../base/core/clock.ts';
import { sourceKey } from '../../base/core/source-key.ts';
import { WindowCounter } from '../../base/core/window-counter.ts';
import {
  type Administrator,
  type Administrators,
  type AdminRole,
  administratorKey,
} from '../calls/settings/administrators.ts';
import { ApiError } from './api-error.ts';
import type { Sessions } from './sessions.ts';

/** An administrator, with the method of sign-in. */
export interface SignedIn extends Administrator {
  via: 'token' | 'studio';
}

export interface AdminAuth {
  /** True if a token is configured. */
  readonly isConfigured: boolean;
  /** Throws `unauthorized` or `too_many_requests`. */
  check(req: Request): SignedIn;
  /** Undefined if the request has no valid credentials. */
  find(req: Request): SignedIn | undefined;
}

const WRONG_TOKENS = { most: 10, windowMs: 60_000, maxKeys: 10_000 };
const MAX_HEADER_LENGTH = 1024;

/** `sessions`: studio sessions, which need no token. */
export function createAdminAuth(
  administrators: Pick<Administrators, 'isConfigured' | 'withToken'>,
  clock: Clock,
  sessions?: Sessions,
): AdminAuth {
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
      hint: 'send the header Authorization: Bearer with a token of admin in callweave.yaml',
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

/** True if the method changes nothing. */
export const isReading = ({ method }: Pick<Request, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** Roles that allow all changes. */
const CHANGING_ROLES: ReadonlySet<AdminRole> = new Set(['full']);

const mayChange = (role: AdminRole): boolean => CHANGING_ROLES.has(role);

/** True if this is the name of the signed-in administrator. The operator's link has a name, but no token. */
export const isOwnToken = (name: string, { name: own, mark }: Administrator): boolean =>
  mark !== undefined && administratorKey(name) === administratorKey(own);

/** Throws `reads_only` if an administrator with read access requests a change. */
export function refuseChange(req: Request, { name, role }: Administrator): void {
  if (mayChange(role) || isReading(req)) return;
  throw new ApiError('reads_only', `the token ${name} is read-only`, {
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
 * True if the request comes from this machine. False for requests forwarded by a local proxy, and for other host names:
 * a web page can have a domain that resolves to this machine (DNS rebinding).
 */
export function isLocalRequest(req: Request): boolean {
  if (req.get('x-forwarded-for') !== undefined || req.get('forwarded') !== undefined) return false;
  if (!isPlainHost(req.get('host') ?? '')) return false;
  const address = (req.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) !== 0 && LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** True for an IP address, and for `localhost`, which is resolved without DNS. */
function isPlainHost(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
  return name.toLowerCase() === 'localhost' || isIP(name) !== 0;
}
