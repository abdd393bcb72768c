/**
 * Sockets that listen on all addresses of this machine. A socket bound to `::` serves both families, and shows IPv4
 * addresses in mapped form (RFC 4291 §2.5.5.2): `::ffff:192.0.2.1`. Other layers use the plain form.
 */
import { isIP } from 'node:net';

export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Returns the form that a socket bound to `bound` accepts. */
export const socketAddress = (address: string, bound: string): string =>
  bound === '::' && isIP(address) === 4 ? `::ffff:${address}` : address;

/** True if a socket bound to `bound` can send to this address. */
export const canReach = (bound: string, address: string): boolean => bound === '::' || isIP(bound) === isIP(address);
