/** Describes an entry of the audit log, with links to the changed object. Pure; used by `changes.tsx`. */
import { BY_LINK } from '../shell/link-sign-in.ts';

export interface AuditEntryData {
  at: string;
  who: string;
  /** Absent if the change did not come from a request. */
  via?: 'token' | 'studio';
  remote?: string;
  /** Method and path: `PUT /flows/hello`. */
  what: string;
  /** Fields of the request body; for a reload, the changed settings. */
  keys?: string[];
  before?: string;
  after?: string;
}

export interface StudioLink {
  path: string;
  query?: Record<string, string>;
}

export interface ReadChange {
  /** Verb, such as `saved` or `removed`. Empty if `what` describes the change completely. */
  did: string;
  /** Object, such as `the flow hello`. */
  what: string;
  /** Link to the object. Absent if it was deleted or has no page. */
  link?: StudioLink;
  /** Link to the comparison of both versions. */
  versions?: StudioLink;
}

type Reader = (parts: string[], change: AuditEntryData & { method: string }) => ReadChange | undefined;

const DID: Readonly<Record<string, string>> = { PUT: 'saved', PATCH: 'changed', POST: 'made', DELETE: 'removed' };

const isGone = ({ method }: { method: string }): boolean => method === 'DELETE';

/** Changes to versions that are not live, by method and path segment. */
const CANDIDATES: Readonly<Record<string, string>> = {
  'POST versions': 'kept a version',
  'PUT canary': 'gave some callers a version',
  'DELETE canary': 'ended the canary',
  'POST publish': 'published a version',
};

/** Link to the comparison of a flow's versions, if both are known and differ. */
const moved = (path: string, { before, after }: AuditEntryData): { versions?: StudioLink } =>
  before === undefined || after === undefined || before === after
    ? {}
    : { versions: { path: `${path}/versions`, query: { before, after } } };

/** Changes to the service as a whole, by method and path. A reload caused by a signal has no method. */
const ORDERS: Readonly<Record<string, string>> = {
  'POST /drain': 'began to drain the service',
  'DELETE /drain': 'took new calls again',
  'POST /reload': 'reloaded the configuration',
  reload: 'reloaded the configuration',
  'POST /studio/session': 'accepted an invitation',
};

const ADMINISTRATORS: Reader = ([name, part], change) => {
  if (name === undefined) return undefined;
  const { method } = change;
  const what = `the administrator ${name}`;
  const link = { link: { path: '/settings/administrators', query: { name } } };
  if (part === 'invitation') return { did: 'invited', what, ...link };
  if (part === 'token')
    return { did: method === 'DELETE' ? 'revoked the access of' : 'gave a new token to', what, ...link };
  return { did: DID[method]!, what, ...(isGone(change) ? {} : link) };
};

/** Describers, by the first path segment. */
const READERS: Readonly<Record<string, Reader>> = {
  administrators: ADMINISTRATORS,
  flows: ([name, part, ...rest], change) => {
    if (name === undefined) return undefined;
    const path = `/flows/${encodeURIComponent(name)}`;
    const shown = isGone(change) ? {} : { link: { path } };
    const { before } = change;
    if (part === undefined) {
      const isNew = change.method === 'PUT' && before === undefined;
      return { did: isNew ? 'made' : DID[change.method]!, what: `the flow ${name}`, ...shown, ...moved(path, change) };
    }
    const candidate = CANDIDATES[`${change.method} ${part}`];
    if (candidate !== undefined)
      return { did: candidate, what: `of the flow ${name}`, ...shown, ...moved(path, change) };
    if (part !== 'tests' || rest.length === 0) return undefined;
    const file = rest.join('/');
    const link = { path: `${path}/tests`, query: { test: file } };
    return { did: DID[change.method]!, what: `the test ${file} of ${name}`, ...(isGone(change) ? {} : { link }) };
  },
  prompts: ([name, language], change) =>
    name === undefined || language === undefined
      ? undefined
      : {
          did: DID[change.method]!,
          what: `the prompt ${name} in ${language}`,
          ...(isGone(change) ? {} : { link: { path: '/settings/prompts', query: { name, language } } }),
        },
  projects: ([id, part, ...rest], change) => {
    const project = id === undefined ? 'a project' : `the project ${id}`;
    const link =
      id === undefined || isGone(change) ? {} : { link: { path: '/settings/projects', query: { name: id } } };
    if (part === undefined) return { did: DID[change.method]!, what: project, ...link };
    if (part === 'key') return { did: 'gave', what: `${project} a new key`, ...link };
    if (part === 'webhook-secret') return { did: 'gave', what: `${project} a new webhook secret`, ...link };
    const webhooks = { link: { path: '/settings/webhooks' } };
    if (part === 'dead-letters' && rest.at(-1) === 'resend')
      return { did: 'sent', what: `events of ${project} again`, ...webhooks };
    if (part === 'disabled-urls') return { did: 'enabled', what: `a URL of ${project}`, ...webhooks };
    return undefined;
  },
};

const named =
  (kind: string, one: string): Reader =>
  ([name, ...rest], change) =>
    name === undefined || rest.length > 0
      ? undefined
      : {
          did: DID[change.method]!,
          what: `the ${one} ${name}`,
          ...(isGone(change) ? {} : { link: { path: `/settings/${kind}`, query: { name } } }),
        };

const KINDS: Readonly<Record<string, string>> = {
  numbers: 'number',
  users: 'user',
  routes: 'route',
  schedules: 'schedule',
};

const readerOf = (kind: string): Reader | undefined => {
  if (Object.hasOwn(KINDS, kind)) return named(kind, KINDS[kind]!);
  return Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
};

/** An unknown change is described by its method and path. */
export function readChange(change: AuditEntryData): ReadChange {
  const order = Object.hasOwn(ORDERS, change.what) ? ORDERS[change.what] : undefined;
  if (order !== undefined) return { did: '', what: order };
  const [method = '', path = ''] = change.what.split(/ (.*)/s);
  const [kind = '', ...parts] = path.split('/').filter((part) => part !== '');
  const read = Object.hasOwn(DID, method) ? readerOf(kind)?.(parts, { ...change, method }) : undefined;
  return read ?? { did: '', what: change.what };
}

/** `ann in the studio (192.0.2.7)` */
export const whoDid = ({ who, via, remote }: AuditEntryData): string =>
  `${who === BY_LINK ? 'setup link' : who}${via === 'studio' ? ' in the studio' : ''}${remote === undefined ? '' : ` (${remote})`}`;

/** Filter: matches any part of the line. */
export const isWanted = (change: AuditEntryData, wanted: string): boolean => {
  const { did, what } = readChange(change);
  return `${whoDid(change)} ${did} ${what} ${(change.keys ?? []).join(' ')}`
    .toLowerCase()
    .includes(wanted.trim().toLowerCase());
};
