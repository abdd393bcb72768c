/**
 * Studio sessions: an opaque cookie in place of credentials, so that pages do not store keys. `session-routes.ts` opens
 * and closes sessions; the authentication of each route family accepts them.
 *
 * Invariants
 * - only hashes of cookies are kept, in memory: a restart ends all sessions;
 * - a session ends with the token or key that opened it, and has the current permissions of the token;
 * - too many sessions of a token or project end its oldest ones, never those of others;
 * - a cookie is accepted only with a header that pages of other origins cannot send (`isFromStudio`).
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Clock } from '../../base/core/clock.ts';
import type { Projects } from '../calls/projects/projects.ts';
import type { Administrator, Administrators } from '../calls/settings/administrators.ts';

/** Identity of a session: an administrator or a project. */
export type Principal =
  | { role: 'admin'; administrator: Administrator }
  /** `keyHash`: hash of the project key that opened the session. */
  | { role: 'project'; projectId: string; keyHash: string };

export interface Sessions {
  /** Opens a session and sets its cookie. */
  open(res: Response, principal: Principal): void;
  /** Identity of a studio request. Extends the session. */
  principalOf(req: Request): Principal | undefined;
  /** Ends the session of the request, if there is one. */
  close(req: Request, res: Response): void;
}

const SESSION_MS = 12 * 3_600_000;
/** Maximum for each token, for each project, and for all start links together. */
const MAX_SESSIONS = 100;
const TOKEN_BYTES = 32;

export interface SessionOptions {
  /** True if browsers use HTTPS: the cookie gets `Secure`. */
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

  /** Current state of the identity. Undefined if its token or key was removed. */
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
      // Moves the session to the end of the map, which is ordered by last use: the first session of a holder is ended
      // when there are too many.
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

/** Key for the limit of sessions. */
const holderOf = (principal: Principal): string =>
  principal.role === 'project' ? `project ${principal.projectId}` : `admin ${principal.administrator.mark ?? ''}`;

/**
 * Pages of other origins cannot send a custom header without a preflight, which `cross-origin.ts` refuses.
 * `Sec-Fetch-Site` is checked as well where browsers send it.
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
