/** SIP headers as people read them, here and in the browser: their rules (`sip-headers.ts`) are not needed there. */
import type { SipHeaders } from './sip-headers.ts';

/** Behind a text: ` (X-Customer: 17)`. */
export function withHeaders(headers: SipHeaders | undefined): string {
  if (headers === undefined) return '';
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ` (${lines.join(', ')})`;
}
