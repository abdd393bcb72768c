/** Whether a route, a user or an allowed host leads to a destination: checked before a call is accepted. */
import { normalizeNumber } from './numbers.ts';

export interface RoutabilityOptions {
  /** Numbers that begin so go to a carrier. */
  routes(): readonly { prefix: string }[];
  /** However it is written. */
  hasUser(name: string): boolean;
  /** Hosts, lower-case, that SIP URIs may name. */
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
