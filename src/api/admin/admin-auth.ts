/**
 * The credential of the administrator: one token of the configuration, sent as `Authorization: Bearer …`.
 *
 * Invariants
 *  A1 tokens are compared by their hashes, in constant time;
 *  - an address that sends wrong tokens is refused for a while, even with the right one, at the endpoint to which it
 *     sent them;
 *  - without a configured token there is no administrator.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Request } from 'express';
import type { Clock } from '../../core/clock.ts';
import { sourceKey } from '../../core/source-key.ts';
import { ApiError } from '../api-error.ts';

export interface AdminAuth {
  /** There is a token. */
  readonly isConfigured: boolean;
  /** Throws the problem `unauthorized`, or `too_many_requests`. */
  check(req: Request): void;
  /** Whether the request carries the token; a request without one does not count as an attempt. */
  isAdmin(req: Request): boolean;
  /** In words, for the list of changes. */
  whoIs(req: Request): string;
  /** The same token, with its own count of wrong tokens: guesses at one endpoint do not lock another. */
  withSeparateCounter(): AdminAuth;
}

const FAILURES = { most: 10, forgottenAfterMs: 60_000 };
const MAX_CACHED = 10_000;
const MAX_HEADER_LENGTH = 1024;

/** `token` is asked each time: another one may take its place. */
export function createAdminAuth(token: () => string | undefined, clock: Clock): AdminAuth {
  const key = randomBytes(32);
  const mark = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const isRight = (given: string): boolean => {
    const right = token();
    return right !== undefined && timingSafeEqual(mark(given), mark(right));
  };
  const failures = new Map<string, { count: number; untilMs: number }>();

  const failed = (from: string): void => {
    const untilMs = clock.monotonicMs() + FAILURES.forgottenAfterMs;
    const count = (standing(from)?.count ?? 0) + 1;
    failures.delete(from);
    failures.set(from, { count, untilMs });
    if (failures.size > MAX_CACHED) failures.delete(failures.keys().next().value!);
  };

  const standing = (from: string): { count: number; untilMs: number } | undefined => {
    const found = failures.get(from);
    return found && found.untilMs > clock.monotonicMs() ? found : undefined;
  };

  const check = (req: Request): void => {
    const from = sourceOf(req);
    const barred = standing(from);
    if (barred && barred.count >= FAILURES.most) {
      throw new ApiError('too_many_requests', 'too many wrong tokens', {
        headers: { 'retry-after': String(Math.max(1, Math.ceil((barred.untilMs - clock.monotonicMs()) / 1000))) },
      });
    }
    const given = tokenOf(req);
    if (given !== undefined && isRight(given)) return;
    if (given !== undefined) failed(from);
    throw new ApiError('unauthorized', 'not authorized', {
      hint: 'send the header Authorization: Bearer and the token of admin in callweave.yaml',
      headers: { 'www-authenticate': 'Bearer realm="callweave"' },
    });
  };

  return {
    get isConfigured() {
      return token() !== undefined;
    },
    withSeparateCounter: () => createAdminAuth(token, clock),
    check,
    whoIs: (req) => `token from ${req.socket.remoteAddress ?? 'somewhere'}`,
    isAdmin(req) {
      if (token() === undefined || tokenOf(req) === undefined) return false;
      try {
        check(req);
        return true;
      } catch {
        return false;
      }
    },
  };
}

function tokenOf(req: Request): string | undefined {
  const header = req.get('authorization');
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}

const sourceOf = (req: Request): string => sourceKey(req.socket.remoteAddress ?? '');

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
