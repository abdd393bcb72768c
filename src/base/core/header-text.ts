/** Text form of SIP headers for people, also used in the browser, which does not need the rules in `sip-headers.ts`. */
import type { SipHeaders } from './sip-headers.ts';

/** Suffix of a text: ` (X-Customer: 17)`. */
export function withHeaders(headers: SipHeaders | undefined): string {
  if (headers === undefined) return '';
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ` (${lines.join(', ')})`;
}
