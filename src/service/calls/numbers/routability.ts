/** Checks that a route, a user or an allowed host matches a destination, before a call is accepted. */
import { normalizeNumber } from './numbers.ts';

export interface RoutabilityOptions {
  /** Prefixes of numbers that are routed to a carrier. */
  routes(): readonly { prefix: string }[];
  /** True if there is such a user. Case-insensitive. */
  hasUser(name: string): boolean;
  /** Hosts allowed in SIP URIs, in lower case. */
  allowSipUris(): readonly string[];
}

export function createRoutability({ routes, hasUser, allowSipUris }: RoutabilityOptions): (to: string) => boolean {
  return (to) => {
    if (/^user:/i.test(to)) return hasUser(to.slice('user:'.length));
    if (/^sips?:/i.test(to)) {
      const host = /^sips?:(?:[^@]*@)?(?:\[([^\]]+)\]|([^:;?]+))/i.exec(to);
      return allowSipUris().includes((host?.[1] ?? host?.[2] ?? '').toLowerCase());
    }
    const plus = /^(tel:)?\s*\+/i.test(to) ? '+' : '';
    const number = plus + normalizeNumber(to.replace(/^tel:/i, ''));
    return routes().some(({ prefix }) => number.startsWith(prefix));
  };
}
