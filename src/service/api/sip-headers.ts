/** Parses SIP headers in request bodies and in webhook responses. */
import type { Json } from '../../base/core/json.ts';
import { readSipHeaders, type SipHeaders, someHeaders } from '../../base/core/sip-headers.ts';
import { ApiError } from './api-error.ts';

/** Throws the first problem, without repeating header values. `key` is the name in messages. */
export function sipHeadersOf(written: Json | undefined, key = 'sip_headers'): SipHeaders | undefined {
  const { headers, problems } = readSipHeaders(written);
  const [problem] = problems;
  if (problem) throw new ApiError('bad_request', `${key}: ${problem.message}`, { hint: problem.hint });
  return someHeaders(headers);
}
