/**
 * Authenticates projects by basic credentials `app_id:app_key`.
 *
 * Invariants
 * A1 an unknown project takes as much time as a wrong key, so that they cannot be distinguished;
 * - valid credentials are cached by their keyed hash, so that requests do not run scrypt; an entry becomes invalid when
 * the project's hash changes;
 * - one check runs at a time, and request sources take turns (`check-queue.ts`).
 */
import { hash, randomBytes } from 'node:crypto';
import { keyMatches } from '../calls/projects/project-key.ts';
import type { Project } from '../calls/projects/project-store.ts';
import type { Projects } from '../calls/projects/projects.ts';
import { ApiError } from './api-error.ts';
import { CheckQueue } from './check-queue.ts';

const MAX_CACHED = 10_000;
/** Longer headers are invalid: ids and keys have 43 characters each. */
const MAX_HEADER_LENGTH = 1024;

export interface KeyHolder {
  project: Project;
  keyHash: string;
}

export type BasicAuth = ReturnType<typeof createBasicAuth>;

export function createBasicAuth(projects: Pick<Projects, 'find' | 'isKeyHash' | 'keyHashesOf'>) {
  // Prefixing the secret is sufficient here, because the hashes never leave the process.
  const pepper = randomBytes(32).toString('hex');
  const remembered = new Map<string, { projectId: string; keyHash: string }>();
  const checks = new CheckQueue();
  const markOf = (header: string): string => hash('sha256', pepper + header, 'base64');

  const known = (header: string | undefined): Project | undefined => {
    if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
    const found = remembered.get(markOf(header));
    const project = found && projects.find(found.projectId);
    return project && projects.isKeyHash(project, found.keyHash) ? project : undefined;
  };

  return {
    /** Returns the project if the credentials are cached. Does not run scrypt. */
    known,
    /** Returns the project, also for new credentials. Throws `unauthorized`. `source`: address of the client. */
    async check(header: string | undefined, source = ''): Promise<Project> {
      return known(header) ?? (await checkNew(header, source)).project;
    },
    /**
     * Like `check`, with the hash of the key, so that a session can end together with its key. Throws `unauthorized`.
     */
    async checkKey(header: string | undefined, source = ''): Promise<KeyHolder> {
      const project = known(header);
      return project ? { project, keyHash: remembered.get(markOf(header!))!.keyHash } : checkNew(header, source);
    },
  };

  async function checkNew(header: string | undefined, source: string): Promise<KeyHolder> {
    const credentials = credentialsOf(header);
    if (header === undefined || !credentials) throw unauthorized();
    const project = projects.find(credentials.id);
    const keyHash = await checks.run(source, () => matching(credentials.key, projects.keyHashesOf(credentials.id)));
    if (!project || keyHash === undefined) throw unauthorized();
    if (remembered.size >= MAX_CACHED) remembered.clear();
    remembered.set(markOf(header), { projectId: project.projectId, keyHash });
    return { project, keyHash };
  }
}

/** Hash that matches the key. All hashes are tried, so that the duration reveals nothing. */
async function matching(key: string, hashes: readonly string[]): Promise<string | undefined> {
  let found: string | undefined;
  for (const each of hashes) if (await keyMatches(key, each)) found = each;
  return found;
}

const unauthorized = (): ApiError =>
  new ApiError('unauthorized', 'not authorized', {
    hint: 'send the header Authorization: Basic base64(app_id:app_key)',
    headers: { 'www-authenticate': 'Basic realm="callweave", charset="UTF-8"' },
  });

/** RFC 7617 §2: the id contains no colon, the key may. */
function credentialsOf(header: string | undefined): { id: string; key: string } | undefined {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header.trim())?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { id: text.slice(0, colon), key: text.slice(colon + 1) };
}
