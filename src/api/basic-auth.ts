/**
 * Basic credentials `app_id:app_key` → project.
 *
 * Invariants
 *  A1 an unknown project costs as much time as a wrong key: neither can be told from the other;
 *  A2 a credential that was right is remembered by its keyed hash, so that requests do not pay for scrypt; it is
 *     forgotten when the project's hash changes;
 *  A3 one check runs at a time, and a few wait: guessing cannot take the threads that live calls need.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { keyMatches } from '../calls/project-key.ts';
import type { Project, ProjectStore } from '../calls/project-store.ts';
import { ApiError } from './api-error.ts';

const MOST_REMEMBERED = 10_000;
const MOST_CHECKS = 1;
const MOST_WAITING = 50;
/** Longer ones are not ours: an id and a key of 43 characters. */
const LONGEST_HEADER = 1024;

export interface BasicAuth {
  /** The project whose credentials these are; throws the problem `unauthorized`. */
  check(header: string | undefined): Promise<Project>;
}

export interface KnownProjects extends Pick<ProjectStore, 'find'> {
  /** Checked in place of the hash of a project that is not there. */
  readonly decoyHash: string;
}

export function createBasicAuth(projects: KnownProjects): BasicAuth {
  const pepper = randomBytes(32);
  const remembered = new Map<string, string>();
  const turns = new CheckQueue(MOST_CHECKS, MOST_WAITING);

  return {
    async check(header) {
      const credentials = credentialsOf(header);
      if (!credentials) throw unauthorized();
      const project = projects.find(credentials.id);
      const mark = createHmac('sha256', pepper).update(`${credentials.id}:${credentials.key}`).digest('base64');
      if (project && remembered.get(mark) === project.keyHash) return project;
      const right = await turns.run(() => keyMatches(credentials.key, project?.keyHash ?? projects.decoyHash));
      if (!project || !right) throw unauthorized();
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(mark, project.keyHash);
      return project;
    },
  };
}

const unauthorized = (): ApiError =>
  new ApiError('unauthorized', 'not authorized', {
    hint: 'send the header Authorization: Basic base64(app_id:app_key)',
    headers: { 'www-authenticate': 'Basic realm="callweave", charset="UTF-8"' },
  });

/** RFC 7617 §2: the id holds no colon, the key may. */
function credentialsOf(header: string | undefined): { id: string; key: string } | undefined {
  if (header === undefined || header.length > LONGEST_HEADER) return undefined;
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header.trim())?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { id: text.slice(0, colon), key: text.slice(colon + 1) };
}

/** Lets a few work at once and a few more wait. */
class CheckQueue {
  readonly #most: number;
  readonly #mostWaiting: number;
  #running = 0;
  #waiting: (() => void)[] = [];

  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) {
      if (this.#waiting.length >= this.#mostWaiting) {
        throw new ApiError('too_many_requests', 'too many sign-ins at once', { headers: { 'retry-after': '1' } });
      }
      // Who ends hands its place on, so the count stays as it is.
      await new Promise<void>((go) => this.#waiting.push(go));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
