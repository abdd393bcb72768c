/** Admin routes for administrators: their roles, invitations and tokens. `settings/administrators.ts` keeps them. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { ChangeAuthor, ListedAdministrator } from '../../calls/settings/administrators.ts';
import { isOwnToken, type SignedIn } from '../admin-auth.ts';
import { badRequest, bodyReader } from '../body-reader.ts';
import { iso, optionalIso } from '../response-bodies.ts';
import type { PathParameters } from '../route.ts';
import { type AdminRoute, adminRoute, DONE, doneBody, many, one } from './admin-route.ts';

const ADMINISTRATOR = '/administrators/{name}';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,63}$/;

const readAdministrator = bodyReader('admin/administrator');

export const ADMINISTRATOR_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/administrators', {
    summary: 'lists the administrators',
    response: many('administrators', 'administrator'),
    handle: ({ signedIn }, { administrators }) => administrators.list().map((each) => bodyOf(each, signedIn)),
  }),
  adminRoute('GET', ADMINISTRATOR, {
    summary: 'returns an administrator',
    response: one('administrator'),
    errors: ['unknown_setting'],
    handle: ({ params, signedIn }, { administrators }) => bodyOf(administrators.get(nameIn(params)), signedIn),
  }),
  adminRoute('PUT', ADMINISTRATOR, {
    summary: 'adds an administrator without a credential, or changes its role',
    body: 'administrator',
    response: one('administrator'),
    errors: ['configured', 'last_administrator'],
    async handle({ params, body, signedIn }, { administrators }) {
      const name = nameIn(params);
      await administrators.put(name, readAdministrator(body).role, authorOf(signedIn));
      return bodyOf(administrators.get(name), signedIn);
    },
  }),
  adminRoute('DELETE', ADMINISTRATOR, {
    summary: 'removes an administrator with its token and its sessions',
    response: DONE,
    errors: ['unknown_setting', 'configured', 'last_administrator'],
    async handle({ params, signedIn }, parts) {
      const name = nameIn(params);
      await parts.administrators.remove(name, authorOf(signedIn));
      await parts.drafts.removePerson(name);
      return doneBody(parts);
    },
  }),
  adminRoute('POST', `${ADMINISTRATOR}/invitation`, {
    summary:
      'creates a link that signs the administrator in once, within 24 hours, with a new token; the link is returned only once',
    response: one('invitation'),
    errors: ['unknown_setting', 'configured'],
    async handle({ params }, { administrators, publicUrl, now }) {
      const name = nameIn(params);
      const { code, untilMs } = await administrators.invite(name);
      const link = `${publicUrl()}/studio/#code=${code}`;
      return { name, link, code, valid_until: iso(untilMs), timestamp: now() };
    },
  }),
  adminRoute('POST', `${ADMINISTRATOR}/token`, {
    summary: 'creates a new token, which is returned only once; the old one ends at once, and its sessions with it',
    response: one('administrator-token'),
    errors: ['unknown_setting', 'configured'],
    async handle({ params, signedIn, res }, { administrators, openSession, now }) {
      const name = nameIn(params);
      const { administrator, token } = await administrators.renewToken(name);
      // The session in which an administrator renews its own token continues.
      if (signedIn.via === 'studio' && isOwnToken(name, signedIn)) openSession?.(res, { role: 'admin', administrator });
      return { name: administrator.name, token, timestamp: now() };
    },
  }),
  adminRoute('DELETE', `${ADMINISTRATOR}/token`, {
    summary: 'revokes the token, its sessions and the pending invitation',
    response: DONE,
    errors: ['unknown_setting', 'configured', 'last_administrator'],
    async handle({ params, signedIn }, parts) {
      await parts.administrators.revoke(nameIn(params), authorOf(signedIn));
      return doneBody(parts);
    },
  }),
];

function nameIn({ name: written }: PathParameters): string {
  const name = written.trim();
  if (NAME.test(name)) return name;
  throw badRequest('name is invalid: use up to 64 letters, digits, _, -, +, @ and .');
}

/** Only the operator's link has no mark. */
const authorOf = ({ name, mark }: SignedIn): ChangeAuthor => ({ name, isOperator: mark === undefined });

const bodyOf = (
  { name, role, isConfigured, hasToken, invitedUntilMs, lastSeenMs, createdMs, createdBy }: ListedAdministrator,
  signedIn: SignedIn,
): JsonObject =>
  defined<JsonObject>({
    ...{ name, role, configured: isConfigured, has_token: hasToken },
    you: isOwnToken(name, signedIn),
    invited_until: optionalIso(invitedUntilMs),
    last_seen: optionalIso(lastSeenMs),
    created: optionalIso(createdMs),
    created_by: createdBy,
  });
