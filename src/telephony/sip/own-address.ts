/** What we are called by others, where the configuration names no address of its own for that. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** 0: a name, which may have both. */
export const familyOf = (host: string): 0 | 4 | 6 => (isIP(host) === 0 ? 0 : isIP(host) === 6 ? 6 : 4);

/** An address that others can answer to, where we listen on all. */
export function reachable(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host;
  const family = host === '::' ? 'IPv6' : 'IPv4';
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = addresses.find((one) => one.family === family && !one.internal && !one.address.startsWith('fe80'));
  return outside?.address ?? (family === 'IPv6' ? '::1' : '127.0.0.1');
}
