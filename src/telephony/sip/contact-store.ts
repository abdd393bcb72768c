/** Port: the contacts of our users. In this process, or in `store/` where nodes share them. Neighbour: `registrar.ts`. */
import type { Clock } from '../../core/clock.ts';
import type { Peer } from './transport.ts';

export interface RegisteredContact {
  uri: string;
  /** The source of the REGISTER. */
  peer: Peer;
  /** RFC 3327: the way to the phone; empty: without one. */
  path: readonly string[];
  /** This process took the REGISTER, and has the connection that it came by. */
  isHere: boolean;
  leftMs: number;
}

/** One REGISTER. */
export interface ContactChange {
  callId: string;
  cseq: number;
  /** RFC 3261 §10.2.2: all contacts are removed. */
  isForAll: boolean;
  /** 0 ms: removed. */
  contacts: readonly { key: string; uri: string; expiresMs: number }[];
  peer: Peer;
  path: readonly string[];
  /** So many of a user are kept; the oldest give way. */
  most: number;
}

/** `old`: it was overtaken, and changes nothing (§10.3 step 7). Undefined: it cannot be written now. */
export type ContactOutcome = 'done' | 'old' | undefined;

export interface ContactStore {
  /** The live contacts of a user, the latest first; from memory. */
  of(user: string): RegisteredContact[];
  /** Those who have contacts. */
  users(): string[];
  /** Calls back at once where it is written here. */
  change(user: string, change: ContactChange, done: (outcome: ContactOutcome) => void): void;
  forget(user: string): void;
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
      [...liveOf(user).values()].reverse().map(({ uri, peer, path, untilMs }) => {
        return { uri, peer, path, isHere: true, leftMs: untilMs - clock.monotonicMs() };
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
        contacts.delete(key);
        if (expiresMs === 0) continue;
        contacts.set(key, { uri, peer, path, callId, cseq, untilMs: clock.monotonicMs() + expiresMs });
        if (contacts.size > most) contacts.delete(contacts.keys().next().value as string);
      }
      users.set(user, contacts);
      done('done');
    },
    forget: (user) => void users.delete(user),
  };
}
