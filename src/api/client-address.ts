/**
 * Address of the client of a request. Behind the proxies of the configuration (`http.trusted_proxies`) that is the last
 * address of `X-Forwarded-For` that is not one of theirs: all before it can be written by the client. Limits for each
 * source, the trail of administrators and what rooms show of their people use it.
 *
 * Invariant: a header from anybody but a trusted proxy changes nothing.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isWithin, networksOf } from '../core/networks.ts';

export interface ClientAddresses {
  of(request: Pick<IncomingMessage, 'socket' | 'headers'>): string;
  /** Connections from there are of many clients. */
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

/** Some proxies write the port, too, and brackets around IPv6. */
function addressIn(written = ''): string | undefined {
  const text = written.trim();
  const address = /^\[(.*)\](:\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}
