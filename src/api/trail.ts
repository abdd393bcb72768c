/**
 * The trail: what an administrator has changed by a request, for the list of changes and the log. Neighbour:
 * `calls/settings/changes.ts` keeps it.
 *
 * Invariant: of the body there are its keys alone, and of the path no number of a caller, so that the list may be shown to
 * everybody who administers.
 */
import type { Request, Response } from 'express';
import type { Change } from '../calls/settings/change-store.ts';
import type { Changes } from '../calls/settings/changes.ts';
import { visibleText } from '../core/control-characters.ts';
import { defined, isObject, type Json } from '../core/json.ts';
import { type Log, maskNumber } from '../core/log.ts';
import type { SignedIn } from './admin/admin-auth.ts';
import { stateOf } from './request-context.ts';

export interface TrailParts {
  changes: Pick<Changes, 'add'>;
  log: Log;
  /** With `{names}`. */
  routeOf(path: string): string;
}

/** After the request was done; nothing is recorded of what no administrator did. */
export type RecordChange = (req: Request, res: Response, noted?: Noted) => void;

/** What the handler knows better than its request. */
export type Noted = Partial<Pick<Change, 'before' | 'after' | 'keys'>>;

const MAX_KEYS = 50;
const MAX_KEY_LENGTH = 64;
/** Here `{number}` is one of ours; everywhere else it is somebody's. */
const OWN_NUMBERS = '/admin/v1/numbers/';

export const createTrail =
  ({ changes, log, routeOf }: TrailParts): RecordChange =>
  (req, res, noted = {}) => {
    const { administrator, requestId } = stateOf(res);
    if (!administrator) return;
    const { name: who, via } = administrator;
    const remote = addressOf(req);
    const path = req.originalUrl.split('?')[0]!;
    const template = routeOf(path);
    const keys = noted.keys ?? keysOf(req.body as Json | Buffer | undefined);
    const what = `${req.method} ${shownPath(path, template).replace(/^\/admin\/v1/, '')}`;
    changes.add(defined<Omit<Change, 'atMs'>>({ ...noted, who, via, remote, what, keys }));
    const object = namedIn(path, template);
    log.info('admin.changed', {
      ...{ requestId, administrator: who, via, remote, route: `${req.method} ${template}`, object, keys },
    });
  };

/** For those who read who wrote a flow. */
export const inWords = ({ name, via }: SignedIn, req: Request): string =>
  `${name}${via === 'studio' ? ' in the studio' : ''} from ${addressOf(req)}`;

const addressOf = (req: Request): string => req.ip ?? 'somewhere';

const keysOf = (body: Json | Buffer | undefined): string[] | undefined => {
  const keys = !Buffer.isBuffer(body) && isObject(body) ? Object.keys(body) : [];
  return keys.length === 0 ? undefined : keys.slice(0, MAX_KEYS).map((key) => visibleText(key, MAX_KEY_LENGTH));
};

/** The path as people read it. */
function shownPath(path: string, template: string): string {
  const words = template.split('/');
  const isOwn = template.startsWith(OWN_NUMBERS);
  return decoded(path)
    .map((word, at) => (words[at] === '{number}' && !isOwn ? maskNumber(word) : word))
    .join('/');
}

/** What the parameters of the path stand for; the log masks numbers by the names of their keys. */
function namedIn(path: string, template: string): Record<string, string> {
  const words = template.split('/');
  const given = decoded(path).flatMap((word, at): [string, string][] => {
    const name = /^\{(\w+)\}$/.exec(words[at] ?? '')?.[1];
    return name === undefined ? [] : [[name, word]];
  });
  return Object.fromEntries(given);
}

/** Express has read the path, so that it can be. */
const decoded = (path: string): string[] => path.split('/').map((word) => visibleText(decodeURIComponent(word)));
