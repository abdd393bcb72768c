/** The Reason header (RFC 3326): why the far end ends a call, as a Q.850 cause. */
import { type Cause, causeOf } from '../../core/causes.ts';
import { listOf, type SipRequest, type SipResponse } from './message.ts';

/** The Q.850 cause in the far end's BYE, CANCEL or refusal. */
export function reasonOf(request: SipRequest | SipResponse): Cause | undefined {
  for (const value of listOf(request, 'reason')) {
    const match = /^Q\.850\s*;(?:.*;)?\s*cause\s*=\s*(\d{1,3})/i.exec(value);
    if (match) return causeOf(Number(match[1]));
  }
  return undefined;
}
