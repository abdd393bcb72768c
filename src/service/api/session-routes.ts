/**
 * Routes `/studio/session`: sign-in and sign-out for the studio, with API credentials or the code of a sign-in link.
 */
import { type Request, type Response, Router } from 'express';
import { defined, type JsonObject } from '../../base/core/json.ts';
import { sourceKey } from '../../base/core/source-key.ts';
import type { Project } from '../calls/projects/project-store.ts';
import type { Administrator, Administrators } from '../calls/settings/administrators.ts';
import type { AdminAuth } from './admin-auth.ts';
import { ApiError } from './api-error.ts';
import type { BasicAuth } from './basic-auth.ts';
import { bodyReader } from './body-reader.ts';
import { jsonBody } from './json-body.ts';
import { type HandledRoute, type HttpMethod, register } from './route.ts';
import { sendJson } from './send-json.ts';
import type { Principal, Sessions } from './sessions.ts';

export interface SessionParts {
  sessions: Sessions;
  adminAuth: AdminAuth;
  basicAuth: BasicAuth;
  projects: { list(): Project[]; find(projectId: string): Project | undefined };
  /** Consumes the code of an operator's sign-in link. Returns true if it was valid. */
  redeem(code: string): boolean;
  administrators: Pick<Administrators, 'accept'>;
  /** Records that an administrator has accepted an invitation. */
  recordAccepted(req: Request, administrator: Administrator): void;
  phonesReach(): ReachedBySip | undefined;
  isQuarantined: boolean;
}

/** SIP address for phones. Without `host`, the address that the browser used. */
export interface ReachedBySip {
  host?: string;
  port: number;
}

type SessionHandler = (
  request: { req: Request; res: Response },
  parts: SessionParts,
) => Promise<JsonObject> | JsonObject;
type SessionRoute = HandledRoute<SessionHandler>;

const PATH = '/studio/session';
const MAX_BODY_BYTES = 4096;
/** Identity of users of the printed start link. Token names contain no spaces, so they cannot collide with it. */
const BY_LINK: Administrator = { name: 'link of the start', role: 'full' };
const NOBODY = { role: 'nobody', projects: [] };
const readSession = bodyReader('session');

const sessionRoute = (
  method: HttpMethod,
  row: Pick<SessionRoute, 'summary' | 'handle'> & Partial<Pick<SessionRoute, 'body' | 'errors'>>,
): SessionRoute => ({
  tag: 'Studio',
  method,
  path: PATH,
  auth: 'anybody',
  response: { status: 200, schema: 'responses/session' },
  ...row,
  // `unknown_route` is the answer if the studio is disabled.
  errors: ['unknown_route', ...(row.errors ?? [])],
});

export const SESSION_ROUTES: readonly SessionRoute[] = [
  sessionRoute('GET', {
    summary: 'returns the session of the studio',
    handle({ req }, parts) {
      const principal = parts.sessions.principalOf(req);
      return principal === undefined ? NOBODY : sessionBody(principal, parts);
    },
  }),
  sessionRoute('POST', {
    summary:
      'signs in to the studio with the credentials of an administrator or of a project, or with the code of a link',
    body: { schema: 'session', isRequired: false },
    errors: ['unauthorized', 'foreign_origin', 'too_many_requests'],
    async handle({ req, res }, parts) {
      const { principal, token } = await signInOf(req, parts);
      parts.sessions.open(res, principal);
      return defined<JsonObject>({ ...sessionBody(principal, parts), token });
    },
  }),
  sessionRoute('DELETE', {
    summary: 'signs out of the studio',
    errors: ['foreign_origin'],
    handle({ req, res }, { sessions }) {
      sessions.close(req, res);
      return NOBODY;
    },
  }),
];

export function sessionRouter(parts: SessionParts): Router {
  const router = Router();
  router.use(PATH, jsonBody(MAX_BODY_BYTES));
  return register(router, '', SESSION_ROUTES, ({ handle }) => async (req, res) => {
    sendJson(res, 200, await handle({ req, res }, parts));
  });
}

async function signInOf(req: Request, parts: SessionParts): Promise<{ principal: Principal; token?: string }> {
  const { redeem, adminAuth, basicAuth } = parts;
  const { code } = readSession(req.body ?? {});
  if (code !== undefined) {
    if (redeem(code)) return { principal: { role: 'admin', administrator: BY_LINK } };
    const accepted = await parts.administrators.accept(code);
    if (accepted) {
      const { administrator, token } = accepted;
      parts.recordAccepted(req, administrator);
      return { principal: { role: 'admin', administrator }, token };
    }
    throw new ApiError('unauthorized', 'the link was already used or has expired', {
      hint: 'sign in with credentials, ask for a new invitation, or run `callweave studio` for a new link',
    });
  }
  const header = req.get('authorization');
  if (/^basic /i.test(header ?? '')) {
    const { project, keyHash } = await basicAuth.checkKey(header, sourceKey(req.ip ?? ''));
    return { principal: { role: 'project', projectId: project.projectId, keyHash } };
  }
  return { principal: { role: 'admin', administrator: adminAuth.check(req) } };
}

/** Projects that the session can access, and the SIP address of the service. */
function sessionBody(principal: Principal, { projects, phonesReach, isQuarantined }: SessionParts): JsonObject {
  const { role } = principal;
  const project = role === 'project' ? projects.find(principal.projectId) : undefined;
  const seen = role === 'admin' ? projects.list() : project === undefined ? [] : [project];
  const sip = phonesReach();
  return defined<JsonObject>({
    role,
    ...(role === 'admin' ? { name: principal.administrator.name, access: principal.administrator.role } : {}),
    projects: seen.map(({ projectId, name }) => ({ app_id: projectId, name })),
    sip: sip && defined<JsonObject>({ ...sip }),
    quarantined: isQuarantined || undefined,
  });
}
