/**
 * Phones in Redis: used nonce counts, and registrations, which each node also holds in memory. While Redis is
 * unavailable no authentication succeeds, because a response might be a replay.
 */
import type { Clock } from '../../../../base/core/clock.ts';
import type { ContactStore, RegisteredContact } from '../../../../media/telephony/sip/contact-store.ts';
import type { NonceCounts } from '../../../../media/telephony/sip/nonce-counts.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import { inTime } from '../connection/in-time.ts';
import { tagOf } from '../connection/shards.ts';
import type { SharedTable } from './shared-table.ts';

export function redisNonceCounts({ groups, clock }: { groups: CommandGroups; clock: Clock }): NonceCounts {
  return {
    take(nonce, count, lifeMs, done) {
      const taken = groups.call('cw_nonce', tagOf(nonce), [nonce, `${count}`, `${lifeMs}`]);
      inTime(clock, taken, (reply) => done(reply === undefined ? undefined : reply === 1));
    },
  };
}

/** Format of a contact in Redis. */
interface Kept {
  uri: string;
  untilMs: number;
  /** Absent in contacts of earlier versions. */
  sinceMs?: number;
  at: Pick<RegisteredContact, 'peer'> & { path: string[] | Record<string, never>; node: string };
}

/** `node`: epoch id of this node. */
export function redisContacts(table: SharedTable, { node, clock }: { node: string; clock: Clock }): ContactStore {
  const users = new Map<string, Kept[]>();
  const read = (user: string): void => {
    const text = table.get(user);
    if (text === undefined) users.delete(user);
    else users.set(user, JSON.parse(text) as Kept[]);
  };
  for (const [user] of table.entries()) read(user);
  table.onChange((fields) => fields.forEach(read));

  const liveOf = (user: string): Kept[] => (users.get(user) ?? []).filter(({ untilMs }) => untilMs > clock.now());
  return {
    of: (user) =>
      liveOf(user)
        .reverse()
        .map(({ uri, untilMs, sinceMs, at: { peer, path, node: taker } }) => ({
          // Lua encodes an empty list as an object.
          ...{ uri, peer, path: Array.isArray(path) ? path : [] },
          ...{ isHere: taker === node, leftMs: untilMs - clock.now() },
          ...(sinceMs === undefined ? {} : { sinceMs }),
        })),
    users: () => [...users.keys()].filter((user) => liveOf(user).length > 0),
    change(user, { callId, cseq, isForAll, contacts, peer, path, most }, done) {
      const where = JSON.stringify({ peer: { ...peer, names: undefined }, path, node });
      const changes = contacts.flatMap(({ key, uri, expiresMs }) => [key, uri, `${expiresMs}`]);
      const args = [user, callId, `${cseq}`, isForAll ? '1' : '0', `${most}`, where, ...changes];
      inTime(clock, table.call('cw_register', args), (reply) => {
        done(reply === undefined ? undefined : reply === 'OLD' ? 'old' : 'done');
      });
    },
    forget: (user) => void table.remove(user).catch(() => undefined),
  };
}
