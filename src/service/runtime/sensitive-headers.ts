/** Finds the values of sensitive SIP headers in an entry, so that the mask of the call learns them. */
import { isObject, type Json } from '../../base/core/json.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import type { NewEntry } from './journal.ts';

/** `hidden`: names in lower case. */
export function sensitiveHeaderValues(entry: NewEntry, hidden: readonly string[]): Json[] {
  return Object.entries(headersIn(entry) ?? {}).flatMap(([name, value]) =>
    hidden.includes(name.toLowerCase()) ? [value as Json] : [],
  );
}

function headersIn(entry: NewEntry): SipHeaders | Json | undefined {
  switch (entry.kind) {
    case 'started':
    case 'dialled':
      return entry.headers;
    case 'command':
      return 'headers' in entry.command ? entry.command.headers : undefined;
    case 'rendered':
      return isObject(entry.input) ? entry.input['headers'] : undefined;
    case 'in': {
      const { input } = entry;
      if (input.type === 'leg') return 'headers' in input.event ? input.event.headers : undefined;
      if (input.type !== 'command') return undefined;
      const { command } = input;
      return 'args' in command ? command.args['headers'] : 'headers' in command ? command.headers : undefined;
    }
    default:
      return undefined;
  }
}
