/** Whether there is a way to a destination, as far as the configuration tells: asked before a call is promised to anybody. */
import { dialled } from './numbers.ts';

export interface Ways {
  /** Numbers that begin so go to a carrier. */
  routes: readonly { prefix: string }[];
  users: readonly { name: string }[];
  /** Hosts, lower-case, that SIP URIs may name. */
  allowSipUris: readonly string[];
}

export function createReach({ routes, users, allowSipUris }: Ways): (to: string) => boolean {
  const names = new Set(users.map(({ name }) => name.toLowerCase()));
  return (to) => {
    if (/^user:/i.test(to)) return names.has(to.slice('user:'.length).toLowerCase());
    if (/^sips?:/i.test(to)) {
      const host = /^sips?:(?:[^@]*@)?(?:\[([^\]]+)\]|([^:;?]+))/i.exec(to);
      return allowSipUris.includes((host?.[1] ?? host?.[2] ?? '').toLowerCase());
    }
    const plus = /^(tel:)?\s*\+/i.test(to) ? '+' : '';
    const number = plus + dialled(to.replace(/^tel:/i, ''));
    return routes.some(({ prefix }) => number.startsWith(prefix));
  };
}
