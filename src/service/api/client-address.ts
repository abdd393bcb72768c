/**
 * Address of the client of a request. Behind configured proxies (`http.trusted_proxies`), it is the last address in
 * `X-Forwarded-For` that is not a proxy; the client can forge all addresses before it. Used by limits for each source,
 * the audit log, and rooms.
 *
 * Invariant: the header is ignored unless it comes from a trusted proxy.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isWithin, networksOf } from '../../base/core/networks.ts';

export interface ClientAddresses {
  of(request: Pick<IncomingMessage, 'socket' | 'headers'>): string;
  /** True if connections from the address carry requests of many clients. */
  isProxy(address: string): boolean;
}

export function clientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const networks = networksOf(trustedProxies);
  const isProxy = (address: string): boolean => isWithin(networks, address);
  return {
    isProxy,
    of({ socket, headers }) {
      let address = socket.remoteAddress ?? '';
      const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
      while (isProxy(address)) {
        const before = addressIn(forwarded.pop());
        if (before === undefined) break;
        address = before;
      }
      return address;
    },
  };
}

/** Some proxies append the port and put IPv6 in brackets. */
function addressIn(written = ''): string | undefined {
  const text = written.trim();
  const address = /^\[(.*)\](:\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}
