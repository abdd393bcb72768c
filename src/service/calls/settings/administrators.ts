/**
 * Administrators: those of the configuration file, and those that other administrators have added, which the store
 * keeps. `service/api/admin-auth.ts` reads their tokens from requests; `administrator-sign-ins.ts` keeps their last
 * requests.
 *
 * Invariants
 *  A1 Tokens are compared by their hashes, in constant time, and with all of them, so that timing reveals nothing.
 *  - The store has hashes of tokens and of invitations only. Both have 256 random bits, so that a fast hash is enough.
 *  - A token that was removed or replaced is unknown from then on, also by its mark, which its sessions have.
 *  - An invitation is accepted once, on whichever node, until it expires.
 *  - No change takes away the last full administrator with a token, except one of the operator (`isOperator`), whose
 *    sign-in link needs no token.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/core/clock.ts';
import { defined } from '../../../base/core/json.ts';
import type { UsedTokens } from '../../../base/core/single-use-tokens.ts';
import { CallError } from '../call-error.ts';
import { serialQueue } from '../serial-queue.ts';
import { createSignIns } from './administrator-sign-ins.ts';
import { Collection } from './collection.ts';
import type { SettingStore } from './setting-store.ts';

/** `read`: read-only access to everything. */
export const ADMIN_ROLES = ['full', 'read'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** A token of the configuration file. */
export interface AdminToken {
  readonly name: string;
  readonly role: AdminRole;
  readonly token: string;
}

export interface Administrator {
  name: string;
  role: AdminRole;
  /** Identifies the credential; absent for access by the operator's link. */
  mark?: string;
}

/** An administrator as it is listed: no secrets. */
export interface ListedAdministrator {
  name: string;
  role: AdminRole;
  isConfigured: boolean;
  hasToken: boolean;
  /** End of the pending invitation, in milliseconds since 1970. */
  invitedUntilMs?: number;
  /** Last request, to within ten minutes. Absent if there was none. */
  lastSeenMs?: number;
  createdMs?: number;
  /** Name of the administrator that added it. */
  createdBy?: string;
}

/** An administrator that the store keeps. */
interface KeptAdministrator {
  name: string;
  role: AdminRole;
  /** Random; a new one ends all sessions. */
  mark: string;
  tokenHash?: string;
  invitation?: { hash: string; untilMs: number };
  createdMs: number;
  createdBy: string;
}

/** Author of a change. */
export interface ChangeAuthor {
  name: string;
  /** True if the author has signed in by a link of this machine. */
  isOperator: boolean;
}

/** A new credential, which can be read only now. */
export interface NewCredential {
  administrator: Administrator;
  token: string;
}

export interface AdministratorParts {
  store: SettingStore;
  used: UsedTokens;
  clock: Clock;
  /** True if the store must not be written. */
  isReadOnly?: boolean;
}

export type Administrators = ReturnType<typeof createAdministrators>;

const INVITATION_MS = 24 * 3_600_000;
const SECRET_BYTES = 32;

export const administratorKey = (name: string): string => name.toLowerCase();

/** `tokens`: those of the configuration file; `configure` replaces them. */
export function createAdministrators(tokens: readonly AdminToken[], parts: AdministratorParts) {
  const { store, used, clock, isReadOnly = false } = parts;
  const markKey = randomBytes(SECRET_BYTES);
  const configuredOf = (written: readonly AdminToken[]) =>
    written.map(({ name, role, token }): [string, KeptAdministrator] => {
      const mark = createHmac('sha256', markKey).update(token).digest('base64');
      return [administratorKey(name), { name, role, mark, tokenHash: hashOf(token), createdMs: 0, createdBy: '' }];
    });
  const people = new Collection<KeptAdministrator>({ kind: 'administrator', store, configured: configuredOf(tokens) });
  const signIns = createSignIns({ store, clock, isReadOnly });
  /** Changes run one after another, because each writes the whole entry. */
  const inTurn = serialQueue();

  const identityOf = ({ name, role, mark }: KeptAdministrator): Administrator => ({ name, role, mark });

  const seen = (found: KeptAdministrator | undefined): Administrator | undefined => {
    if (!found) return undefined;
    signIns.record(administratorKey(found.name));
    return identityOf(found);
  };

  /** Throws `unknown_setting` and `configured`. */
  const changeable = (name: string): KeptAdministrator => {
    const key = administratorKey(name);
    people.mayChange(key);
    return people.get(key).value;
  };

  const keep = async (entry: KeptAdministrator): Promise<void> =>
    people.put(administratorKey(entry.name), defined<KeptAdministrator>(entry));

  /** Throws `last_administrator` if `name` is the last full administrator with a token. */
  const mayLose = (name: string, by: ChangeAuthor): void => {
    if (by.isOperator) return;
    const isFull = ({ role, tokenHash }: KeptAdministrator): boolean => role === 'full' && tokenHash !== undefined;
    const key = administratorKey(name);
    const full = people.list().filter(({ value }) => isFull(value));
    if (full.length === 1 && full[0]!.key === key)
      throw new CallError('last_administrator', `${full[0]!.value.name} is the last full administrator with a token`, {
        hint: 'give another administrator the role full and a token first',
      });
  };

  const withNewToken = async ({ invitation: _, ...entry }: KeptAdministrator): Promise<NewCredential> => {
    const token = newSecret();
    const made = { ...entry, tokenHash: hashOf(token), mark: newSecret() };
    await keep(made);
    return { administrator: identityOf(made), token };
  };

  const listed = ({ key, value, isConfigured }: ReturnType<typeof people.get>): ListedAdministrator => {
    const { name, role, tokenHash, invitation, createdMs, createdBy } = value;
    const lastSeenMs = signIns.lastMs(key);
    const isPending = invitation !== undefined && invitation.untilMs > clock.now();
    return defined<ListedAdministrator>({
      ...{ name, role, isConfigured, hasToken: tokenHash !== undefined },
      invitedUntilMs: isPending ? invitation.untilMs : undefined,
      // An earlier administrator may have had the same name.
      lastSeenMs: lastSeenMs !== undefined && lastSeenMs >= createdMs ? lastSeenMs : undefined,
      ...(isConfigured ? {} : { createdMs, createdBy }),
    });
  };

  const isSame = (hash: string | undefined, other: string): boolean =>
    hash !== undefined && timingSafeEqual(Buffer.from(hash, 'base64'), Buffer.from(other, 'base64'));

  return {
    /** True if at least one token exists. */
    get isConfigured(): boolean {
      return people.values().some(({ tokenHash }) => tokenHash !== undefined);
    },
    /** Replaces the tokens of the configuration file. */
    configure: (written: readonly AdminToken[]): void => people.configure(configuredOf(written)),
    withToken(given: string): Administrator | undefined {
      const hash = hashOf(given);
      return seen(people.values().filter(({ tokenHash }) => isSame(tokenHash, hash))[0]);
    },
    /** The current name and role. Undefined if the credential was removed or replaced. */
    withMark: (mark: string): Administrator | undefined => seen(people.values().find((each) => each.mark === mark)),
    list: (): ListedAdministrator[] => people.list().map(listed),
    /** Throws `unknown_setting`. */
    get: (name: string): ListedAdministrator => listed(people.get(administratorKey(name))),
    /** Adds an administrator without a credential, or changes its role. */
    put: (name: string, role: AdminRole, by: ChangeAuthor): Promise<void> =>
      inTurn(async () => {
        const key = administratorKey(name);
        people.mayChange(key);
        const found = people.find(key)?.value;
        if (found?.role === 'full' && role !== 'full') mayLose(name, by);
        await keep(
          found ? { ...found, role } : { name, role, mark: newSecret(), createdMs: clock.now(), createdBy: by.name },
        );
      }),
    /** Creates an invitation, which replaces the earlier one. The present token stays valid until it is accepted. */
    invite: (name: string): Promise<{ code: string; untilMs: number }> =>
      inTurn(async () => {
        const code = newSecret();
        const untilMs = clock.now() + INVITATION_MS;
        await keep({ ...changeable(name), invitation: { hash: hashOf(code), untilMs } });
        return { code, untilMs };
      }),
    /** Creates a token. The earlier token, its sessions and the invitation end at once. */
    renewToken: (name: string): Promise<NewCredential> => inTurn(async () => withNewToken(changeable(name))),
    /** Ends the token, its sessions and the invitation. */
    revoke: (name: string, by: ChangeAuthor): Promise<void> =>
      inTurn(async () => {
        const { tokenHash: _, invitation: _invitation, ...entry } = changeable(name);
        mayLose(name, by);
        await keep({ ...entry, mark: newSecret() });
      }),
    remove: (name: string, by: ChangeAuthor): Promise<void> =>
      inTurn(async () => {
        changeable(name);
        mayLose(name, by);
        await people.remove(administratorKey(name));
        await signIns.forget(administratorKey(name));
      }),
    /** Uses up the code of an invitation, for a new token. Undefined if the code is unknown, used or expired. */
    accept: (code: string): Promise<NewCredential | undefined> =>
      inTurn(async () => {
        const hash = hashOf(code);
        const found = people.list().filter(({ value }) => isSame(value.invitation?.hash, hash))[0];
        const expiresMs = found?.value.invitation?.untilMs ?? 0;
        if (!found || found.isConfigured || isReadOnly || expiresMs <= clock.now()) return undefined;
        const isFirst = await new Promise<boolean | undefined>((resolve) => {
          used.use({ tokenId: `invitation ${hash}`, expiresMs, nowMs: clock.now() }, resolve);
        });
        return isFirst ? withNewToken(found.value) : undefined;
      }),
  };
}

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64');
