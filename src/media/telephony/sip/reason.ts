/** Reason header (RFC 3326): the Q.850 cause for which one side ends a call, or that another phone answered it. */
import { type Cause, causeOf, NOT_SELECTED } from '../../../base/core/causes.ts';
import { type HeaderLine, listOf, type SipRequest, type SipResponse } from './message.ts';

/** Reason of a CANCEL, so that the phone shows no missed call (RFC 3326 §2). */
const COMPLETED_ELSEWHERE: HeaderLine = ['Reason', 'SIP;cause=200;text="Call completed elsewhere"'];

/** Returns the headers of the CANCEL of a call that ends with this Q.850 cause. */
export const cancelLines = (cause: number, headers: readonly HeaderLine[] = []): readonly HeaderLine[] =>
  cause === NOT_SELECTED.code ? [...headers, COMPLETED_ELSEWHERE] : headers;

/** Returns the cause in the far end's CANCEL, which may say that another phone has answered. */
export function cancelReasonOf(cancel: SipRequest): Cause | undefined {
  const isElsewhere = listOf(cancel, 'reason').some((value) => /^SIP\s*;(?:.*;)?\s*cause\s*=\s*200\b/i.test(value));
  return reasonOf(cancel) ?? (isElsewhere ? NOT_SELECTED : undefined);
}

/** Returns the Q.850 cause in the far end's BYE, CANCEL or refusal. */
export function reasonOf(request: SipRequest | SipResponse): Cause | undefined {
  for (const value of listOf(request, 'reason')) {
    const match = /^Q\.850\s*;(?:.*;)?\s*cause\s*=\s*(\d{1,3})/i.exec(value);
    if (match) return causeOf(Number(match[1]));
  }
  return undefined;
}
