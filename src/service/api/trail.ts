/**
 * Records changes by administrators in the audit log and in the service log. `service/calls/audit-log/changes.ts`
 * stores them.
 *
 * Invariant: an entry has only the keys of the body, and no caller's number of the path, so that every administrator
 * may read the log.
 */
import type { Request, Response } from 'express';
import { visibleText } from '../../base/core/control-characters.ts';
import { defined, isObject, type Json } from '../../base/core/json.ts';
import { type Log, maskNumber } from '../../base/core/log.ts';
import type { AuditEntry } from '../calls/audit-log/change-store.ts';
import type { Changes } from '../calls/audit-log/changes.ts';
import type { Administrator } from '../calls/settings/administrators.ts';
import type { SignedIn } from './admin-auth.ts';
import { stateOf } from './request-context.ts';

export interface TrailParts {
  changes: Pick<Changes, 'add'>;
  log: Log;
  /** Returns the path with `{names}`. */
  routeOf(path: string): string;
}

/** Called after the request. Requests without an administrator are not recorded. */
export type RecordChange = (req: Request, res: Response, audited?: AuditedValues) => void;

/** Details from the handler that override those of the request. */
export type AuditedValues = Partial<Pick<AuditEntry, 'before' | 'after' | 'keys'>>;

const MAX_KEYS = 50;
const MAX_KEY_LENGTH = 64;
/** Below this path, `{number}` is a number of the service; in all other paths it belongs to a caller. */
const OWN_NUMBERS = '/admin/v1/numbers/';

export const createTrail =
  ({ changes, log, routeOf }: TrailParts): RecordChange =>
  (req, res, audited = {}) => {
    const { administrator, requestId } = stateOf(res);
    if (!administrator) return;
    const { name: who, via } = administrator;
    const remote = addressOf(req);
    const path = req.originalUrl.split('?')[0]!;
    const template = routeOf(path);
    const keys = audited.keys ?? keysOf(req.body as Json | Buffer | undefined);
    const what = `${req.method} ${shownPath(path, template).replace(/^\/admin\/v1/, '')}`;
    changes.add(defined<Omit<AuditEntry, 'atMs'>>({ ...audited, who, via, remote, what, keys }));
    const object = namedIn(path, template);
    log.info('admin.changed', {
      ...{ requestId, administrator: who, via, remote, route: `${req.method} ${template}`, object, keys },
    });
  };

/** Records that an administrator has signed in by an invitation, which created its token. */
export const recordAcceptedInvitation =
  ({ changes, log }: Pick<TrailParts, 'changes' | 'log'>) =>
  (req: Request, { name: who }: Administrator): void => {
    const remote = addressOf(req);
    const what = 'POST /studio/session';
    changes.add({ who, via: 'studio', remote, what, keys: ['code'] });
    log.info('admin.changed', { administrator: who, via: 'studio', remote, route: what, keys: ['code'] });
  };

/** Author of a flow, for display. */
export const inWords = ({ name, via }: SignedIn, req: Request): string =>
  `${name}${via === 'studio' ? ' in the studio' : ''} from ${addressOf(req)}`;

const addressOf = (req: Request): string => req.ip ?? 'somewhere';

const keysOf = (body: Json | Buffer | undefined): string[] | undefined => {
  const keys = !Buffer.isBuffer(body) && isObject(body) ? Object.keys(body) : [];
  return keys.length === 0 ? undefined : keys.slice(0, MAX_KEYS).map((key) => visibleText(key, MAX_KEY_LENGTH));
};

/** Path with callers' numbers masked. */
function shownPath(path: string, template: string): string {
  const words = template.split('/');
  const isOwn = template.startsWith(OWN_NUMBERS);
  return decoded(path)
    .map((word, at) => (words[at] === '{number}' && !isOwn ? maskNumber(word) : word))
    .join('/');
}

/** Values of the path parameters by name, because the log masks numbers by their key. */
function namedIn(path: string, template: string): Record<string, string> {
  const words = template.split('/');
  const given = decoded(path).flatMap((word, at): [string, string][] => {
    const name = /^\{(\w+)\}$/.exec(words[at] ?? '')?.[1];
    return name === undefined ? [] : [[name, word]];
  });
  return Object.fromEntries(given);
}

/** Cannot throw, because Express has already decoded the path. */
const decoded = (path: string): string[] => path.split('/').map((word) => visibleText(decodeURIComponent(word)));
