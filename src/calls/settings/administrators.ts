/**
 * The tokens of administrators: which of them is whose, and what it may do. Neighbours: the configuration has the tokens,
 * `api/admin/admin-auth.ts` reads them from requests.
 *
 * Invariants
 *  A1 tokens are compared by their hashes, in constant time, and with all of them, so that time says nothing;
 *  - a token that a reload has taken away is unknown from then on, also by its mark.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** `read` may look at everything, and changes nothing. */
export type AdminRole = 'full' | 'read';

export interface AdminToken {
  readonly name: string;
  readonly role: AdminRole;
  readonly token: string;
}

export interface Administrator {
  name: string;
  role: AdminRole;
  /** Stands for the token; absent for those who came in without one. */
  mark?: string;
}

export interface Administrators {
  /** There is a token. */
  readonly isConfigured: boolean;
  withToken(given: string): Administrator | undefined;
  /** As the token is in force now; undefined when it is gone. */
  withMark(mark: string): Administrator | undefined;
}

/** `tokens` are asked for each time: a reload puts others in their place. */
export function createAdministrators(tokens: () => readonly AdminToken[]): Administrators {
  const key = randomBytes(32);
  const markOf = (token: string): Buffer => createHmac('sha256', key).update(token).digest();
  let known: readonly AdminToken[] | undefined;
  let marked: { administrator: Administrator; bytes: Buffer }[] = [];

  const all = (): typeof marked => {
    const now = tokens();
    if (now !== known) {
      known = now;
      marked = now.map(({ name, role, token }) => {
        const bytes = markOf(token);
        return { administrator: { name, role, mark: bytes.toString('base64') }, bytes };
      });
    }
    return marked;
  };

  return {
    get isConfigured() {
      return tokens().length > 0;
    },
    withToken(given) {
      const bytes = markOf(given);
      return all().filter((each) => timingSafeEqual(each.bytes, bytes))[0]?.administrator;
    },
    withMark: (mark) => all().find(({ administrator }) => administrator.mark === mark)?.administrator,
  };
}
