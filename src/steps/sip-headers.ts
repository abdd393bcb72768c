/** The SIP headers of steps: checked where they are sent, because templates may have made anything of them. */
import { FaultError, fault } from '../core/fault.ts';
import type { Json } from '../core/json.ts';
import { readSipHeaders, type SipHeaders, someHeaders } from '../core/sip-headers.ts';
import type { StepContext } from './step.ts';

/** Throws where one of them must not be sent: the outcome is `error`, and nothing is sent. */
export function headersToSend(written: Json | undefined): SipHeaders | undefined {
  const { headers, problems } = readSipHeaders(written);
  if (problems[0]) throw new FaultError(fault('header_refused', problems[0].message));
  return someHeaders(headers);
}

/** For an answer or an end, which nothing holds up: what must not be sent is left out, and in the log of the call. */
export function sendableHeaders(context: StepContext, written: Json | undefined): { headers?: SipHeaders } {
  const { headers, problems } = readSipHeaders(written);
  for (const { message } of problems) context.log('warn', 'a SIP header is not sent', { why: message });
  const some = someHeaders(headers);
  return some === undefined ? {} : { headers: some };
}
