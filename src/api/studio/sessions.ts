/**
 * Who is signed in to the studio: an opaque cookie in place of credentials, so that no page keeps a key. Neighbours:
 * `session-routes.ts` begins and ends sessions; the sign-in of each family of routes accepts them.
 *
 * Invariants
 *  - only hashes of cookies are kept, in memory: a restart signs everybody out;
 *  - a session ends with the token or key that has opened it, and may do what the token may do now;
 *  - who signs in too often ends sessions of the same token or project, never those of others;
 *  - a cookie counts only with a header that pages of other origins cannot send (`isFromStudio`).
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Projects } from '../../calls/projects.ts';
import type { Administrator, Administrators } from '../../calls/settings/administrators.ts';
import type { Clock } from '../../core/clock.ts';

/** What a session may do: what an administrator may, or what one project may. */
export type Principal =
  | { role: 'admin'; administrator: Administrator }
  /** `keyHash`: of the key of the project that opened the session. */
  | { role: 'project'; projectId: string; keyHash: string };

export interface Sessions {
  /** Begins a session and sets its cookie. */
  open(res: Response, principal: Principal): void;
  /** The session of a request of the studio, which lasts on by it. */
  principalOf(req: Request): Principal | undefined;
  /** Ends the session of the request, if there is one. */
  close(req: Request, res: Response): void;
}

const SESSION_MS = 12 * 3_600_000;
/** Sessions of one token, of one project, or of all links of the start. */
const MAX_SESSIONS = 100;
const TOKEN_BYTES = 32;

export interface SessionOptions {
  /** Browsers reach us by https: the cookie may be bound to it. */
  isSecure: boolean;
  administrators: Pick<Administrators, 'withMark'>;
  projects: Pick<Projects, 'find' | 'isKeyHash'>;
}

export function createSessions(clock: Clock, { isSecure, administrators, projects }: SessionOptions): Sessions {
  const sessions = new Map<string, { principal: Principal; untilMs: number }>();
  const cookieName = isSecure ? '__Host-callweave-studio' : 'callweave-studio';
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure } as const;

  const keyOf = (req: Request): string | undefined => {
    const token = cookieOf(req.headers.cookie, cookieName);
    return token === undefined ? undefined : hashOf(token);
  };

  /** As it is now; undefined when its token or key is gone. */
  const inForce = (principal: Principal): Principal | undefined => {
    if (principal.role === 'project') {
      const project = projects.find(principal.projectId);
      return project && projects.isKeyHash(project, principal.keyHash) ? principal : undefined;
    }
    if (principal.administrator.mark === undefined) return principal;
    const administrator = administrators.withMark(principal.administrator.mark);
    return administrator && { role: 'admin', administrator };
  };

  return {
    open(res, principal) {
      const token = newToken();
      const holder = holderOf(principal);
      const own = [...sessions].flatMap(([key, each]) => (holderOf(each.principal) === holder ? key : []));
      for (const oldest of own.slice(0, Math.max(0, own.length - MAX_SESSIONS + 1))) sessions.delete(oldest);
      sessions.set(hashOf(token), {
        principal,
        untilMs: clock.monotonicMs() + SESSION_MS,
      });
      res.cookie(cookieName, token, { ...attributes, maxAge: SESSION_MS });
    },
    principalOf(req) {
      if (!isFromStudio(req)) return undefined;
      const key = keyOf(req);
      const session = key === undefined ? undefined : sessions.get(key);
      if (key === undefined || session === undefined) return undefined;
      // The last in the map was used last: the first of a holder ends when there are too many.
      sessions.delete(key);
      const principal = inForce(session.principal);
      if (session.untilMs <= clock.monotonicMs() || principal === undefined) return undefined;
      sessions.set(key, { principal, untilMs: clock.monotonicMs() + SESSION_MS });
      return principal;
    },
    close(req, res) {
      const key = keyOf(req);
      if (key !== undefined && isFromStudio(req)) sessions.delete(key);
      res.clearCookie(cookieName, attributes);
    },
  };
}

/** Sessions of one holder share a limit. */
const holderOf = (principal: Principal): string =>
  principal.role === 'project' ? `project ${principal.projectId}` : `admin ${principal.administrator.mark ?? ''}`;

/**
 * Pages of other origins cannot send a header of ours without asking first, which `cross-origin.ts` refuses; where the
 * browser says from which site the request comes, that counts as well.
 */
function isFromStudio(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  return req.get('x-callweave-studio') === '1' && (site === undefined || site === 'same-origin');
}

const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** RFC 6265 §4.2. */
const cookieOf = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
