/** SIP address of a number of this service. `phone-dialog.tsx` shows it. */
import { session } from '../shell/session.ts';

/** Address such as `sip:1000@127.0.0.1:5060`. Undefined if the service does not accept SIP calls. */
export function phoneAddress(number: string): string | undefined {
  const reached = typeof session.value === 'object' ? session.value.sip : undefined;
  if (reached === undefined) return undefined;
  // `location.hostname` of an IPv6 address already has brackets.
  const { host = location.hostname, port } = reached;
  return `sip:${number}@${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}
