/** SIP headers of steps, checked at the time they are sent, because templates may have produced any value. */
import { FaultError, fault } from '../../base/core/fault.ts';
import type { Json } from '../../base/core/json.ts';
import { readSipHeaders, type SipHeaders, someHeaders } from '../../base/core/sip-headers.ts';
import type { StepContext } from './step.ts';

/** Throws if a header is not allowed, so that the outcome is `error` and no request is sent. */
export function headersToSend(written: Json | undefined): SipHeaders | undefined {
  const { headers, problems } = readSipHeaders(written);
  if (problems[0]) throw new FaultError(fault('header_refused', problems[0].message));
  return someHeaders(headers);
}

/** For an answer or a hang-up, which must not fail: headers that are not allowed are omitted and logged. */
export function sendableHeaders(context: StepContext, written: Json | undefined): { headers?: SipHeaders } {
  const { headers, problems } = readSipHeaders(written);
  for (const { message } of problems) context.log('warn', 'a SIP header is not sent', { why: message });
  const some = someHeaders(headers);
  return some === undefined ? {} : { headers: some };
}
