/**
 * Sockets that listen on all addresses of this machine. One bound to `::` serves both families, and shows IPv4 in a
 * form of its own (RFC 4291 §2.5.5.2): `::ffff:192.0.2.1`. Above the sockets, addresses have their usual form.
 */
import { isIP } from 'node:net';

export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** The form that a socket bound to `bound` accepts. */
export const socketAddress = (address: string, bound: string): string =>
  bound === '::' && isIP(address) === 4 ? `::ffff:${address}` : address;

/** Whether a socket bound to `bound` can send there. */
export const canReach = (bound: string, address: string): boolean => bound === '::' || isIP(bound) === isIP(address);
