/** Parses `--header "X-Customer: 17"`: a SIP header of the caller. */
import { headerNameProblem, type SipHeaders } from '../base/core/sip-headers.ts';
import { UsageError } from './terminal.ts';

export function parseHeader(text: string, before: SipHeaders): SipHeaders {
  const [, name, value] = /^([^:]*):[ \t]*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined || headerNameProblem(name)?.what === 'name') {
    throw new UsageError(`${text} is not a SIP header`, 'write --header "X-Customer: 17"');
  }
  return { ...before, [name]: value };
}
