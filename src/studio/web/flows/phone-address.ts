/** Where a telephone reaches a number of this service. Neighbour: `phone-dialog.tsx` tells people. */
import { session } from '../shell/session.ts';

/** `sip:1000@127.0.0.1:5060`; undefined where the service takes no calls by SIP. */
export function phoneAddress(number: string): string | undefined {
  const reached = typeof session.value === 'object' ? session.value.sip : undefined;
  if (reached === undefined) return undefined;
  // The host of this page has its brackets already.
  const { host = location.hostname, port } = reached;
  return `sip:${number}@${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}
