/** The SIP headers in bodies of requests and in answers to events, as calls take them. */
import type { Json } from '../core/json.ts';
import { readSipHeaders, type SipHeaders, someHeaders } from '../core/sip-headers.ts';
import { ApiError } from './api-error.ts';

/** Throws what is wrong with them; the value of none is repeated. `key` is how messages name them. */
export function sipHeadersOf(written: Json | undefined, key = 'sip_headers'): SipHeaders | undefined {
  const { headers, problems } = readSipHeaders(written);
  const [problem] = problems;
  if (problem) throw new ApiError('bad_request', `${key}: ${problem.message}`, { hint: problem.hint });
  return someHeaders(headers);
}
