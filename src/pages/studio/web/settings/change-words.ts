/** Describes an entry of the audit log, with links to the changed object. Pure; used by `changes.tsx`. */

import { t } from '../../../shared/web/words/translate.ts';
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

const DID: Readonly<Record<string, string>> = {
  PUT: t('saved'),
  PATCH: t('changed'),
  POST: t('made'),
  DELETE: t('removed'),
};

const isGone = ({ method }: { method: string }): boolean => method === 'DELETE';

/** Changes to versions that are not live, by method and path segment. */
const CANDIDATES: Readonly<Record<string, string>> = {
  'POST versions': t('kept a version'),
  'PUT canary': t('gave some callers a version'),
  'DELETE canary': t('ended the canary'),
  'POST publish': t('published a version'),
};

/** Link to the comparison of a flow's versions, if both are known and differ. */
const moved = (path: string, { before, after }: AuditEntryData): { versions?: StudioLink } =>
  before === undefined || after === undefined || before === after
    ? {}
    : { versions: { path: `${path}/versions`, query: { before, after } } };

/** Changes to the service as a whole, by method and path. A reload caused by a signal has no method. */
const ORDERS: Readonly<Record<string, string>> = {
  'POST /drain': t('began to drain the service'),
  'DELETE /drain': t('took new calls again'),
  'POST /reload': t('reloaded the configuration'),
  reload: t('reloaded the configuration'),
  'POST /studio/session': t('accepted an invitation'),
};

const ADMINISTRATORS: Reader = ([name, part], change) => {
  if (name === undefined) return undefined;
  const { method } = change;
  const what = t('the administrator {name}', { name });
  const link = { link: { path: '/settings/administrators', query: { name } } };
  if (part === 'invitation') return { did: t('invited'), what, ...link };
  if (part === 'token')
    return { did: method === 'DELETE' ? t('revoked the access of') : t('gave a new token to'), what, ...link };
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
      return {
        did: isNew ? t('made') : DID[change.method]!,
        what: t('the flow {name}', { name }),
        ...shown,
        ...moved(path, change),
      };
    }
    const candidate = CANDIDATES[`${change.method} ${part}`];
    if (candidate !== undefined)
      return { did: candidate, what: t('of the flow {name}', { name }), ...shown, ...moved(path, change) };
    if (part !== 'tests' || rest.length === 0) return undefined;
    const file = rest.join('/');
    const link = { path: `${path}/tests`, query: { test: file } };
    return {
      did: DID[change.method]!,
      what: t('the test {file} of {name}', { file, name }),
      ...(isGone(change) ? {} : { link }),
    };
  },
  prompts: ([name, language], change) =>
    name === undefined || language === undefined
      ? undefined
      : {
          did: DID[change.method]!,
          what: t('the prompt {name} in {language}', { name, language }),
          ...(isGone(change) ? {} : { link: { path: '/settings/prompts', query: { name, language } } }),
        },
  projects: ([id, part, ...rest], change) => {
    const project = id === undefined ? t('a project') : t('the project {id}', { id });
    const link =
      id === undefined || isGone(change) ? {} : { link: { path: '/settings/projects', query: { name: id } } };
    if (part === undefined) return { did: DID[change.method]!, what: project, ...link };
    if (part === 'key') return { did: t('gave'), what: t('{project} a new key', { project }), ...link };
    if (part === 'webhook-secret')
      return { did: t('gave'), what: t('{project} a new webhook secret', { project }), ...link };
    const webhooks = { link: { path: '/settings/webhooks' } };
    if (part === 'dead-letters' && rest.at(-1) === 'resend')
      return { did: t('sent'), what: t('events of {project} again', { project }), ...webhooks };
    if (part === 'disabled-urls') return { did: t('enabled'), what: t('a URL of {project}', { project }), ...webhooks };
    return undefined;
  },
};

const named =
  (kind: string, whatOf: (name: string) => string): Reader =>
  ([name, ...rest], change) =>
    name === undefined || rest.length > 0
      ? undefined
      : {
          did: DID[change.method]!,
          what: whatOf(name),
          ...(isGone(change) ? {} : { link: { path: `/settings/${kind}`, query: { name } } }),
        };

const KINDS: Readonly<Record<string, (name: string) => string>> = {
  numbers: (name) => t('the number {name}', { name }),
  users: (name) => t('the user {name}', { name }),
  routes: (name) => t('the route {name}', { name }),
  schedules: (name) => t('the schedule {name}', { name }),
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
export function whoDid({ who, via, remote }: AuditEntryData): string {
  const person = who === BY_LINK ? t('setup link') : who;
  const place = via === 'studio' ? t('{who} in the studio', { who: person }) : person;
  return remote === undefined ? place : `${place} (${remote})`;
}

/** Filter: matches any part of the line. */
export const isWanted = (change: AuditEntryData, wanted: string): boolean => {
  const { did, what } = readChange(change);
  return `${whoDid(change)} ${did} ${what} ${(change.keys ?? []).join(' ')}`
    .toLowerCase()
    .includes(wanted.trim().toLowerCase());
};
