/**
 * Port: contacts of local users. Implemented in this process, or in `store/` if nodes share them. `registrar.ts` uses
 * it.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { Peer } from './transport.ts';

export interface RegisteredContact {
  uri: string;
  /** Source of the REGISTER. */
  peer: Peer;
  /** RFC 3327: path to the phone; empty if there is none. */
  path: readonly string[];
  /** True if this process received the REGISTER, and has its connection. */
  isHere: boolean;
  leftMs: number;
  /** First REGISTER of this contact, in milliseconds since 1970. Absent if it is not known. */
  sinceMs?: number;
}

/** One REGISTER. */
export interface ContactChange {
  callId: string;
  cseq: number;
  /** RFC 3261 §10.2.2: removes all contacts. */
  isForAll: boolean;
  /** An expiry of 0 ms removes the contact. */
  contacts: readonly { key: string; uri: string; expiresMs: number }[];
  peer: Peer;
  path: readonly string[];
  /** Maximum number of contacts of a user; the oldest are removed. */
  most: number;
}

/**
 * `old`: a newer REGISTER was processed already, and this one has no effect (§10.3 step 7). Undefined: the store is not
 * writable now.
 */
export type ContactOutcome = 'done' | 'old' | undefined;

export interface ContactStore {
  /** Live contacts of a user, newest first; from memory. */
  of(user: string): RegisteredContact[];
  /** Users with contacts. */
  users(): string[];
  /** Calls back synchronously if the store is in this process. */
  change(user: string, change: ContactChange, done: (outcome: ContactOutcome) => void): void;
  forget(user: string): void;
}

/** Returns the sources of registered phones. */
export function* registeredPeers(contacts: ContactStore): Iterable<{ user: string; peer: Peer }> {
  for (const user of contacts.users()) for (const { peer } of contacts.of(user)) yield { user, peer };
}

type Kept = Omit<RegisteredContact, 'leftMs' | 'isHere'> & Pick<ContactChange, 'callId' | 'cseq'> & { untilMs: number };

export function localContacts(clock: Clock): ContactStore {
  const users = new Map<string, Map<string, Kept>>();
  const liveOf = (user: string): Map<string, Kept> => {
    const contacts = users.get(user) ?? new Map<string, Kept>();
    for (const [key, contact] of contacts) if (contact.untilMs <= clock.monotonicMs()) contacts.delete(key);
    if (contacts.size === 0) users.delete(user);
    return contacts;
  };
  return {
    of: (user) =>
      [...liveOf(user).values()].reverse().map(({ uri, peer, path, untilMs, sinceMs = clock.now() }) => {
        return { uri, peer, path, isHere: true, leftMs: untilMs - clock.monotonicMs(), sinceMs };
      }),
    users: () => [...users.keys()].filter((user) => liveOf(user).size > 0),
    change(user, { callId, cseq, isForAll, contacts: changes, peer, path, most }, done) {
      const before = liveOf(user);
      if ([...before.values()].some((contact) => contact.callId === callId && cseq <= contact.cseq)) {
        done('old');
        return;
      }
      const contacts = isForAll ? new Map<string, Kept>() : before;
      for (const { key, uri, expiresMs } of changes) {
        const sinceMs = contacts.get(key)?.sinceMs ?? clock.now();
        contacts.delete(key);
        if (expiresMs === 0) continue;
        contacts.set(key, { uri, peer, path, callId, cseq, sinceMs, untilMs: clock.monotonicMs() + expiresMs });
        if (contacts.size > most) contacts.delete(contacts.keys().next().value as string);
      }
      users.set(user, contacts);
      done('done');
    },
    forget: (user) => void users.delete(user),
  };
}
