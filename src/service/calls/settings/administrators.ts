/**
 * Tokens of administrators: their names and roles. Neighbours: the configuration holds the tokens,
 * `service/api/admin-auth.ts` reads them from requests.
 *
 * Invariants
 *  A1 Tokens are compared by their hashes, in constant time, and with all of them, so that timing reveals nothing.
 *  - A token removed by a reload is unknown from then on, also by its mark.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** `read`: read-only access to everything. */
export type AdminRole = 'full' | 'read';

export interface AdminToken {
  readonly name: string;
  readonly role: AdminRole;
  readonly token: string;
}

export interface Administrator {
  name: string;
  role: AdminRole;
  /** Identifies the token; absent for access without one. */
  mark?: string;
}

export interface Administrators {
  /** True if at least one token is configured. */
  readonly isConfigured: boolean;
  withToken(given: string): Administrator | undefined;
  /** Current role of the token. Undefined if it was removed. */
  withMark(mark: string): Administrator | undefined;
}

/** `tokens` is called each time, because a reload replaces them. */
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
